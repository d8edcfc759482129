CREATE INDEX links_due ON links (next_check_at) WHERE retired_at = 0;
-- Checks that a user requested are done first.
CREATE INDEX links_asked ON links (next_check_at) WHERE next_trigger = 'manual' AND retired_at = 0;

-- In the order in which an account's history is read, so that new rows are written next to each other.
CREATE TABLE checks (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  -- A link has at most one check per millisecond.
  checked_at BIGINT NOT NULL,
  link_no BIGINT NOT NULL,
  kind_no BIGINT NOT NULL,
  response_time_ms BIGINT,
  -- The group of the link at that time.
  group_no BIGINT,
  -- Empty if it is the link's own URL.
  final_url TEXT,
  -- JSON, stored for checks that changed the status.
  evidence TEXT,
  PRIMARY KEY (account_no, checked_at, link_no)
) /* WITHOUT ROWID */;
CREATE INDEX checks_by_link ON checks (link_no, checked_at);

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

-- Counts, for each thousand link numbers of an account, how often links were added, deleted, or changed in what they
-- are searched by. A reader that keeps links in memory compares these numbers to know whether they are still current.
CREATE TABLE link_changes (
  account_no BIGINT NOT NULL REFERENCES accounts (no) ON DELETE CASCADE,
  part BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  PRIMARY KEY (account_no, part)
) /* WITHOUT ROWID */;

CREATE TRIGGER links_changes_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_changes VALUES (NEW.account_no, NEW.no / 1000, 1)
  ON CONFLICT DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER links_changes_delete AFTER DELETE ON links BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;

CREATE TRIGGER links_changes_update AFTER UPDATE OF url, service, status, group_id, check_frequency ON links
WHEN OLD.url <> NEW.url OR OLD.service <> NEW.service OR OLD.status <> NEW.status
  OR OLD.group_id IS NOT NEW.group_id OR OLD.check_frequency <> NEW.check_frequency BEGIN
  UPDATE link_changes SET changes = changes + 1 WHERE account_no = OLD.account_no AND part = OLD.no / 1000;
END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'audit entries are not changed');
END;

CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.created_at >= (SELECT forget_before FROM audit_retention) BEGIN
  SELECT RAISE(ABORT, 'audit entries are kept for a year');
END;
