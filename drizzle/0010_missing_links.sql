-- Runs next to 0.1.0

-- With all that is asked of it: SQLite reads the whole table rather than an index that needs its rows too.
DROP INDEX source_links_missing;
CREATE INDEX source_links_missing ON source_links (source_no, link_no, missing_runs, missing_at) WHERE places = 0;
