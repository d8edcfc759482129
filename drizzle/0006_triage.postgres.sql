-- Runs next to 0.1.0

-- The counts of a tag are kept like those of a group.

-- Takes a link off as it was, and adds it as it is; null where it was not there or is gone.
CREATE FUNCTION count_for(subjects BIGINT[], was links, is_now links) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT subject, coalesce(is_now.no, was.no) / 1000,
    CASE WHEN is_now.status = 'active' THEN 1 ELSE 0 END - CASE WHEN was.status = 'active' THEN 1 ELSE 0 END,
    CASE WHEN is_now.status = 'dead' THEN 1 ELSE 0 END - CASE WHEN was.status = 'dead' THEN 1 ELSE 0 END,
    CASE WHEN is_now.status = 'unknown' THEN 1 ELSE 0 END - CASE WHEN was.status = 'unknown' THEN 1 ELSE 0 END,
    CASE WHEN is_now.status = 'dead' AND is_now.handling <> 'open' THEN 1 ELSE 0 END
      - CASE WHEN was.status = 'dead' AND was.handling <> 'open' THEN 1 ELSE 0 END
  FROM unnest(subjects) AS subject ORDER BY subject
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
$$;

CREATE FUNCTION subjects_of(link links) RETURNS BIGINT[] LANGUAGE sql AS $$
  SELECT ARRAY(SELECT link.account_no UNION ALL SELECT no FROM groups WHERE id = link.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = link.no);
$$;

CREATE OR REPLACE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.group_id IS NOT DISTINCT FROM NEW.group_id THEN
    PERFORM count_for(subjects_of(NEW), OLD, NEW);
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN PERFORM count_for(subjects_of(OLD), OLD, NULL); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM count_for(subjects_of(NEW), NULL, NEW); END IF;
  RETURN NULL;
END $$;

DROP FUNCTION count_link(links, BIGINT);

DROP TRIGGER links_count_changes ON links;
CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id, handling ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.handling <> NEW.handling
  OR OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION count_links();

CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM count_for(ARRAY[OLD.tag_no], links, NULL) FROM links WHERE no = OLD.link_no;
  ELSE
    PERFORM count_for(ARRAY[NEW.tag_no], NULL, links) FROM links WHERE no = NEW.link_no;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER link_tags_count AFTER INSERT OR DELETE ON link_tags
FOR EACH ROW EXECUTE FUNCTION count_tags();

-- For searching titles and ids, as `links_by_text` does URLs.
DO $$ BEGIN
  CREATE INDEX link_details_by_text ON link_details
  USING gin (lower(title) gin_trgm_ops, lower(external_id) gin_trgm_ops)
  WHERE title IS NOT NULL OR external_id IS NOT NULL;
EXCEPTION WHEN undefined_object OR undefined_file OR feature_not_supported THEN
  RAISE NOTICE 'pg_trgm cannot be used: %', SQLERRM;
END $$;
