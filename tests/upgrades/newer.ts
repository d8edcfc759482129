import { ownMigrations } from "../../server/ground/db/open.ts";
import type { Migration } from "../../server/ground/db/store.ts";

/** Migrations of an invented newer version: it adds a table, replaces another, and adds a column. */
export const NEWER: Migration[] = [
  {
    name: "9001_notes.sql",
    statements: `
CREATE TABLE notes (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  text TEXT NOT NULL
);
INSERT INTO notes SELECT no, 'Note of ' || url FROM links;

ALTER TABLE groups ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
UPDATE groups SET position = no;
`,
  },
  {
    name: "9001_notes.sqlite.sql",
    statements: `
CREATE TRIGGER notes_of_links AFTER INSERT ON links BEGIN
  INSERT INTO notes VALUES (NEW.no, '');
END;
`,
  },
  {
    name: "9001_notes.postgres.sql",
    statements: "CREATE INDEX notes_by_text ON notes (text);",
  },
  {
    name: "9002_hosts.sql",
    statements: `
CREATE TABLE new_webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url TEXT NOT NULL
);
INSERT INTO new_webhooks SELECT id, account_id, url FROM webhooks;
CREATE TABLE hosts (
  url TEXT PRIMARY KEY,
  webhooks BIGINT NOT NULL
) /* WITHOUT ROWID */;
INSERT INTO hosts SELECT url, count(*) FROM new_webhooks GROUP BY url;
CREATE INDEX new_webhooks_by_url ON new_webhooks (url);
`,
  },
];

/** All migrations that the newer version has. */
export const NEWER_FILES: Migration[] = [...ownMigrations(), ...NEWER];
