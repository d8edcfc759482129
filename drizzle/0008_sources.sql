-- Runs next to 0.1.0

-- Where links come from, and where they stand.

-- Their numbers are from the same series as those of links, groups and tags. The links of a source are those with its
-- number in `link_tags`, so `link_counts` has counts for each source.
CREATE TABLE sources (
  no BIGINT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- NULL for a source that others push to.
  url TEXT,
  -- JSON: those of its kind.
  settings TEXT NOT NULL,
  -- JSON, sealed.
  credential TEXT,
  -- Of its new links.
  group_id TEXT REFERENCES groups (id) ON DELETE SET NULL,
  check_frequency TEXT NOT NULL,
  -- Five fields, and the IANA time zone they are in. NULL: daily, at a place of its own.
  cron TEXT,
  time_zone TEXT,
  is_paused BIGINT NOT NULL,
  -- A hash of its site, so that the node that checks the site also reads it.
  bucket BIGINT NOT NULL,
  -- When it is claimed next: for a run, for the next step of one, or because the lease has ended. NULL: never.
  due_at BIGINT,
  lease TEXT,
  -- The latest run, and the latest complete one; 0 before the first.
  run_no BIGINT NOT NULL,
  complete_run BIGINT NOT NULL,
  -- As counted at the end of the latest run.
  pages BIGINT NOT NULL,
  places BIGINT NOT NULL,
  failing_since BIGINT,
  -- It is gone for everyone; its pages and places are deleted step by step.
  deleted_at BIGINT,
  -- Whether links that no other source has are retired then.
  retires BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX sources_by_name ON sources (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX sources_due ON sources (due_at) WHERE due_at IS NOT NULL;

-- A run reads a source from beginning to end, in steps. Numbered by source.
CREATE TABLE source_runs (
  source_no BIGINT NOT NULL,
  run_no BIGINT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  message TEXT,
  trigger_kind TEXT NOT NULL,
  accepts_shrink BIGINT NOT NULL,
  queued_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  -- JSON: where the next step begins.
  cursor TEXT,
  -- JSON.
  counts TEXT NOT NULL,
  notes TEXT NOT NULL,
  PRIMARY KEY (source_no, run_no)
);

-- Pages and files in which links stand. A long list is divided into parts, each with a row. Their numbers are from the
-- series of links, so that an occurrence names what it leads to by one number: a link, or a page of the same source.
CREATE TABLE source_pages (
  no BIGINT PRIMARY KEY,
  source_no BIGINT NOT NULL,
  url TEXT NOT NULL,
  -- By which the page is known, and its part; '' for a whole page.
  url_key TEXT NOT NULL,
  part TEXT NOT NULL,
  -- The number of lines before the part: the lines of its occurrences count from there.
  line_offset BIGINT NOT NULL,
  title TEXT,
  state TEXT NOT NULL,
  depth BIGINT NOT NULL,
  -- The last run that met it, and the last that wanted to read it.
  seen_run BIGINT NOT NULL,
  wanted_run BIGINT NOT NULL,
  status_code BIGINT,
  reason TEXT,
  etag TEXT,
  last_modified TEXT,
  -- Of what stood on it when it was read last.
  list_hash TEXT,
  -- Hashes of its ids and names.
  anchors TEXT,
  -- The link to this page, if it is one.
  link_no BIGINT,
  places BIGINT NOT NULL,
  -- How many of its places were no longer found; with `is_gone`, all of them.
  flagged BIGINT NOT NULL,
  is_gone BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  read_at BIGINT,
  UNIQUE (source_no, url_key, part)
);
CREATE INDEX source_pages_by_source ON source_pages (source_no, no);
CREATE INDEX source_pages_waiting ON source_pages (source_no, depth, no) WHERE state = 'waiting';
CREATE INDEX source_pages_flagged ON source_pages (source_no, no) WHERE flagged > 0;
CREATE INDEX source_pages_by_link ON source_pages (link_no) WHERE link_no IS NOT NULL;

CREATE TABLE occurrences (
  page_no BIGINT NOT NULL,
  -- A link, or a page.
  target_no BIGINT NOT NULL,
  -- Counts the places of the target on the page.
  place BIGINT NOT NULL,
  line BIGINT,
  col BIGINT,
  -- An index of the kinds of elements.
  element BIGINT NOT NULL,
  text TEXT,
  fragment TEXT,
  is_fragment_missing BIGINT NOT NULL,
  -- The run that no longer found it.
  flagged_run BIGINT,
  PRIMARY KEY (page_no, target_no, place)
) /* WITHOUT ROWID */;
CREATE INDEX occurrences_by_target ON occurrences (target_no, page_no);

-- Which source has which link, and in how many places. Without a place it is missing.
CREATE TABLE source_links (
  source_no BIGINT NOT NULL,
  link_no BIGINT NOT NULL,
  places BIGINT NOT NULL,
  -- Complete runs that did not find it, and since when.
  missing_runs BIGINT NOT NULL,
  missing_at BIGINT,
  PRIMARY KEY (source_no, link_no)
) /* WITHOUT ROWID */;
CREATE INDEX source_links_by_link ON source_links (link_no, source_no);
CREATE INDEX source_links_missing ON source_links (source_no, link_no) WHERE places = 0;

-- Links that have left their sources stay as rows that are retired, and come back when they are found or created again.
CREATE VIEW watched_links AS SELECT * FROM links WHERE retired_at = 0;
