-- Runs next to 0.1.0

-- What people decide about links, what they note about them, and how they have them checked.

-- `open`, `acknowledged` or `muted`. A copy of `link_details.handling`, for the counts and the index below.
ALTER TABLE links ADD COLUMN handling TEXT NOT NULL DEFAULT 'open';
CREATE INDEX links_to_handle ON links (account_no, handling, status_changed_at, no)
WHERE status = 'dead' AND retired_at = 0;
CREATE INDEX links_open_by_cause ON links (account_no, site, reason, no, status_changed_at)
WHERE status = 'dead' AND handling = 'open' AND retired_at = 0;
-- Dead links that are not open.
ALTER TABLE link_counts ADD COLUMN handled BIGINT NOT NULL DEFAULT 0;

-- The tables about a link do not refer to it: their rows are deleted with it, but may outlive its row in `links`.

-- What people noted and decided about a link. A link without a row is as new. What is NULL was not said.
CREATE TABLE link_details (
  link_no BIGINT PRIMARY KEY,
  account_no BIGINT NOT NULL,
  title TEXT,
  note TEXT,
  external_id TEXT,
  -- The one that the link had when it was retired, and that others may have by now.
  retired_external_id TEXT,
  assignee_id TEXT,
  handling TEXT NOT NULL DEFAULT 'open',
  handled_at BIGINT,
  -- The address of the person or the name of the key.
  handled_by TEXT,
  muted_until BIGINT,
  -- `group` or `site` if it is muted with that, NULL if it is muted itself.
  muted_from TEXT,
  -- When the link died while it was muted, so that people did not hear of it.
  silent_death_at BIGINT,
  -- Five fields, and the IANA time zone they are in.
  cron TEXT,
  time_zone TEXT,
  -- JSON: texts by their keys.
  metadata TEXT,
  override_until BIGINT,
  -- JSON: who said that the link works, when and why, and what was overruled.
  override TEXT,
  -- JSON: what the response must be like.
  expect TEXT,
  -- Whether it stays when its sources no longer have it.
  is_pinned BIGINT NOT NULL DEFAULT 1,
  -- How many sources have it, and in how many places. Its sources count them here, where they also read whether it stays.
  sources BIGINT NOT NULL DEFAULT 0,
  places BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX link_details_by_external_id ON link_details (account_no, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX link_details_by_assignee ON link_details (assignee_id, link_no) WHERE assignee_id IS NOT NULL;
CREATE INDEX link_mutes ON link_details (muted_until) WHERE muted_until IS NOT NULL;
CREATE INDEX link_overrides ON link_details (account_no, override_until, link_no) WHERE override_until IS NOT NULL;
CREATE INDEX link_schedules ON link_details (link_no) WHERE cron IS NOT NULL;
CREATE INDEX links_in_sources ON link_details (account_no, link_no) WHERE sources > 0;

ALTER TABLE groups ADD COLUMN cron TEXT;
ALTER TABLE groups ADD COLUMN time_zone TEXT;

-- Their numbers are from the same series as those of links and groups: `link_counts` has counts for each.
CREATE TABLE tags (
  no BIGINT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE (account_id, name)
);
CREATE TABLE link_tags (
  tag_no BIGINT NOT NULL,
  link_no BIGINT NOT NULL,
  PRIMARY KEY (tag_no, link_no)
) /* WITHOUT ROWID */;
CREATE INDEX link_tags_by_link ON link_tags (link_no, tag_no);

-- The earlier URLs of a link, each with the time when it was replaced.
CREATE TABLE link_urls (
  link_no BIGINT NOT NULL,
  until BIGINT NOT NULL,
  url TEXT NOT NULL,
  changed_by TEXT,
  PRIMARY KEY (link_no, until)
) /* WITHOUT ROWID */;

-- What people did to a link, and what of it ended without them: then `actor` is NULL.
CREATE TABLE link_actions (
  link_no BIGINT NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT,
  detail TEXT,
  PRIMARY KEY (link_no, at, kind)
) /* WITHOUT ROWID */;

-- What is sent to a host with checks.
CREATE TABLE host_settings (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- A name, or `*.` and a domain.
  host TEXT NOT NULL,
  -- JSON, sealed: the values of headers, and the credentials.
  sealed TEXT NOT NULL,
  user_agent TEXT,
  allow_http BIGINT NOT NULL,
  -- Counts the changes.
  version BIGINT NOT NULL,
  last_success_at BIGINT,
  failing_since BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (account_id, host)
);

-- Groups and sites that are muted. Their links are muted with them, see `link_details.muted_from`.
CREATE TABLE mutes (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  -- `group` or `site`.
  kind TEXT NOT NULL,
  -- The id of the group, or the name of the site.
  subject TEXT NOT NULL,
  until BIGINT NOT NULL,
  muted_at BIGINT NOT NULL,
  -- The address of the person or the name of the key.
  muted_by TEXT NOT NULL,
  PRIMARY KEY (account_no, kind, subject)
) /* WITHOUT ROWID */;
CREATE INDEX mutes_by_end ON mutes (until);

-- Saved filters of the list of links.
CREATE TABLE views (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- NULL if everyone in the account has it.
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- JSON: the parameters of the list.
  filter TEXT NOT NULL,
  sort TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX views_by_account ON views (account_id, created_at, id);

-- JSON: the conditions on the links of a batch that have no column.
ALTER TABLE batches ADD COLUMN filter_more TEXT;

-- In `webhook_filters`, `field` may also be `tag`, whose bit in `webhooks.filters` is 8.
