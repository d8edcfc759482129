-- Runs next to 0.1.0

-- What could stand in the place of dead links: addresses that were requested and found alive.
CREATE TABLE suggestions (
  id TEXT PRIMARY KEY,
  link_no BIGINT NOT NULL REFERENCES links (no) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  -- The best first, from 0.
  rank BIGINT NOT NULL,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  confidence TEXT NOT NULL,
  matches TEXT NOT NULL,
  -- Sentences, as JSON.
  evidence TEXT NOT NULL,
  captured_at BIGINT,
  checked_at BIGINT NOT NULL,
  -- The rule by which it was found, if it is one of `url_patterns`.
  pattern_id TEXT,
  UNIQUE (link_no, url)
);
CREATE INDEX suggestions_by_rank ON suggestions (link_no, rank);
CREATE INDEX suggestions_by_kind ON suggestions (account_no, kind, link_no);
CREATE INDEX suggestions_by_account ON suggestions (account_no, link_no);

-- The search for them. It is made in steps: `own` requests addresses, `archive` asks an archive.
CREATE TABLE link_lookups (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  -- By which those that are due are taken: the smallest first.
  rank BIGINT NOT NULL,
  due_at BIGINT,
  lease TEXT,
  -- JSON: why what was found is not suggested.
  reasons TEXT,
  -- How often nothing was found.
  misses BIGINT NOT NULL DEFAULT 0,
  -- A person asked for an archived copy, although the URL may be private.
  is_by_hand BIGINT NOT NULL DEFAULT 0,
  -- Whether there was something to suggest since the link died.
  is_reported BIGINT NOT NULL DEFAULT 0
) /* WITHOUT ROWID */;
CREATE INDEX link_lookups_due ON link_lookups (step, rank, link_no) WHERE due_at IS NOT NULL;
CREATE INDEX link_lookups_next ON link_lookups (step, due_at) WHERE due_at IS NOT NULL;
-- Those for which no archive was asked, since their accounts do not want that.
CREATE INDEX link_lookups_unasked ON link_lookups (account_no, link_no) WHERE due_at IS NULL AND step = 'own';

CREATE INDEX link_lookups_by_state ON link_lookups (state);

-- Links that are dead already, after all that die from now on.
INSERT INTO link_lookups (link_no, account_no, state, step, rank, due_at)
  SELECT no, account_no, 'waiting', 'own', 40000000000000, 0 FROM links WHERE status = 'dead' AND retired_at = 0;

-- How the addresses of a site changed, learned from links of one account.
CREATE TABLE url_patterns (
  id TEXT PRIMARY KEY,
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  old_prefix TEXT NOT NULL,
  new_prefix TEXT NOT NULL,
  pairs BIGINT NOT NULL,
  -- Of the addresses that it proposed: how many were requested, and how many of these were wrong.
  tried BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  -- How many were requested on the UTC day `tried_day`, counted from 1970.
  tried_today BIGINT NOT NULL,
  tried_day BIGINT NOT NULL,
  rests_until BIGINT,
  learned_at BIGINT NOT NULL,
  UNIQUE (account_no, old_prefix, new_prefix)
);
-- The sites of dead links, whose patterns are computed when they are due.
CREATE TABLE pattern_runs (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  site TEXT NOT NULL,
  -- Since the last run.
  deaths BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  lease TEXT,
  PRIMARY KEY (account_no, site)
) /* WITHOUT ROWID */;
CREATE INDEX pattern_runs_due ON pattern_runs (due_at);

-- In how many checks a link has led where it leads: 3 means that it has for a week as well.
ALTER TABLE page_memories ADD COLUMN way_seen BIGINT NOT NULL DEFAULT 0;
-- How surely the link has moved there for good, `safe` or `likely`. NULL: it has not, or not surely enough.
ALTER TABLE page_memories ADD COLUMN moved TEXT;
CREATE INDEX page_memories_moved ON page_memories (account_no, link_no) WHERE moved IS NOT NULL;

CREATE INDEX source_pages_by_title ON source_pages (lower(title), source_no) WHERE title IS NOT NULL;
