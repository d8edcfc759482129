-- Runs next to 0.1.0

-- The counts of a tag are kept like those of a group. The triggers only add and subtract, so their order does not matter.

DROP TRIGGER links_count_insert;
DROP TRIGGER links_count_delete;
DROP TRIGGER links_count_update;

CREATE TRIGGER links_count_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT subject, NEW.no / 1000, NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown',
    NEW.status = 'dead' AND NEW.handling <> 'open'
  FROM (SELECT NEW.account_no AS subject UNION ALL SELECT no FROM groups WHERE id = NEW.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = NEW.no) WHERE true
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
END;

CREATE TRIGGER links_count_delete AFTER DELETE ON links BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown'), handled = handled - (OLD.status = 'dead' AND OLD.handling <> 'open')
  WHERE part = OLD.no / 1000 AND subject IN (SELECT OLD.account_no UNION ALL SELECT no FROM groups WHERE id = OLD.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = OLD.no);
END;

CREATE TRIGGER links_count_status AFTER UPDATE OF status, handling ON links
WHEN OLD.status <> NEW.status OR OLD.handling <> NEW.handling BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active') + (NEW.status = 'active'),
    dead = dead - (OLD.status = 'dead') + (NEW.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown') + (NEW.status = 'unknown'),
    handled = handled - (OLD.status = 'dead' AND OLD.handling <> 'open') + (NEW.status = 'dead' AND NEW.handling <> 'open')
  WHERE part = OLD.no / 1000 AND subject IN (SELECT OLD.account_no UNION ALL SELECT no FROM groups WHERE id = OLD.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = OLD.no);
END;

CREATE TRIGGER links_count_group AFTER UPDATE OF group_id ON links
WHEN OLD.group_id IS NOT NEW.group_id BEGIN
  UPDATE link_counts SET active = active - (NEW.status = 'active'), dead = dead - (NEW.status = 'dead'),
    unknown = unknown - (NEW.status = 'unknown'), handled = handled - (NEW.status = 'dead' AND NEW.handling <> 'open')
  WHERE part = NEW.no / 1000 AND subject = (SELECT no FROM groups WHERE id = OLD.group_id);
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT no, NEW.no / 1000, NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown',
    NEW.status = 'dead' AND NEW.handling <> 'open'
  FROM groups WHERE id = NEW.group_id
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
END;

CREATE TRIGGER link_tags_count_insert AFTER INSERT ON link_tags BEGIN
  INSERT INTO link_counts (subject, part, active, dead, unknown, handled)
  SELECT NEW.tag_no, no / 1000, status = 'active', status = 'dead', status = 'unknown',
    status = 'dead' AND handling <> 'open'
  FROM links WHERE no = NEW.link_no
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
  UPDATE link_changes SET changes = changes + 1
  WHERE part = NEW.link_no / 1000 AND account_no = (SELECT account_no FROM links WHERE no = NEW.link_no);
END;

CREATE TRIGGER link_tags_count_delete AFTER DELETE ON link_tags BEGIN
  UPDATE link_counts SET active = active - (l.status = 'active'), dead = dead - (l.status = 'dead'),
    unknown = unknown - (l.status = 'unknown'), handled = handled - (l.status = 'dead' AND l.handling <> 'open')
  FROM (SELECT status, handling FROM links WHERE no = OLD.link_no) AS l
  WHERE subject = OLD.tag_no AND part = OLD.link_no / 1000;
  UPDATE link_changes SET changes = changes + 1
  WHERE part = OLD.link_no / 1000 AND account_no = (SELECT account_no FROM links WHERE no = OLD.link_no);
END;

CREATE TRIGGER links_changes_handling AFTER UPDATE OF handling ON links WHEN OLD.handling <> NEW.handling BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;
