-- Runs next to 0.1.0

-- Whether the page asks not to follow the link. What only such places lead to is not a page of the source.
ALTER TABLE occurrences ADD COLUMN is_nofollow BIGINT NOT NULL DEFAULT 0;
