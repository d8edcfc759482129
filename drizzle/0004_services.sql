-- Which catalogue of services the links were filed by, and how far: up to and including that id, or all.
CREATE TABLE classification (
  id BIGINT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  last_link_id TEXT
);
