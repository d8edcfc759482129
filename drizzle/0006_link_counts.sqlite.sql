CREATE TRIGGER links_count_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_counts VALUES (NEW.account_no, NEW.no / 1000,
    NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown')
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown;
  INSERT INTO link_counts SELECT no, NEW.no / 1000,
    NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown' FROM groups WHERE id = NEW.group_id
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown;
END;

CREATE TRIGGER links_count_delete AFTER DELETE ON links BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown')
  WHERE part = OLD.no / 1000 AND subject IN (OLD.account_no, (SELECT no FROM groups WHERE id = OLD.group_id));
END;

CREATE TRIGGER links_count_update AFTER UPDATE OF status, group_id ON links
WHEN OLD.status <> NEW.status OR OLD.group_id IS NOT NEW.group_id BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown')
  WHERE part = OLD.no / 1000 AND subject IN (OLD.account_no, (SELECT no FROM groups WHERE id = OLD.group_id));
  INSERT INTO link_counts VALUES (NEW.account_no, NEW.no / 1000,
    NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown')
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown;
  INSERT INTO link_counts SELECT no, NEW.no / 1000,
    NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown' FROM groups WHERE id = NEW.group_id
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown;
END;
