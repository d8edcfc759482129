-- Runs next to 0.1.0

-- Whether the owners of an account want archives to be asked about dead links. NULL: as STILLUP_ARCHIVE says.
ALTER TABLE accounts ADD COLUMN archive_lookup BIGINT;
-- Whether pages are saved in the archive while they are alive.
ALTER TABLE accounts ADD COLUMN archive_save BIGINT NOT NULL DEFAULT 0;

-- The archives that are asked. A request holds its archive by a lease, so that there is one at a time, whichever node
-- asks.
CREATE TABLE archive_hosts (
  -- With its port unless that is the default.
  host TEXT PRIMARY KEY,
  lease TEXT,
  -- When the lease ends.
  due_at BIGINT NOT NULL,
  -- When the next request to the index, the next save and the next other request may begin.
  index_due_at BIGINT NOT NULL,
  save_due_at BIGINT NOT NULL,
  other_due_at BIGINT NOT NULL,
  -- No request before.
  held_until BIGINT NOT NULL,
  -- How often in a row it wanted no request, or did not work.
  refusals BIGINT NOT NULL,
  -- How many captures in a row were none.
  missing_captures BIGINT NOT NULL
);

-- What archives have of pages, for all accounts.
CREATE TABLE archive_copies (
  url_key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  -- Of a copy: its address for people, when it was captured, and what it is compared with.
  copy_url TEXT,
  captured_at BIGINT,
  title TEXT,
  print TEXT,
  -- JSON: why captures were refused.
  reasons TEXT,
  -- The latest moment that captures were looked for.
  looked_until BIGINT NOT NULL,
  asked_at BIGINT NOT NULL,
  -- How often in a row nothing was found.
  failures BIGINT NOT NULL,
  -- It was saved for this server while the page was alive.
  is_saved BIGINT NOT NULL DEFAULT 0
);

-- Pages that are to be saved, for all accounts that want it.
CREATE TABLE archive_saves (
  url_key TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  state TEXT NOT NULL,
  -- NULL: nothing is to be done.
  due_at BIGINT,
  lease TEXT,
  -- The save that is under way, and how often it was looked at.
  job TEXT,
  looks BIGINT NOT NULL,
  started_at BIGINT
);
CREATE INDEX archive_saves_due ON archive_saves (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX archive_saves_started ON archive_saves (started_at);
