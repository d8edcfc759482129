-- Runs next to 0.1.0

-- With all that is asked of it: SQLite reads the whole table rather than an index that needs its rows too.
DROP INDEX source_links_missing;
CREATE INDEX source_links_missing ON source_links (source_no, link_no, missing_runs, missing_at) WHERE places = 0;

-- The list of pages skips those before it without reading them.
DROP INDEX source_pages_by_source;
CREATE INDEX source_pages_by_source ON source_pages (source_no, no, part, url_key);
