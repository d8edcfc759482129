-- A batch is links whose next checks are counted together. A link may be in several at once, and leaves them
-- all when its check has settled or when it is deleted.
CREATE TABLE batch_links (
  link_no BIGINT NOT NULL REFERENCES links (no) ON DELETE CASCADE,
  -- Refers to nothing, so that a batch goes without a search for links that it does not have any more.
  batch_id TEXT NOT NULL,
  PRIMARY KEY (link_no, batch_id)
) /* WITHOUT ROWID */;
INSERT INTO batch_links SELECT no, batch_id FROM links WHERE batch_id IS NOT NULL;
DROP INDEX links_by_batch;
ALTER TABLE links DROP COLUMN batch_id;

-- Which links are to join; NULL is any.
ALTER TABLE batches ADD COLUMN filter_group_id TEXT;
ALTER TABLE batches ADD COLUMN filter_status TEXT;
-- Links with numbers up to this one have joined where they fit; NULL once all have, up to the last number.
ALTER TABLE batches ADD COLUMN filled_to BIGINT;
ALTER TABLE batches ADD COLUMN last_no BIGINT NOT NULL DEFAULT 0;
-- How many there were to be when it began. The total counts those that have joined.
ALTER TABLE batches ADD COLUMN expected BIGINT NOT NULL DEFAULT 0;
UPDATE batches SET expected = total;

DROP INDEX batches_open;
CREATE INDEX batches_by_account ON batches (account_id);
CREATE INDEX batches_running ON batches (account_id) WHERE completed_at IS NULL;
CREATE INDEX batches_by_event ON batches (completed_event_id) WHERE completed_event_id IS NOT NULL;
CREATE INDEX batches_by_age ON batches (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX batches_filling ON batches (started_at, id) WHERE filled_to IS NOT NULL;
-- Those that are complete and not told yet: looked for after every group of results.
CREATE INDEX batches_ended ON batches (id)
WHERE completed_at IS NULL AND filled_to IS NULL AND total = active + dead + unknown + skipped;
-- Those that wait for checks, by when they began: after two days they wait no more.
CREATE INDEX batches_overdue ON batches (started_at, id) WHERE completed_at IS NULL AND filled_to IS NULL;
