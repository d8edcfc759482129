-- Runs next to 0.1.0

-- Responses to the last checks, to show them and to compare a dead page with the one that was alive.

-- Identify the responses that are stored, so that the same ones are not written again. NULL if there is none.
ALTER TABLE links ADD COLUMN alive_response BIGINT;
ALTER TABLE links ADD COLUMN dead_response BIGINT;

-- The response to the last check that found a link alive, and to the last that found it dead: one of each, replaced when
-- the status code, the final URL or the title differs.
CREATE TABLE link_responses (
  link_no BIGINT NOT NULL REFERENCES links (no) ON DELETE CASCADE,
  -- `active` or `dead`.
  kind TEXT NOT NULL,
  checked_at BIGINT NOT NULL,
  reason TEXT NOT NULL,
  status_code BIGINT NOT NULL,
  final_url TEXT NOT NULL,
  title TEXT,
  -- The number of words of the page.
  words BIGINT,
  -- Headers and the beginning of the page: JSON, deflated, in base64.
  content TEXT NOT NULL,
  PRIMARY KEY (link_no, kind)
);
