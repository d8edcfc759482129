-- Runs next to 0.1.0

-- The URL that a person wants in the place of a link's own, which its sources still have; who said so, and when.
ALTER TABLE link_details ADD COLUMN accepted_url TEXT;
ALTER TABLE link_details ADD COLUMN accepted_by TEXT;
ALTER TABLE link_details ADD COLUMN accepted_at BIGINT;
CREATE INDEX link_details_accepted ON link_details (account_no, link_no) WHERE accepted_url IS NOT NULL;

-- Replacements of many links, which are previewed before they are carried out.
CREATE TABLE replacements (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  -- JSON: what was asked for.
  request TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- Of the site of the first new URL, by which nodes share them.
  bucket BIGINT NOT NULL,
  -- When new URLs are checked next. NULL: all are.
  due_at BIGINT,
  lease TEXT
);
CREATE INDEX replacements_by_account ON replacements (account_id, id);
CREATE INDEX replacements_due ON replacements (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX replacements_by_end ON replacements (expires_at);

CREATE TABLE replacement_items (
  replacement_id TEXT NOT NULL REFERENCES replacements (id) ON DELETE CASCADE,
  link_id TEXT NOT NULL,
  -- The link's URL when the preview was made.
  url TEXT NOT NULL,
  new_url TEXT NOT NULL,
  -- `rule`, or that of the suggestion.
  kind TEXT NOT NULL,
  -- What the check of the new URL has shown. NULL: it has not ended.
  verdict TEXT,
  reason TEXT,
  matches TEXT,
  -- What became of it; NULL while it was not carried out. The error is JSON.
  result TEXT,
  error TEXT,
  PRIMARY KEY (replacement_id, link_id)
) /* WITHOUT ROWID */;
