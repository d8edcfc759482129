-- Runs next to 0.1.0

-- Sign-in by OpenID Connect.

-- Who a person is at the provider: the issuer and the subject identify them, nothing else does.
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  linked_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);

-- How a session began: `password` or `oidc`.
ALTER TABLE sessions ADD COLUMN via TEXT NOT NULL DEFAULT 'password';
-- When it ends in any case; NULL for the usual time.
ALTER TABLE sessions ADD COLUMN ends_at BIGINT;
-- When the person last signed in at the provider again to prove who they are.
ALTER TABLE sessions ADD COLUMN proved_at BIGINT;
-- Sealed; only to sign out at the provider.
ALTER TABLE sessions ADD COLUMN id_token TEXT;
