-- Read by SQLite and PostgreSQL alike. Moments are milliseconds since 1970, claims are 0 or 1.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  tier TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  role TEXT NOT NULL,
  is_admin BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX users_by_account ON users (account_id);

-- The cookie holds the value, this table only its SHA-256.
CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- One-time links that set a password.
CREATE TABLE password_links (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX password_links_by_user ON password_links (user_id);

-- A revoked key stays as a tombstone, so that its holder learns why it fails.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  previous_hash TEXT,
  can_read BIGINT NOT NULL,
  can_write BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at, id);
CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash);

CREATE TABLE groups (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX groups_by_account ON groups (account_id, created_at, id);

-- The first checks of one batch of new links. It is complete when its counts add up to its total.
CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  total BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  completed_at BIGINT,
  completed_event_id TEXT
);
CREATE INDEX batches_open ON batches (started_at) WHERE completed_at IS NULL;

CREATE TABLE links (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  group_id TEXT REFERENCES groups (id) ON DELETE SET NULL,
  batch_id TEXT REFERENCES batches (id) ON DELETE SET NULL,
  url TEXT NOT NULL,
  -- What makes two links the same: the URL as it goes to the server.
  url_key TEXT NOT NULL,
  service TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  status_changed_at BIGINT NOT NULL,
  -- The last status that was active or dead. Events are told against it.
  decided_status TEXT,
  last_active_at BIGINT,
  inconclusive_checks BIGINT NOT NULL,
  unconfirmed_since BIGINT,
  check_frequency TEXT NOT NULL,
  next_check_at BIGINT NOT NULL,
  next_trigger TEXT NOT NULL,
  -- While a check is under way: shown as "checking" until then, whatever becomes of the checker.
  checking_until BIGINT,
  lease TEXT,
  last_status TEXT,
  last_reason TEXT,
  last_status_code BIGINT,
  last_response_time_ms BIGINT,
  last_checked_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- JSON, read for one link only. Last, so that lists never touch its pages.
  evidence TEXT,
  UNIQUE (account_id, url_key)
);
CREATE INDEX links_by_account ON links (account_id, created_at, id);
CREATE INDEX links_by_status ON links (account_id, status, created_at, id);
CREATE INDEX links_by_service ON links (account_id, service, created_at, id);
CREATE INDEX links_by_group ON links (group_id, created_at, id);
CREATE INDEX links_by_batch ON links (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX links_due ON links (next_check_at);
CREATE INDEX links_checking ON links (account_id, checking_until) WHERE checking_until IS NOT NULL;

-- How many links an account has, by group ('' is none) and settled status. Kept by triggers.
CREATE TABLE link_counts (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  group_id TEXT NOT NULL,
  status TEXT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (account_id, group_id, status)
);

CREATE TABLE checks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  link_id TEXT NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  previous_status TEXT NOT NULL,
  status_changed BIGINT NOT NULL,
  status_code BIGINT,
  response_time_ms BIGINT,
  reason TEXT NOT NULL,
  final_url TEXT,
  redirect_count BIGINT NOT NULL,
  trigger_kind TEXT NOT NULL,
  checked_at BIGINT NOT NULL
);
CREATE INDEX checks_by_account ON checks (account_id, checked_at, id);
CREATE INDEX checks_by_link ON checks (link_id, checked_at, id);
CREATE INDEX checks_by_age ON checks (checked_at);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  is_active BIGINT NOT NULL,
  -- AES-256-GCM under the key file, since signing needs the secret back.
  secret TEXT NOT NULL,
  disabled_reason TEXT,
  disabled_at BIGINT,
  failing_since BIGINT,
  last_delivery_at BIGINT,
  last_status_code BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhooks_by_account ON webhooks (account_id, created_at, id);

CREATE TABLE webhook_events (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  -- Its place in the list that was given.
  position BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, type)
);

-- What happened, written with the change itself and only when somebody subscribes.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX events_by_age ON events (created_at);

CREATE TABLE deliveries (
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_attempt_at BIGINT NOT NULL,
  lease TEXT,
  last_status_code BIGINT,
  last_error TEXT,
  last_duration_ms BIGINT,
  created_at BIGINT NOT NULL,
  completed_at BIGINT,
  PRIMARY KEY (event_id, webhook_id)
);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, status, next_attempt_at);
CREATE INDEX deliveries_due_by_webhook ON deliveries (webhook_id, next_attempt_at, event_id) WHERE status IN ('pending', 'failed', 'delivering');
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status IN ('pending', 'failed', 'delivering');

CREATE TABLE usage_days (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- UTC, as 2026-01-31.
  day TEXT NOT NULL,
  requests BIGINT NOT NULL,
  checks BIGINT NOT NULL,
  last_check_at BIGINT,
  PRIMARY KEY (account_id, day)
);

CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  -- While the first request runs, and so that a crash does not hold the key for a day.
  running_until BIGINT NOT NULL,
  status BIGINT,
  headers TEXT,
  -- NULL with a status: the reply held a secret and is not kept.
  body TEXT,
  resource_id TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, scope, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
