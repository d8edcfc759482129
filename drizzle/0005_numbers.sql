-- Accounts, groups and links share one row of numbers, by which history and counts name them: a number
-- takes a tenth of the room of an id. Links are numbered in the order in which they were made.
CREATE TABLE numbers (
  id BIGINT PRIMARY KEY,
  next BIGINT NOT NULL
);

ALTER TABLE accounts ADD COLUMN no BIGINT NOT NULL DEFAULT 0;
-- Checks before this moment are gone, or are just being deleted.
ALTER TABLE accounts ADD COLUMN history_since BIGINT NOT NULL DEFAULT 0;
UPDATE accounts SET no = counted.n
FROM (SELECT id AS of, row_number() OVER (ORDER BY created_at, id) AS n FROM accounts) AS counted
WHERE id = counted.of;
CREATE UNIQUE INDEX accounts_by_no ON accounts (no);

ALTER TABLE groups ADD COLUMN no BIGINT NOT NULL DEFAULT 0;
UPDATE groups SET no = counted.n
FROM (
  SELECT id AS of, (SELECT count(*) FROM accounts) + row_number() OVER (ORDER BY created_at, id) AS n FROM groups
) AS counted
WHERE id = counted.of;
CREATE UNIQUE INDEX groups_by_no ON groups (no);

CREATE TABLE numbered_links (
  no BIGINT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  group_id TEXT REFERENCES groups (id) ON DELETE SET NULL,
  batch_id TEXT REFERENCES batches (id) ON DELETE SET NULL,
  url TEXT NOT NULL,
  -- What makes two links the same: the URL as it goes to the server.
  url_key TEXT NOT NULL,
  service TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  status_changed_at BIGINT NOT NULL,
  -- The last status that was active or dead, and why. Events are told against it.
  decided_status TEXT,
  decided_reason TEXT,
  last_active_at BIGINT,
  inconclusive_checks BIGINT NOT NULL,
  unconfirmed_since BIGINT,
  flapping_until BIGINT,
  -- The same failure again and again: what kind, since when and in how many checks.
  failing_class TEXT,
  failing_since BIGINT,
  failing_checks BIGINT,
  check_frequency TEXT NOT NULL,
  next_check_at BIGINT NOT NULL,
  next_trigger TEXT NOT NULL,
  -- While a check is under way: shown as "checking" until then, whatever becomes of the checker.
  checking_until BIGINT,
  lease TEXT,
  last_status TEXT,
  last_reason TEXT,
  -- What the last check saw behind its reason, where the reason does not tell it.
  last_cause TEXT,
  last_status_code BIGINT,
  last_response_time_ms BIGINT,
  last_checked_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- JSON, read for one link only. Last, so that lists never touch its pages.
  evidence TEXT,
  UNIQUE (account_id, url_key)
);
INSERT INTO numbered_links
SELECT
  (SELECT count(*) FROM accounts) + (SELECT count(*) FROM groups) + row_number() OVER (ORDER BY l.created_at, l.id),
  l.id, l.account_id, a.no, l.group_id, l.batch_id, l.url, l.url_key, l.service, l.status, l.reason,
  l.status_changed_at, l.decided_status, l.decided_reason, l.last_active_at, l.inconclusive_checks,
  l.unconfirmed_since, l.flapping_until, l.failing_class, l.failing_since, l.failing_checks,
  l.check_frequency, l.next_check_at, l.next_trigger, l.checking_until, l.lease, l.last_status,
  l.last_reason, l.last_cause, l.last_status_code, l.last_response_time_ms, l.last_checked_at,
  l.created_at, l.updated_at, l.evidence
FROM links l JOIN accounts a ON a.id = l.account_id;

INSERT INTO numbers
SELECT 1, 1 + (SELECT count(*) FROM accounts) + (SELECT count(*) FROM groups) + (SELECT count(*) FROM links);

-- What checks have in common, each combination once: a check names it by its number.
CREATE TABLE check_kinds (
  no BIGINT PRIMARY KEY,
  status TEXT NOT NULL,
  previous_status TEXT NOT NULL,
  status_changed BIGINT NOT NULL,
  status_code BIGINT,
  reason TEXT NOT NULL,
  cause TEXT,
  trigger_kind TEXT NOT NULL,
  redirect_count BIGINT NOT NULL,
  -- All of it in one, to be found by.
  code TEXT NOT NULL UNIQUE
);

-- In the order in which an account's history is read, so that new ones are written side by side.
CREATE TABLE numbered_checks (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  -- A link has one check a millisecond at most.
  checked_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL,
  kind_no BIGINT NOT NULL,
  response_time_ms BIGINT,
  -- The group that the link was in.
  group_no BIGINT,
  -- Empty where it is the link's own URL.
  final_url TEXT,
  -- JSON, kept for checks that changed the status.
  evidence TEXT,
  PRIMARY KEY (account_no, checked_at, link_no)
) /* WITHOUT ROWID */;

INSERT INTO check_kinds
SELECT row_number() OVER (ORDER BY code), status, previous_status, status_changed, status_code, reason, cause,
  trigger_kind, redirect_count, code
FROM (
  SELECT DISTINCT status, previous_status, status_changed, status_code, reason, cause, trigger_kind, redirect_count,
    status || '|' || previous_status || '|' || status_changed || '|' || coalesce(CAST(status_code AS TEXT), '')
      || '|' || reason || '|' || coalesce(cause, '') || '|' || trigger_kind || '|' || redirect_count AS code
  FROM checks
) AS kinds;

INSERT INTO numbered_checks
SELECT l.account_no, c.checked_at, l.no, k.no, c.response_time_ms, g.no,
  CASE WHEN c.final_url = l.url THEN '' ELSE c.final_url END, c.evidence
FROM checks c
JOIN numbered_links l ON l.id = c.link_id
LEFT JOIN groups g ON g.id = l.group_id
JOIN check_kinds k ON k.code = c.status || '|' || c.previous_status || '|' || c.status_changed || '|'
  || coalesce(CAST(c.status_code AS TEXT), '') || '|' || c.reason || '|' || coalesce(c.cause, '') || '|'
  || c.trigger_kind || '|' || c.redirect_count
WHERE true
ON CONFLICT DO NOTHING;

DROP TABLE checks;
DROP TABLE links;
ALTER TABLE numbered_links RENAME TO links;
ALTER TABLE numbered_checks RENAME TO checks;

CREATE INDEX links_by_account ON links (account_no, no);
CREATE INDEX links_by_status ON links (account_no, status, no);
CREATE INDEX links_by_service ON links (account_no, service, no);
CREATE INDEX links_by_group ON links (group_id, no);
CREATE INDEX links_by_batch ON links (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX links_due ON links (next_check_at);
CREATE INDEX links_checking ON links (account_no, checking_until) WHERE checking_until IS NOT NULL;
-- What somebody asked for by hand goes first.
CREATE INDEX links_asked ON links (next_check_at) WHERE next_trigger = 'manual';
CREATE INDEX checks_by_link ON checks (link_no, checked_at);

-- How many links an account or a group has by settled status, in parts of a thousand numbers: their sum
-- is the total, and they lead to any page of a list. Kept by triggers.
DROP TABLE link_counts;
CREATE TABLE link_counts (
  -- The number of the account or the group.
  subject BIGINT NOT NULL,
  -- Thousands of the links' numbers.
  part BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  PRIMARY KEY (subject, part)
) /* WITHOUT ROWID */;
INSERT INTO link_counts
SELECT subject, part, sum(active), sum(dead), sum(unknown)
FROM (
  SELECT s.subject, s.no / 1000 AS part,
    CASE WHEN s.status = 'active' THEN 1 ELSE 0 END AS active,
    CASE WHEN s.status = 'dead' THEN 1 ELSE 0 END AS dead,
    CASE WHEN s.status = 'unknown' THEN 1 ELSE 0 END AS unknown
  FROM (
    SELECT account_no AS subject, no, status FROM links
    UNION ALL
    SELECT g.no, l.no, l.status FROM links l JOIN groups g ON g.id = l.group_id
  ) AS s
) AS counted
GROUP BY subject, part;

-- What the checks of an account, of a group or of a link came to, by hour and by day (UTC). Checks go after
-- their time; this stays. The average time to answer is total_ms / answered.
CREATE TABLE history_hours (
  -- The number of the account or the group. Of links, the days tell the hours.
  subject BIGINT NOT NULL,
  -- The start of the hour. An account's busy hour has more parts of about a thousand checks each, which
  -- begin within it: they lead to any page of the history.
  since BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  answered BIGINT NOT NULL,
  total_ms BIGINT NOT NULL,
  PRIMARY KEY (subject, since)
) /* WITHOUT ROWID */;

CREATE TABLE history_days (
  -- The number of the account, the group or the link.
  subject BIGINT NOT NULL,
  -- Days since 1970.
  day BIGINT NOT NULL,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  answered BIGINT NOT NULL,
  total_ms BIGINT NOT NULL,
  -- A link's checks of the day by hour, written down when they go.
  hours TEXT,
  PRIMARY KEY (subject, day)
) /* WITHOUT ROWID */;

INSERT INTO history_hours
SELECT subject, hour * 3600000, sum(active), sum(dead), sum(unknown), sum(changes), count(ms), coalesce(sum(ms), 0)
FROM (
  SELECT s.subject, s.checked_at / 3600000 AS hour, k.status_changed AS changes, s.response_time_ms AS ms,
    CASE WHEN k.status = 'active' THEN 1 ELSE 0 END AS active,
    CASE WHEN k.status = 'dead' THEN 1 ELSE 0 END AS dead,
    CASE WHEN k.status = 'unknown' THEN 1 ELSE 0 END AS unknown
  FROM (
    SELECT account_no AS subject, checked_at, kind_no, response_time_ms FROM checks
    UNION ALL
    SELECT group_no, checked_at, kind_no, response_time_ms FROM checks WHERE group_no IS NOT NULL
  ) AS s JOIN check_kinds k ON k.no = s.kind_no
) AS counted
GROUP BY subject, hour;

INSERT INTO history_days
SELECT subject, day, sum(active), sum(dead), sum(unknown), sum(changes), count(ms), coalesce(sum(ms), 0), NULL
FROM (
  SELECT s.subject, s.checked_at / 86400000 AS day, k.status_changed AS changes, s.response_time_ms AS ms,
    CASE WHEN k.status = 'active' THEN 1 ELSE 0 END AS active,
    CASE WHEN k.status = 'dead' THEN 1 ELSE 0 END AS dead,
    CASE WHEN k.status = 'unknown' THEN 1 ELSE 0 END AS unknown
  FROM (
    SELECT account_no AS subject, checked_at, kind_no, response_time_ms FROM checks
    UNION ALL
    SELECT group_no, checked_at, kind_no, response_time_ms FROM checks WHERE group_no IS NOT NULL
    UNION ALL
    SELECT link_no, checked_at, kind_no, response_time_ms FROM checks
  ) AS s JOIN check_kinds k ON k.no = s.kind_no
) AS counted
GROUP BY subject, day;

-- Links and groups that are gone, and whose history is still to go, step by step.
CREATE TABLE doomed (
  no BIGINT PRIMARY KEY,
  -- Of a link, so that what is left of its history can be shown until then.
  id TEXT,
  url TEXT
);
