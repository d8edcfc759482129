-- Runs next to 0.1.0

-- A list of links from its upload to its result. Its number is from the series of those of links and groups.
CREATE TABLE imports (
  no BIGINT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  account_no BIGINT NOT NULL,
  -- Who gave it, as the audit log names them.
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  -- Of its file.
  name TEXT,
  format TEXT NOT NULL,
  status TEXT NOT NULL,
  -- JSON: what is done with its links.
  options TEXT NOT NULL,
  -- JSON: remarks about the list, in sentences, and the sitemaps that it names.
  notes TEXT NOT NULL,
  sitemaps TEXT NOT NULL,
  -- Why it was stopped, in a sentence. NULL: by a person, or not at all.
  problem TEXT,
  -- JSON: how many of its items have each outcome.
  counts TEXT NOT NULL,
  -- JSON: the ids of the batches of first checks, and of the groups that were made for it.
  batch_ids TEXT NOT NULL,
  group_ids TEXT NOT NULL,
  -- When its next step is taken: or when a process that takes it has died. NULL: there is none.
  due_at BIGINT,
  lease TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  started_at BIGINT,
  completed_at BIGINT
);
CREATE INDEX imports_by_account ON imports (account_id, no);
CREATE INDEX imports_due ON imports (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX imports_by_age ON imports (updated_at);

-- The links of a list, in its order.
CREATE TABLE import_items (
  import_no BIGINT NOT NULL,
  n BIGINT NOT NULL,
  line BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  -- The link that was created, changed or is already there.
  link_id TEXT,
  -- Why it is refused, in a sentence, or the line of which it is a duplicate.
  detail TEXT,
  -- A hash of its URL, by which duplicates are found, once it is known to be new.
  url_hash TEXT,
  -- As the list has it; empty for none.
  group_name TEXT NOT NULL,
  -- 1: something of it is not kept.
  lacks BIGINT NOT NULL,
  -- JSON: as it was read, with what is not kept of it.
  item TEXT NOT NULL,
  PRIMARY KEY (import_no, n)
);
CREATE INDEX import_items_by_outcome ON import_items (import_no, outcome, n);
CREATE INDEX import_items_by_url ON import_items (import_no, url_hash) WHERE url_hash IS NOT NULL;
CREATE INDEX import_items_lacking ON import_items (import_no, n) WHERE lacks = 1;
