-- How the jobs that keep the installation went last: `backup`, `integrity`.
CREATE TABLE upkeep (
  job TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  succeeded_at BIGINT,
  failed_at BIGINT,
  problem TEXT
);

-- The versions that have served this database, so that one can be named that reads it.
CREATE TABLE versions (
  version TEXT PRIMARY KEY,
  first_started_at BIGINT NOT NULL
);
