-- Runs next to 0.1.0

-- JSON: what the page of a link should have, from its own URL and from where the link stands, and what checks know of it.
ALTER TABLE link_details ADD COLUMN fragments TEXT;
-- How many of them were found once and are missing.
ALTER TABLE link_details ADD COLUMN missing_fragments BIGINT NOT NULL DEFAULT 0;
CREATE INDEX links_missing_fragments ON link_details (account_no, link_no) WHERE missing_fragments > 0;
