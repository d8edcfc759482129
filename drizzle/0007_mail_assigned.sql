-- Runs next to 0.1.0

-- Whether a person gets a mail when others assign links to them.
ALTER TABLE users ADD COLUMN mail_assigned BIGINT NOT NULL DEFAULT 1;
