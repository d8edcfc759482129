-- Runs beside 0.1.0
-- The person who knows a key's value: who created or last rotated it, or whose key did. Null where that is not known.
ALTER TABLE api_keys ADD COLUMN made_by TEXT;
UPDATE api_keys SET made_by = (
  SELECT CASE WHEN audit.actor_kind = 'user' THEN audit.actor_id END
  FROM audit
  WHERE audit.account_id = api_keys.account_id AND audit.target_id = api_keys.id
    AND audit.action IN ('key.created', 'key.rotated')
  ORDER BY audit.id DESC LIMIT 1);

-- Failed sign-ins of a person since the last one that worked, by the network they came from; '' stands for networks
-- after the first twenty. `recorded` of them are in the audit log, where the next are due at `record_at`.
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
-- JSON: the failed sign-ins before this session, until the person has seen them.
ALTER TABLE sessions ADD COLUMN failed_sign_ins TEXT;

-- The address by which someone was invited who has an account elsewhere under that address. They cannot sign in here.
ALTER TABLE users ADD COLUMN invited_email TEXT;
CREATE UNIQUE INDEX users_by_invited_email ON users (account_id, invited_email);
