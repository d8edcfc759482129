DROP FUNCTION count_links CASCADE;

-- Adds `n` to the counts of the account and of the group that the link is in.
CREATE FUNCTION count_link(link links, n BIGINT) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts
  SELECT subject, link.no / 1000, CASE WHEN link.status = 'active' THEN n ELSE 0 END,
    CASE WHEN link.status = 'dead' THEN n ELSE 0 END, CASE WHEN link.status = 'unknown' THEN n ELSE 0 END
  FROM (SELECT link.account_no AS subject UNION ALL SELECT no FROM groups WHERE id = link.group_id) AS subjects
  ORDER BY subject
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown;
$$;

CREATE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM count_link(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM count_link(NEW, 1); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER links_count_rows AFTER INSERT OR DELETE ON links
FOR EACH ROW EXECUTE FUNCTION count_links();

CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION count_links();
