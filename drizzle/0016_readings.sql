-- Runs next to 0.1.0

-- What the last full reading of an active link's page was like, to find out whether it has changed since. Hashes are
-- whole numbers of 53 bits.
CREATE TABLE link_readings (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  -- When the evidence of the link was seen.
  judged_at BIGINT NOT NULL,
  -- When the page was read in full, and how often its server has said since that it is unchanged.
  read_at BIGINT NOT NULL,
  not_modified BIGINT NOT NULL,
  -- Of the rules; of redirects, final URL and certificate; of status, headers and body.
  rules BIGINT NOT NULL,
  path BIGINT NOT NULL,
  content BIGINT NOT NULL,
  -- NULL: that of the link.
  final_url TEXT,
  redirect_count BIGINT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  -- 1: its server answered in full when it was sent a validator that was made up.
  is_proven BIGINT NOT NULL,
  -- Its server is not asked before. NULL: it may be.
  barred_until BIGINT
);
