-- Read by SQLite and PostgreSQL. Times are milliseconds since 1970; booleans are 0 or 1.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  tier TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  no BIGINT NOT NULL DEFAULT 0,
  -- Checks before this time are deleted, or are being deleted.
  history_since BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX accounts_by_no ON accounts (no);

-- Accounts, groups and links share one sequence of numbers. History and counts refer to them by number, which takes a
-- tenth of the space of an id. Links are numbered in the order in which they are created.
CREATE TABLE numbers (
  id BIGINT PRIMARY KEY,
  next BIGINT NOT NULL
);
INSERT INTO numbers VALUES (1, 1);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  role TEXT NOT NULL,
  is_admin BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Second factor (RFC 6238): the sealed secret, a secret that is not confirmed yet, and the last step used.
  totp_secret TEXT,
  totp_pending TEXT,
  totp_step BIGINT,
  -- The address of an invited person who already has an account elsewhere under that address. They cannot sign in here.
  invited_email TEXT
);
CREATE INDEX users_by_account ON users (account_id);
CREATE UNIQUE INDEX users_by_invited_email ON users (account_id, invited_email);

-- Each code signs its user in once without the second factor. Only the SHA-256 is stored.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- The cookie holds the token, this table only its SHA-256.
CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  -- The User-Agent of the browser that signed in.
  user_agent TEXT,
  -- JSON: the failed sign-ins before this session, until the user has seen them.
  failed_sign_ins TEXT
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- One-time links that set a password.
CREATE TABLE password_links (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX password_links_by_user ON password_links (user_id);

-- Failed sign-ins of a user since the last successful one, by network. '' stands for all networks after the first
-- twenty. `recorded` of them are in the audit log already; the next are written at `record_at`.
CREATE TABLE failed_sign_ins (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address_range TEXT NOT NULL,
  failures BIGINT NOT NULL,
  recorded BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  record_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, address_range)
);
CREATE INDEX failed_sign_ins_due ON failed_sign_ins (record_at);

-- Wrong passwords and codes of the last minutes, by the SHA-256 of the name that was entered.
CREATE TABLE guesses (
  account TEXT NOT NULL,
  n BIGINT NOT NULL,
  guessed_at BIGINT NOT NULL,
  PRIMARY KEY (account, n)
);
CREATE INDEX guesses_by_time ON guesses (guessed_at);

-- Prove who runs this installation while it has no account. The file holds the token, this table its SHA-256.
CREATE TABLE setup_tokens (
  token_hash TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);

-- A revoked key stays, so that the API can say why it is refused.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  -- The value before the last rotation, and until when it is still accepted.
  previous_hash TEXT,
  previous_expires_at BIGINT,
  can_read BIGINT NOT NULL,
  can_write BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The user who knows the key: the one who created or last rotated it. NULL if unknown.
  made_by TEXT
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at, id);
CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash);

CREATE TABLE usage_days (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- UTC, as 2026-01-31.
  day TEXT NOT NULL,
  requests BIGINT NOT NULL,
  checks BIGINT NOT NULL,
  last_check_at BIGINT,
  PRIMARY KEY (account_id, day)
);

-- Written together with the change and the reply.
CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  running_until BIGINT NOT NULL,
  status BIGINT,
  headers TEXT,
  -- NULL with a status: the reply contained a secret and is not stored.
  body TEXT,
  resource_id TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, scope, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Who changed what. Written with the change, never updated, deleted after a year. Entries of an account outlive it;
-- entries of the installation have no account.
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

-- One row: entries before this time may be deleted.
CREATE TABLE audit_retention (
  id BIGINT PRIMARY KEY,
  forget_before BIGINT NOT NULL
);
INSERT INTO audit_retention VALUES (1, 0);

CREATE TABLE groups (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  no BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX groups_by_account ON groups (account_id, created_at, id);
CREATE UNIQUE INDEX groups_by_no ON groups (no);

CREATE TABLE links (
  no BIGINT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  group_id TEXT REFERENCES groups (id) ON DELETE SET NULL,
  url TEXT NOT NULL,
  -- The URL as it is sent to the server. Two watched links of an account never have the same.
  url_key TEXT NOT NULL,
  service TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  status_changed_at BIGINT NOT NULL,
  -- The last status that was active or dead, and its reason. Events compare with it.
  decided_status TEXT,
  decided_reason TEXT,
  last_active_at BIGINT,
  inconclusive_checks BIGINT NOT NULL,
  unconfirmed_since BIGINT,
  flapping_until BIGINT,
  -- The same failure several times in a row: its class, since when, and in how many checks.
  failing_class TEXT,
  failing_since BIGINT,
  failing_checks BIGINT,
  check_frequency TEXT NOT NULL,
  next_check_at BIGINT NOT NULL,
  next_trigger TEXT NOT NULL,
  -- While a check runs. The link is shown as "checking" until then, even if the checker dies.
  checking_until BIGINT,
  lease TEXT,
  last_status TEXT,
  last_reason TEXT,
  -- What the last check found behind its reason, where the reason alone does not say it.
  last_cause TEXT,
  last_status_code BIGINT,
  last_response_time_ms BIGINT,
  last_checked_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- When it left its last source; 0 while it is watched. It is read by the view `watched_links` alone, which partial
  -- indexes serve: SQLite answers from an index alone only if its condition is an equation.
  retired_at BIGINT NOT NULL DEFAULT 0,
  -- JSON, read for one link only. Near the end of the row, so that lists never read its overflow pages.
  evidence TEXT,
  -- A hash of the site. Links of one site share a bucket.
  bucket BIGINT NOT NULL DEFAULT 0,
  UNIQUE (account_id, url_key, retired_at)
);
CREATE INDEX links_by_account ON links (account_no, no) WHERE retired_at = 0;
CREATE INDEX links_by_status ON links (account_no, status, no) WHERE retired_at = 0;
CREATE INDEX links_by_service ON links (account_no, service, no) WHERE retired_at = 0;
-- Of all links, since a deleted group leaves them.
CREATE INDEX links_by_group ON links (group_id, no, retired_at);
CREATE INDEX links_by_change ON links (account_no, status, status_changed_at, no) WHERE retired_at = 0;
CREATE INDEX links_retired ON links (retired_at) WHERE retired_at > 0;
CREATE INDEX links_checking ON links (account_no, checking_until)
WHERE checking_until IS NOT NULL AND retired_at = 0;

-- The number of links of an account or a group by settled status, for each thousand link numbers. The sum is the
-- total, and the parts lead to any page of a list. Maintained by triggers.
CREATE TABLE link_counts (
  -- The number of the account or the group.
  subject BIGINT NOT NULL,
  -- The link's number / 1000.
  part BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  PRIMARY KEY (subject, part)
) /* WITHOUT ROWID */;

-- Links that were dead and are alive again, with the latest time of that.
CREATE TABLE recoveries (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  recovered_at BIGINT NOT NULL
);
CREATE INDEX recoveries_by_account ON recoveries (account_no, recovered_at, link_no);

-- The version of the service catalogue by which links are classified, and how far: up to and including that id, or all.
CREATE TABLE classification (
  id BIGINT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  last_link_id TEXT
);

-- A batch counts the next checks of its links together.
CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- The number of links that have joined. The batch is complete when the four counts add up to it.
  total BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  completed_at BIGINT,
  -- Which links join; NULL means any.
  filter_group_id TEXT,
  filter_status TEXT,
  -- Links with numbers up to this one have joined if they match. NULL once all have, up to `last_no`.
  filled_to BIGINT,
  last_no BIGINT NOT NULL DEFAULT 0,
  -- The number of matching links when the batch began.
  expected BIGINT NOT NULL DEFAULT 0,
  filter_service TEXT,
  filter_search TEXT,
  filter_frequency TEXT
);
CREATE INDEX batches_by_account ON batches (account_id);
CREATE INDEX batches_running ON batches (account_id) WHERE completed_at IS NULL;
CREATE INDEX batches_by_age ON batches (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX batches_filling ON batches (started_at, id) WHERE filled_to IS NOT NULL;
-- Complete batches whose event is not written yet: queried after every group of results.
CREATE INDEX batches_ended ON batches (id)
WHERE completed_at IS NULL AND filled_to IS NULL AND total = active + dead + unknown + skipped;
-- Batches that wait for checks, by start: after two days they are completed as they are.
CREATE INDEX batches_overdue ON batches (started_at, id) WHERE completed_at IS NULL AND filled_to IS NULL;

-- A link may be in several batches, and leaves them when its check has settled or when it is deleted.
CREATE TABLE batch_links (
  link_no BIGINT NOT NULL REFERENCES links (no) ON DELETE CASCADE,
  -- Not a foreign key, so that deleting a batch needs no search for links.
  batch_id TEXT NOT NULL,
  PRIMARY KEY (link_no, batch_id)
) /* WITHOUT ROWID */;

-- What checks have in common, each combination once. A check refers to it by number.
CREATE TABLE check_kinds (
  no BIGINT PRIMARY KEY,
  status TEXT NOT NULL,
  previous_status TEXT NOT NULL,
  status_changed BIGINT NOT NULL,
  status_code BIGINT,
  reason TEXT NOT NULL,
  cause TEXT,
  trigger_kind TEXT NOT NULL,
  redirect_count BIGINT NOT NULL,
  -- All of the above in one string, to find it by.
  code TEXT NOT NULL UNIQUE
);

-- Totals of the checks of an account or a group by hour, and of an account, a group or a link by day (UTC). They stay
-- when checks are deleted. The average response time is total_ms / answered.
CREATE TABLE history_hours (
  -- The number of the account or the group. The hours of a link are in its days.
  subject BIGINT NOT NULL,
  -- The start of the hour. A busy hour of an account has further parts of about a thousand checks each, which start
  -- within it: they lead to any page of the history.
  since BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  answered BIGINT NOT NULL,
  total_ms BIGINT NOT NULL,
  PRIMARY KEY (subject, since)
) /* WITHOUT ROWID */;

CREATE TABLE history_days (
  -- The number of the account, the group or the link.
  subject BIGINT NOT NULL,
  -- Days since 1970.
  day BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  answered BIGINT NOT NULL,
  total_ms BIGINT NOT NULL,
  -- A link's checks of the day by hour, written when they are deleted.
  hours TEXT,
  PRIMARY KEY (subject, day)
) /* WITHOUT ROWID */;

-- Deleted links and groups whose history is still to be deleted, step by step.
CREATE TABLE pending_deletions (
  no BIGINT PRIMARY KEY,
  -- Of a link, so that the rest of its history can be shown until then.
  id TEXT,
  url TEXT
);

-- How hosts respond to addresses that do not exist.
CREATE TABLE host_profiles (
  host TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  fingerprint TEXT,
  learned_at BIGINT NOT NULL
);
CREATE INDEX host_profiles_by_age ON host_profiles (learned_at);

-- Sites that must not be requested before a time, whichever node checks them next.
CREATE TABLE site_holds (
  site TEXT PRIMARY KEY,
  bucket BIGINT NOT NULL,
  until BIGINT NOT NULL,
  -- JSON: the load that the site allows.
  load TEXT NOT NULL
);
CREATE INDEX site_holds_by_bucket ON site_holds (bucket);

-- Whether services still respond differently to existing and to deleted pages.
CREATE TABLE canaries (
  service TEXT NOT NULL,
  kind TEXT NOT NULL,
  is_good BIGINT NOT NULL,
  asked_at BIGINT NOT NULL,
  alive_at BIGINT,
  PRIMARY KEY (service, kind)
);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- The host only.
  url TEXT NOT NULL,
  is_active BIGINT NOT NULL,
  -- AES-256-GCM under the key file: signing needs the secret itself.
  secret TEXT NOT NULL,
  disabled_reason TEXT,
  disabled_at BIGINT,
  failing_since BIGINT,
  last_delivery_at BIGINT,
  last_status_code BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- `standard` is Standard Webhooks; the others are messages for chat services.
  format TEXT NOT NULL DEFAULT 'standard',
  -- JSON: replaced secrets, sealed, each with the time until which it still signs.
  old_secrets TEXT,
  -- The earliest and the latest event whose delivery failed since the last success.
  failed_from BIGINT,
  failed_to BIGINT,
  -- The digest that collects events now, if any, and when it is closed or the last one was.
  digest_id TEXT,
  digest_at BIGINT,
  -- The whole URL, sealed with the secret key, since it may contain a secret.
  sealed_url TEXT NOT NULL,
  -- Whether link.alive is also sent for the first verdict about a link.
  first_verdicts BIGINT NOT NULL DEFAULT 0,
  -- The digest that collects first verdicts of batches now, if any, and when it was opened.
  batch_digest_id TEXT,
  batch_digest_at BIGINT
);
CREATE INDEX webhooks_by_account ON webhooks (account_id, created_at, id);

CREATE TABLE webhook_events (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  -- Its position in the list that was given.
  position BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, type)
);

-- What happened: written with the change itself, and only if a webhook subscribes.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- The link that the event is about, to show it with the link.
  link_id TEXT
);
CREATE INDEX events_by_age ON events (created_at);
CREATE INDEX events_by_link ON events (link_id, id) WHERE link_id IS NOT NULL;

-- One event for one webhook, with its latest attempt. Its id is the event's.
CREATE TABLE deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Only while a requested attempt is pending: the status before it.
  resting TEXT,
  attempts BIGINT NOT NULL,
  -- Attempts that were requested, or interrupted by a crash. The schedule counts only the others.
  unplanned_attempts BIGINT NOT NULL,
  -- By the schedule; NULL when no attempt follows.
  next_attempt_at BIGINT,
  -- When it can be claimed: by the schedule, on request, or when its lease ends. NULL: never.
  due_at BIGINT,
  lease TEXT,
  -- The event that sends this one and others in one message.
  digest_id TEXT,
  created_at BIGINT NOT NULL,
  completed_at BIGINT,
  last_trigger TEXT,
  last_started_at BIGINT,
  last_duration_ms BIGINT,
  last_status_code BIGINT,
  last_error TEXT,
  last_content_type TEXT,
  last_body TEXT,
  last_truncated BIGINT,
  -- 1: a first verdict of a batch, for a webhook of a chat service. It is sent in a digest only.
  of_batch BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (webhook_id, event_id)
) /* WITHOUT ROWID */;
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_status ON deliveries (webhook_id, status, event_id);
CREATE INDEX deliveries_by_type ON deliveries (webhook_id, type, event_id);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, event_id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_digest ON deliveries (digest_id, event_id, type, created_at) WHERE digest_id IS NOT NULL;
-- Claimed deliveries, to find expired leases.
CREATE INDEX deliveries_leased ON deliveries (webhook_id, due_at) WHERE lease IS NOT NULL;

-- The attempts before the latest. Most deliveries have none.
CREATE TABLE delivery_attempts (
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  trigger_kind TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  duration_ms BIGINT,
  status_code BIGINT NOT NULL,
  error TEXT,
  content_type TEXT,
  body TEXT,
  truncated BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, event_id, number),
  FOREIGN KEY (webhook_id, event_id) REFERENCES deliveries (webhook_id, event_id) ON DELETE CASCADE
) /* WITHOUT ROWID */;

-- The latest run of each maintenance job: `backup`, `integrity`.
CREATE TABLE upkeep (
  job TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  succeeded_at BIGINT,
  failed_at BIGINT,
  problem TEXT
);

-- The versions that have served this database, so that an error can name one that reads it.
CREATE TABLE versions (
  version TEXT PRIMARY KEY,
  first_started_at BIGINT NOT NULL
);

-- Facts about this installation, by name.
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- The processes that serve this database, each with its latest heartbeat. SQLite has one process, which needs no row.
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  -- The hostname.
  name TEXT NOT NULL,
  -- A list such as api,checker.
  roles TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  -- JSON: what the node reports about itself.
  state TEXT NOT NULL
);
