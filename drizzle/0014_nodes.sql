-- Runs beside 0.1.0
-- The processes that serve this database, each with its latest sign of life. SQLite is served by one alone,
-- which needs no row.
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  -- What its machine is called.
  name TEXT NOT NULL,
  -- A list such as api,checker.
  roles TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  -- JSON: what it says of itself.
  state TEXT NOT NULL
);

-- Who does the work of which part: `checks` by the site of the link, `deliveries` by webhook. An owner keeps a
-- part until nothing of it is under way.
CREATE TABLE buckets (
  work TEXT NOT NULL,
  bucket BIGINT NOT NULL,
  owner TEXT,
  PRIMARY KEY (work, bucket)
);
INSERT INTO buckets
WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 1023)
SELECT work, n, NULL FROM counted, (SELECT 'checks' AS work UNION ALL SELECT 'deliveries') AS works;

-- Files the links of one site together (a hash of the site). Those that were there are filed by the program, and
-- until then they are in one bucket, so that no site is asked by two nodes.
ALTER TABLE links ADD COLUMN bucket BIGINT NOT NULL DEFAULT 0;

-- Sites that want to be left alone, for whoever asks them next.
CREATE TABLE site_holds (
  site TEXT PRIMARY KEY,
  bucket BIGINT NOT NULL,
  until BIGINT NOT NULL,
  -- JSON: how much the site can take.
  load TEXT NOT NULL
);
CREATE INDEX site_holds_by_bucket ON site_holds (bucket);

-- What is known of this installation, each by its name.
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- Wrong passwords and codes of the last minutes, by the SHA-256 of the name that was given.
CREATE TABLE guesses (
  account TEXT NOT NULL,
  n BIGINT NOT NULL,
  guessed_at BIGINT NOT NULL,
  PRIMARY KEY (account, n)
);
CREATE INDEX guesses_by_time ON guesses (guessed_at);

-- Proofs of who runs this installation while it has no account: the file holds the value, this table its SHA-256.
CREATE TABLE setup_tokens (
  token_hash TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);

-- Whether services still tell what is there from what is gone.
CREATE TABLE canaries (
  service TEXT NOT NULL,
  kind TEXT NOT NULL,
  is_good BIGINT NOT NULL,
  asked_at BIGINT NOT NULL,
  alive_at BIGINT,
  PRIMARY KEY (service, kind)
);
