-- Who changed what: written with the change, never changed, forgotten after a year.
-- An account's entries outlive it; those of the installation have none.
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  account_id TEXT,
  created_at BIGINT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  address TEXT,
  action TEXT NOT NULL,
  target_id TEXT,
  target_name TEXT,
  fields TEXT NOT NULL,
  count BIGINT NOT NULL
);
CREATE INDEX audit_by_account ON audit (account_id, id);
CREATE INDEX audit_by_age ON audit (created_at);

-- One row: entries from before this moment may be forgotten.
CREATE TABLE audit_retention (
  id BIGINT PRIMARY KEY,
  forget_before BIGINT NOT NULL
);
INSERT INTO audit_retention VALUES (1, 0);
