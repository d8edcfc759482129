ALTER TABLE links RENAME COLUMN evidence TO old_evidence;
-- Why the last decided status was decided.
ALTER TABLE links ADD COLUMN decided_reason TEXT;
ALTER TABLE links ADD COLUMN flapping_until BIGINT;
-- The same failure again and again: what kind, since when and in how many checks.
ALTER TABLE links ADD COLUMN failing_class TEXT;
ALTER TABLE links ADD COLUMN failing_since BIGINT;
ALTER TABLE links ADD COLUMN failing_checks BIGINT;
-- What the last check saw behind its reason, where the reason does not tell it.
ALTER TABLE links ADD COLUMN last_cause TEXT;
-- Last again, so that lists never touch its pages.
ALTER TABLE links ADD COLUMN evidence TEXT;
UPDATE links SET evidence = old_evidence WHERE old_evidence IS NOT NULL;
ALTER TABLE links DROP COLUMN old_evidence;
UPDATE links SET decided_reason = reason WHERE status = decided_status;

ALTER TABLE checks ADD COLUMN cause TEXT;
-- JSON, kept for checks that changed the status. Last, as that of links.
ALTER TABLE checks ADD COLUMN evidence TEXT;

-- How hosts answer to addresses that do not exist.
CREATE TABLE host_profiles (
  host TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  fingerprint TEXT,
  learned_at BIGINT NOT NULL
);
CREATE INDEX host_profiles_by_age ON host_profiles (learned_at);

-- What somebody asked for by hand is looked for alone while this monitor is offline.
CREATE INDEX links_asked ON links (next_check_at) WHERE next_trigger = 'manual';
