-- Runs beside 0.1.0
-- History in parts, each of which goes whole once it is old. Those of months are made ahead by the program,
-- checks_2026_11 for one. What is there stays where it is, as the part of all time up to the end of this month.
ALTER TABLE checks RENAME TO checks_past;
CREATE TABLE checks (
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
) PARTITION BY RANGE (checked_at);
ALTER INDEX checks_by_link RENAME TO checks_past_by_link;
CREATE INDEX checks_by_link ON checks (link_no, checked_at);
-- Of moments that no part was made for, such as those of a clock that is off.
CREATE TABLE checks_rest PARTITION OF checks DEFAULT;

DO $$
DECLARE
  ends BIGINT := extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') * 1000;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM checks_past) THEN
    DROP TABLE checks_past;
    RETURN;
  END IF;
  -- By account, since that is how the key begins.
  WITH odd AS (
    DELETE FROM checks_past USING accounts
    WHERE checks_past.account_no = accounts.no AND checked_at >= ends RETURNING checks_past.*
  )
  INSERT INTO checks_rest SELECT * FROM odd;
  -- Looks through all of it once, and copies nothing.
  EXECUTE format('ALTER TABLE checks ATTACH PARTITION checks_past FOR VALUES FROM (MINVALUE) TO (%s)', ends);
END $$;

-- The last check of each account whose hours are in the days of its link already, while it waits for its part
-- to go.
CREATE TABLE written_down (
  account_no BIGINT PRIMARY KEY REFERENCES accounts (no) ON DELETE CASCADE,
  checked_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL
);
