-- What became what it is last comes first where people look.
CREATE INDEX links_by_change ON links (account_no, status, status_changed_at, no);

-- Links that came back from being dead, and when they did so last.
CREATE TABLE recoveries (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  recovered_at BIGINT NOT NULL
);
CREATE INDEX recoveries_by_account ON recoveries (account_no, recovered_at, link_no);

-- The link that an event is about, to tell of it where the link is shown.
ALTER TABLE events ADD COLUMN link_id TEXT;
CREATE INDEX events_by_link ON events (link_id, id) WHERE link_id IS NOT NULL;

-- Batches take what a list shows, whatever narrows it.
ALTER TABLE batches ADD COLUMN filter_service TEXT;
ALTER TABLE batches ADD COLUMN filter_search TEXT;
ALTER TABLE batches ADD COLUMN filter_frequency TEXT;

-- A second factor (RFC 6238): its secret, sealed; one that is not confirmed yet; and the last step that was used.
ALTER TABLE users ADD COLUMN totp_secret TEXT;
ALTER TABLE users ADD COLUMN totp_pending TEXT;
ALTER TABLE users ADD COLUMN totp_step BIGINT;

-- Each lets its user in once without the second factor; only the SHA-256 is kept.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- The browser that a session began in, as it calls itself.
ALTER TABLE sessions ADD COLUMN user_agent TEXT;
