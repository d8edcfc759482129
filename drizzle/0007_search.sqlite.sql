-- How often the links of a thousand numbers of an account changed in what they are searched by, or came
-- and went: who keeps them in memory sees by it whether they are still the same.
CREATE TABLE link_changes (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  part BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  PRIMARY KEY (account_no, part)
) /* WITHOUT ROWID */;
INSERT INTO link_changes SELECT account_no, no / 1000, 1 FROM links GROUP BY account_no, no / 1000;

CREATE TRIGGER links_changes_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_changes VALUES (NEW.account_no, NEW.no / 1000, 1)
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER links_changes_delete AFTER DELETE ON links BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;

CREATE TRIGGER links_changes_update AFTER UPDATE OF url, service, status, group_id ON links
WHEN OLD.url <> NEW.url OR OLD.service <> NEW.service OR OLD.status <> NEW.status
  OR OLD.group_id IS NOT NEW.group_id BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;
