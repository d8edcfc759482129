-- Links are searched by how often they are checked as well.
DROP TRIGGER links_changes_update;
CREATE TRIGGER links_changes_update AFTER UPDATE OF url, service, status, group_id, check_frequency ON links
WHEN OLD.url <> NEW.url OR OLD.service <> NEW.service OR OLD.status <> NEW.status
  OR OLD.group_id IS NOT NEW.group_id OR OLD.check_frequency <> NEW.check_frequency BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;
