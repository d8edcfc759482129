-- Each node claims what is due in its own buckets.
CREATE INDEX links_due ON links (bucket, next_check_at) WHERE retired_at = 0;
-- Checks that a user requested are done first.
CREATE INDEX links_asked ON links (bucket, next_check_at) WHERE next_trigger = 'manual' AND retired_at = 0;

-- For searching URLs. Without the right to create extensions, or without pg_trgm, search works but is slower.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX links_by_text ON links USING gin (lower(url) gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
  RAISE NOTICE 'pg_trgm cannot be used: %', SQLERRM;
END $$;

-- Partitioned by month, since dropping a partition costs less than deleting its rows. The program creates the
-- partitions ahead of time, for example checks_2026_11.
CREATE TABLE checks (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  -- A link has at most one check per millisecond.
  checked_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL,
  kind_no BIGINT NOT NULL,
  response_time_ms BIGINT,
  -- The group of the link at that time.
  group_no BIGINT,
  -- Empty if it is the link's own URL.
  final_url TEXT,
  -- JSON, stored for checks that changed the status.
  evidence TEXT,
  PRIMARY KEY (account_no, checked_at, link_no)
) PARTITION BY RANGE (checked_at);
CREATE INDEX checks_by_link ON checks (link_no, checked_at);
-- Rows of times without a partition, for example from a wrong clock.
CREATE TABLE checks_rest PARTITION OF checks DEFAULT;

-- The last check of each account whose hours are already in the days of its link, until its partition is dropped.
CREATE TABLE written_down (
  account_no BIGINT PRIMARY KEY REFERENCES accounts (no) ON DELETE CASCADE,
  checked_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL
);

-- Adds `n` to the counts of the account and of the group that the link is in.
CREATE FUNCTION count_link(link links, n BIGINT) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts
  SELECT subject, link.no / 1000, CASE WHEN link.status = 'active' THEN n ELSE 0 END,
    CASE WHEN link.status = 'dead' THEN n ELSE 0 END, CASE WHEN link.status = 'unknown' THEN n ELSE 0 END
  FROM (SELECT link.account_no AS subject UNION ALL SELECT no FROM groups WHERE id = link.group_id) AS subjects
  ORDER BY subject
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown;
$$;

CREATE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM count_link(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM count_link(NEW, 1); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER links_count_rows AFTER INSERT OR DELETE ON links
FOR EACH ROW EXECUTE FUNCTION count_links();

CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION count_links();

CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.created_at < (SELECT forget_before FROM audit_retention) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit entries are not changed, and kept for a year';
END $$;

CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit
FOR EACH ROW EXECUTE FUNCTION keep_audit();

-- Rate limits by caller, with the time of the latest request and by how much that is ahead of the clock, which happens
-- when the clock is set back. The row is the lock for counting requests. Unlogged: after a database crash the windows
-- start again.
CREATE UNLOGGED TABLE rate_callers (
  caller TEXT PRIMARY KEY,
  last_at BIGINT NOT NULL,
  ahead BIGINT NOT NULL
) WITH (fillfactor = 50);
-- Requests counted at one time, with the number of the first.
CREATE UNLOGGED TABLE rate_moments (
  caller TEXT NOT NULL,
  counted_at BIGINT NOT NULL,
  n BIGINT NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (caller, counted_at, n)
);

-- Grants as many of the wanted requests as both rolling windows have room for; a limit of 0 means no limit. Returns
-- what was used before, and in how many milliseconds the first of that leaves its window. Requests are numbered, so only
-- the ends of the windows are read. The clocks of two nodes may differ a little: a time up to 10 s early counts as the
-- latest one. A clock that is set back further continues from there.
CREATE FUNCTION take_requests(who TEXT, moment BIGINT, wanted BIGINT, per_minute BIGINT, per_hour BIGINT)
RETURNS TABLE (taken BIGINT, minute_used BIGINT, minute_reset BIGINT, hour_used BIGINT, hour_reset BIGINT)
LANGUAGE plpgsql AS $$
DECLARE
  present BIGINT;
  head BIGINT;
BEGIN
  INSERT INTO rate_callers AS known (caller, last_at, ahead) VALUES (who, moment, 0)
  ON CONFLICT (caller) DO UPDATE SET
    last_at = greatest(known.last_at, moment + known.ahead),
    ahead = CASE WHEN moment + known.ahead < known.last_at - 10000
      THEN known.last_at - moment ELSE known.ahead END
  RETURNING known.last_at INTO present;
  DELETE FROM rate_moments WHERE caller = who
    AND counted_at <= present - CASE WHEN per_hour > 0 THEN 3600000 ELSE 60000 END;
  SELECT n + requests INTO head FROM rate_moments
    WHERE caller = who ORDER BY counted_at DESC, n DESC LIMIT 1;
  SELECT head - n, counted_at + 60000 - present INTO minute_used, minute_reset FROM rate_moments
    WHERE caller = who AND counted_at > present - 60000 ORDER BY counted_at, n LIMIT 1;
  SELECT head - n, counted_at + 3600000 - present INTO hour_used, hour_reset FROM rate_moments
    WHERE caller = who AND counted_at > present - 3600000 ORDER BY counted_at, n LIMIT 1;
  head := coalesce(head, 0);
  minute_used := coalesce(minute_used, 0);
  hour_used := coalesce(hour_used, 0);
  taken := greatest(0, least(
    wanted,
    CASE WHEN per_minute > 0 THEN per_minute - minute_used ELSE wanted END,
    CASE WHEN per_hour > 0 THEN per_hour - hour_used ELSE wanted END
  ));
  IF taken > 0 THEN
    INSERT INTO rate_moments (caller, counted_at, n, requests) VALUES (who, present, head, taken);
  END IF;
  RETURN NEXT;
END $$;
