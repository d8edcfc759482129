-- Runs next to 0.1.0

-- E-mail, filters and summaries of webhooks, and mail to people.

-- Chosen by its maker.
ALTER TABLE webhooks ADD COLUMN name TEXT;
-- A bit for each field of the filter that has values: 1 groups, 2 services, 4 reasons.
ALTER TABLE webhooks ADD COLUMN filters BIGINT NOT NULL DEFAULT 0;
-- Of the times in messages to people. NULL is UTC.
ALTER TABLE webhooks ADD COLUMN time_zone TEXT;
-- JSON: when summaries are sent. With it, the time of the next one, and the end of the period of the last one.
ALTER TABLE webhooks ADD COLUMN summary TEXT;
ALTER TABLE webhooks ADD COLUMN summary_at BIGINT;
ALTER TABLE webhooks ADD COLUMN summary_since BIGINT;
CREATE INDEX webhooks_summaries ON webhooks (summary_at) WHERE summary_at IS NOT NULL;

-- The values of a webhook's filter. `field` is `group`, `service` or `reason`. A value stays when what it names is gone,
-- so that a filter never widens.
CREATE TABLE webhook_filters (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (webhook_id, field, value)
) /* WITHOUT ROWID */;

-- What the owner of an address has decided about mail of an account.
CREATE TABLE mail_addresses (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  -- Part of every link in a mail; a refusal raises it, so that earlier links for a confirmation end.
  n BIGINT NOT NULL,
  confirmed_at BIGINT,
  -- When all mail of the account was refused.
  refused_at BIGINT,
  PRIMARY KEY (account_id, address)
);

-- Mail to people that no webhook sends: invitations, links for passwords, confirmations, news about their own account.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  user_id TEXT,
  address TEXT NOT NULL,
  -- JSON. Tokens are not stored: they are created when the mail is sent.
  data TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  due_at BIGINT,
  lease TEXT,
  last_status_code BIGINT,
  last_error TEXT,
  created_at BIGINT NOT NULL,
  completed_at BIGINT
);
CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX mails_by_age ON mails (created_at);
-- Both for the limits of confirmations and password links.
CREATE INDEX mails_by_address ON mails (address, created_at);
CREATE INDEX mails_by_account ON mails (account_id, created_at);

-- The highest share of a limit that an event has reported. `what` is `links`, `keys` or `webhooks`.
CREATE TABLE usage_levels (
  account_no BIGINT NOT NULL,
  what TEXT NOT NULL,
  level BIGINT NOT NULL,
  PRIMARY KEY (account_no, what)
) /* WITHOUT ROWID */;

-- When the person proved that the address is theirs.
ALTER TABLE users ADD COLUMN email_verified_at BIGINT;
-- Whether the link was sent by e-mail: who uses it has the address.
ALTER TABLE password_links ADD COLUMN is_mailed BIGINT NOT NULL DEFAULT 0;
