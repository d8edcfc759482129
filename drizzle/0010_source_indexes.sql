-- Runs next to 0.1.0

-- It contains all columns that are read: SQLite would rather scan the table than use an index and look up each row.
DROP INDEX source_links_missing;
CREATE INDEX source_links_missing ON source_links (source_no, link_no, missing_runs, missing_at) WHERE places = 0;

-- The list of pages skips earlier pages without reading their rows.
DROP INDEX source_pages_by_source;
CREATE INDEX source_pages_by_source ON source_pages (source_no, no, part, url_key);
