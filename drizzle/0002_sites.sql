-- Runs next to 0.1.0

-- Sites, days and changes, for the dashboard. Only a change of a link's status, its creation and its deletion write here.

-- The registrable domain of the URL, with private suffixes such as github.io; the host itself where there is none. Empty
-- until links of an earlier version are classified again.
ALTER TABLE links ADD COLUMN site TEXT NOT NULL DEFAULT '';
-- When the certificate of the link's host expires, as its last check saw it.
ALTER TABLE links ADD COLUMN tls_expires_at BIGINT;
CREATE INDEX links_by_site ON links (account_no, site, no) WHERE retired_at = 0;
-- Links by cause, but for most of those that are alive and those that were never checked, which have no reason.
CREATE INDEX links_by_cause ON links (account_no, status, site, reason, no, status_changed_at)
WHERE reason <> 'ok' AND retired_at = 0;

-- The links of each site by settled status. Maintained by triggers.
CREATE TABLE sites (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  site TEXT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  links BIGINT NOT NULL,
  PRIMARY KEY (account_no, site)
) /* WITHOUT ROWID */;
CREATE INDEX sites_by_dead ON sites (account_no, dead DESC, site);

-- The links of each host, with its port unless that is the default. Maintained by triggers.
CREATE TABLE site_hosts (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  site TEXT NOT NULL,
  host TEXT NOT NULL,
  links BIGINT NOT NULL,
  -- When its certificate expires, as the last check of one of its links saw it; for how many milliseconds it is valid in
  -- all, and how often its expiry was reported.
  tls_expires_at BIGINT,
  tls_lifetime_ms BIGINT,
  tls_reported BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_no, site, host)
) /* WITHOUT ROWID */;
CREATE INDEX site_hosts_by_expiry ON site_hosts (account_no, tls_expires_at) WHERE tls_expires_at IS NOT NULL;

-- Days (UTC) of an account (group_no 0, site ''), of its groups (site '') and of its sites (group_no 0).
CREATE TABLE status_days (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  group_no BIGINT NOT NULL,
  site TEXT NOT NULL,
  -- Days since 1970.
  day BIGINT NOT NULL,
  -- Links at the end of the day. NULL for an account or a group until the day is closed. A day without a row is like the
  -- one before.
  active BIGINT,
  dead BIGINT,
  unknown BIGINT,
  -- Changes of status on that day, without first verdicts.
  died BIGINT NOT NULL,
  came_back BIGINT NOT NULL,
  became_unknown BIGINT NOT NULL,
  -- Dead links that came back on that day, by how long they were dead: less than 15 minutes, 30 minutes, an hour and so
  -- on, each twice as long as the one before; the last has no end.
  back_0 BIGINT NOT NULL, back_1 BIGINT NOT NULL, back_2 BIGINT NOT NULL, back_3 BIGINT NOT NULL,
  back_4 BIGINT NOT NULL, back_5 BIGINT NOT NULL, back_6 BIGINT NOT NULL, back_7 BIGINT NOT NULL,
  back_8 BIGINT NOT NULL, back_9 BIGINT NOT NULL, back_10 BIGINT NOT NULL, back_11 BIGINT NOT NULL,
  back_12 BIGINT NOT NULL, back_13 BIGINT NOT NULL, back_14 BIGINT NOT NULL, back_15 BIGINT NOT NULL,
  PRIMARY KEY (account_no, group_no, site, day)
) /* WITHOUT ROWID */;
CREATE INDEX status_days_open ON status_days (account_no, group_no, day) WHERE active IS NULL;
-- Those of sites are deleted with the history; those of accounts and groups stay, like other roll-ups.
CREATE INDEX status_days_of_sites ON status_days (day) WHERE site <> '';

-- One row for each change of a link's status, without first verdicts, and for each link that starts to redirect. Deleted
-- with the history.
CREATE TABLE changes (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  changed_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL REFERENCES links (no) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- The group of the link at that time.
  group_no BIGINT,
  site TEXT NOT NULL,
  -- The status before, and for how long, in milliseconds. For a link that came back: how long it was dead, if it was.
  previous_status TEXT NOT NULL,
  lasted_ms BIGINT NOT NULL,
  reason TEXT NOT NULL,
  cause TEXT,
  -- Where the link redirects to, if it moved.
  final_url TEXT,
  PRIMARY KEY (account_no, changed_at, link_no)
) /* WITHOUT ROWID */;
CREATE INDEX changes_by_link ON changes (link_no, changed_at);
CREATE INDEX changes_by_site ON changes (account_no, site, changed_at);
CREATE INDEX changes_by_group ON changes (group_no, changed_at) WHERE group_no IS NOT NULL;
-- The kinds that are too rare to be found among the others.
CREATE INDEX changes_by_kind ON changes (account_no, kind, changed_at)
WHERE kind NOT IN ('died', 'came_back', 'became_unknown');

-- When each person last used the dashboard, and when the visit before that one ended: NULL on the first visit.
CREATE TABLE visits (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  seen_at BIGINT NOT NULL,
  previous_ended_at BIGINT
);

-- Further conditions on the links of a batch.
ALTER TABLE batches ADD COLUMN filter_site TEXT;
ALTER TABLE batches ADD COLUMN filter_reason TEXT;

-- The events of all webhooks of an account, newest first.
CREATE INDEX events_by_account ON events (account_id, created_at, id);
