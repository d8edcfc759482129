-- Runs beside 0.1.0
-- Each node claims what is due of its own parts.
DROP INDEX links_due;
CREATE INDEX links_due ON links (bucket, next_check_at);
DROP INDEX links_asked;
CREATE INDEX links_asked ON links (bucket, next_check_at) WHERE next_trigger = 'manual';

-- Who asks, each with the moment of the latest request and by how much their time is ahead of the clock, which
-- happens when that is set back. The row is the lock under which their requests are counted. Not logged: after a
-- crash of the database, windows begin anew.
CREATE UNLOGGED TABLE rate_callers (
  caller TEXT PRIMARY KEY,
  last_at BIGINT NOT NULL,
  ahead BIGINT NOT NULL
) WITH (fillfactor = 50);
-- Requests that were counted at one moment, the first of them numbered.
CREATE UNLOGGED TABLE rate_moments (
  caller TEXT NOT NULL,
  counted_at BIGINT NOT NULL,
  n BIGINT NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (caller, counted_at, n)
);

-- Takes as many of the wanted requests as both rolling windows have room for; a limit of 0 is none. Tells what was
-- used before, and in how many milliseconds the first of that leaves its window. Numbers make the count: only the
-- ends of the windows are looked up. Clocks of two nodes may differ a little, so that a moment up to 10 s early
-- counts as the latest one; a clock that was set back further goes on from there.
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
