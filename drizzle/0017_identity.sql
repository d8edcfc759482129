-- Runs next to 0.1.0

-- What is remembered of the page of an active link, to tell later whether it is still the same.
CREATE TABLE page_memories (
  link_no BIGINT PRIMARY KEY REFERENCES links (no) ON DELETE CASCADE,
  account_no BIGINT NOT NULL,
  state TEXT NOT NULL,
  -- Raised by each change, so that a check compares with what it was claimed with.
  version BIGINT NOT NULL,
  -- When the page was first seen, or last accepted.
  since BIGINT NOT NULL,
  -- NULL while there is too little to compare.
  title TEXT,
  language TEXT,
  script TEXT,
  print TEXT,
  -- Of the last comparison. NULL: as remembered.
  title_now TEXT,
  language_now TEXT,
  script_now TEXT,
  print_now TEXT,
  first_title TEXT,
  text_hash BIGINT,
  compared_at BIGINT NOT NULL,
  -- Where the link leads. NULL: to its own URL.
  way TEXT,
  way_since BIGINT,
  is_way_permanent BIGINT,
  -- JSON, each NULL if empty: domains, names of parameters, what is doubted, what was reported.
  domains TEXT,
  kept TEXT,
  doubts TEXT,
  past TEXT,
  -- When the page was first seen to show something else, of the doubts that are open.
  other_since BIGINT
) /* WITHOUT ROWID */;
CREATE INDEX page_memories_to_show ON page_memories (account_no, state, link_no) WHERE state IN ('doubted', 'changed', 'lost');
