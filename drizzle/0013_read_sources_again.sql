-- Runs next to 0.1.0

-- The readers find other links than before, also in documents that have not changed: the next run reads them in full, as
-- after a change of the source.
UPDATE sources SET updated_at = (
  SELECT max(queued_at) + 1 FROM source_runs WHERE source_no = sources.no
) WHERE EXISTS (SELECT 1 FROM source_runs WHERE source_no = sources.no AND queued_at >= sources.updated_at);
