-- Runs next to 0.1.0

-- The counts of a tag are kept like those of a group.

CREATE FUNCTION count_for(subjects BIGINT[], link links, n BIGINT) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT subject, link.no / 1000, CASE WHEN link.status = 'active' THEN n ELSE 0 END,
    CASE WHEN link.status = 'dead' THEN n ELSE 0 END, CASE WHEN link.status = 'unknown' THEN n ELSE 0 END,
    CASE WHEN link.status = 'dead' AND link.handling <> 'open' THEN n ELSE 0 END
  FROM unnest(subjects) AS subject ORDER BY subject
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
$$;

CREATE OR REPLACE FUNCTION count_link(link links, n BIGINT) RETURNS void LANGUAGE sql AS $$
  SELECT count_for(ARRAY(
    SELECT link.account_no UNION ALL SELECT no FROM groups WHERE id = link.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = link.no), link, n);
$$;

DROP TRIGGER links_count_changes ON links;
CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id, handling ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.handling <> NEW.handling
  OR OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION count_links();

CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM count_for(ARRAY[OLD.tag_no], links, -1) FROM links WHERE no = OLD.link_no;
  ELSE
    PERFORM count_for(ARRAY[NEW.tag_no], links, 1) FROM links WHERE no = NEW.link_no;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER link_tags_count AFTER INSERT OR DELETE ON link_tags
FOR EACH ROW EXECUTE FUNCTION count_tags();

-- For searching titles and ids, as `links_by_text` does URLs.
DO $$ BEGIN
  CREATE INDEX link_texts_by_text ON link_texts
  USING gin (lower(title) gin_trgm_ops, lower(external_id) gin_trgm_ops);
EXCEPTION WHEN undefined_object OR undefined_file OR feature_not_supported THEN
  RAISE NOTICE 'pg_trgm cannot be used: %', SQLERRM;
END $$;
