-- Runs next to 0.1.0

-- One row of counts for each account, group, tag and source. Pages of lists are found by index.

ALTER TABLE link_counts RENAME TO old_counts;
CREATE TABLE link_counts (
  -- The number of the account, the group, the tag or the source.
  subject BIGINT PRIMARY KEY,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  -- Dead links that are acknowledged or muted.
  handled BIGINT NOT NULL
) WITH (fillfactor = 50);
INSERT INTO link_counts SELECT subject, sum(active), sum(dead), sum(unknown), sum(handled) FROM old_counts GROUP BY subject;
DROP TABLE old_counts;

CREATE OR REPLACE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  n INT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO link_counts
  SELECT subject, n * count(*) FILTER (WHERE status = 'active'),
    n * count(*) FILTER (WHERE status = 'dead'), n * count(*) FILTER (WHERE status = 'unknown'),
    n * count(*) FILTER (WHERE status = 'dead' AND handling <> 'open')
  FROM affected CROSS JOIN LATERAL (
    SELECT affected.account_no UNION ALL SELECT groups.no FROM groups WHERE id = affected.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = affected.no
  ) AS counted (subject)
  WHERE retired_at = 0
  GROUP BY 1 ORDER BY 1
  ON CONFLICT (subject) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_changed_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO link_counts
  SELECT subject,
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
  ON CONFLICT (subject) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  n INT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO link_counts
  SELECT tag_no, n * count(*) FILTER (WHERE status = 'active'),
    n * count(*) FILTER (WHERE status = 'dead'), n * count(*) FILTER (WHERE status = 'unknown'),
    n * count(*) FILTER (WHERE status = 'dead' AND handling <> 'open')
  FROM affected CROSS JOIN LATERAL (
    SELECT status, handling FROM links WHERE no = affected.link_no AND retired_at = 0 LIMIT 1
  ) AS link
  GROUP BY 1 ORDER BY 1
  ON CONFLICT (subject) DO UPDATE SET active = link_counts.active + excluded.active,
    dead = link_counts.dead + excluded.dead, unknown = link_counts.unknown + excluded.unknown,
    handled = link_counts.handled + excluded.handled;
  RETURN NULL;
END $$;
