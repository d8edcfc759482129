CREATE TRIGGER links_count_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_counts VALUES (NEW.account_id, coalesce(NEW.group_id, ''), NEW.status, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER links_count_delete AFTER DELETE ON links BEGIN
  UPDATE link_counts SET count = count - 1
  WHERE account_id = OLD.account_id AND group_id = coalesce(OLD.group_id, '') AND status = OLD.status;
END;

CREATE TRIGGER links_count_update AFTER UPDATE OF status, group_id ON links
WHEN OLD.status <> NEW.status OR OLD.group_id IS NOT NEW.group_id BEGIN
  UPDATE link_counts SET count = count - 1
  WHERE account_id = OLD.account_id AND group_id = coalesce(OLD.group_id, '') AND status = OLD.status;
  INSERT INTO link_counts VALUES (NEW.account_id, coalesce(NEW.group_id, ''), NEW.status, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
