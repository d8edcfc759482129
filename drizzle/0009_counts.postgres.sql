-- Runs next to 0.1.0

-- Links and tags are added and removed many at once. Each row of counts is then updated once for all of them: one update
-- for each link would leave as many dead versions, and spread the rows that a list reads over as many pages.
DROP TRIGGER links_count_rows ON links;
DROP TRIGGER links_count_changes ON links;
DROP TRIGGER link_tags_count ON link_tags;
DROP FUNCTION count_links();
DROP FUNCTION count_tags();
DROP FUNCTION subjects_of(links);
DROP FUNCTION count_for(BIGINT[], links, links);

-- Counts for the account, the group and the tags of each link.
CREATE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  n INT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT subject, no / 1000, n * count(*) FILTER (WHERE status = 'active'),
    n * count(*) FILTER (WHERE status = 'dead'), n * count(*) FILTER (WHERE status = 'unknown'),
    n * count(*) FILTER (WHERE status = 'dead' AND handling <> 'open')
  FROM affected CROSS JOIN LATERAL (
    SELECT affected.account_no UNION ALL SELECT groups.no FROM groups WHERE id = affected.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = affected.no
  ) AS counted (subject)
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;

CREATE TRIGGER links_count_new AFTER INSERT ON links REFERENCING NEW TABLE AS affected
FOR EACH STATEMENT EXECUTE FUNCTION count_links();
CREATE TRIGGER links_count_deleted AFTER DELETE ON links REFERENCING OLD TABLE AS affected
FOR EACH STATEMENT EXECUTE FUNCTION count_links();

-- Few of the links that a statement updates change what is counted, so this is done for each of those.
CREATE FUNCTION count_changed_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT subject, NEW.no / 1000,
    sum(adds) * (NEW.status = 'active')::INT - sum(takes) * (OLD.status = 'active')::INT,
    sum(adds) * (NEW.status = 'dead')::INT - sum(takes) * (OLD.status = 'dead')::INT,
    sum(adds) * (NEW.status = 'unknown')::INT - sum(takes) * (OLD.status = 'unknown')::INT,
    sum(adds) * (NEW.status = 'dead' AND NEW.handling <> 'open')::INT
      - sum(takes) * (OLD.status = 'dead' AND OLD.handling <> 'open')::INT
  FROM (
    SELECT NEW.account_no, 1, 1
    UNION ALL SELECT tag_no, 1, 1 FROM link_tags WHERE link_no = NEW.no
    UNION ALL SELECT no, 1, 0 FROM groups WHERE id = OLD.group_id
    UNION ALL SELECT no, 0, 1 FROM groups WHERE id = NEW.group_id
  ) AS counted (subject, takes, adds)
  GROUP BY subject ORDER BY subject
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;

CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id, handling ON links
FOR EACH ROW WHEN (NEW.retired_at = 0 AND (OLD.status <> NEW.status OR OLD.handling <> NEW.handling
  OR OLD.group_id IS DISTINCT FROM NEW.group_id))
EXECUTE FUNCTION count_changed_link();

-- The limit makes it look up each link, however many the first statement of a connection had.
CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  n INT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT tag_no, link_no / 1000, n * count(*) FILTER (WHERE status = 'active'),
    n * count(*) FILTER (WHERE status = 'dead'), n * count(*) FILTER (WHERE status = 'unknown'),
    n * count(*) FILTER (WHERE status = 'dead' AND handling <> 'open')
  FROM affected CROSS JOIN LATERAL (
    SELECT status, handling FROM links WHERE no = affected.link_no LIMIT 1
  ) AS link
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (subject, part) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;

CREATE TRIGGER link_tags_count_new AFTER INSERT ON link_tags REFERENCING NEW TABLE AS affected
FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
CREATE TRIGGER link_tags_count_deleted AFTER DELETE ON link_tags REFERENCING OLD TABLE AS affected
FOR EACH STATEMENT EXECUTE FUNCTION count_tags();

-- Space for new versions of a row on its page.
ALTER TABLE link_counts SET (fillfactor = 50);
CLUSTER link_counts USING link_counts_pkey;
