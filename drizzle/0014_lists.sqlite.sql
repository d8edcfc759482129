-- Runs next to 0.1.0

-- One row of counts for each account, group, tag and source. Pages of lists are found by index.

DROP TRIGGER links_count_insert;
DROP TRIGGER links_count_delete;
DROP TRIGGER links_count_status;
DROP TRIGGER links_count_group;
DROP TRIGGER link_tags_count_insert;
DROP TRIGGER link_tags_count_delete;
DROP TRIGGER links_changes_insert;
DROP TRIGGER links_changes_delete;
DROP TRIGGER links_changes_update;
DROP TRIGGER links_changes_handling;
DROP TABLE link_changes;

ALTER TABLE link_counts RENAME TO old_counts;
CREATE TABLE link_counts (
  -- The number of the account, the group, the tag or the source.
  subject INTEGER PRIMARY KEY,
  active BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  -- Dead links that are acknowledged or muted.
  handled BIGINT NOT NULL
);
INSERT INTO link_counts SELECT subject, sum(active), sum(dead), sum(unknown), sum(handled) FROM old_counts GROUP BY subject;
DROP TABLE old_counts;

CREATE TRIGGER links_count_insert AFTER INSERT ON links WHEN NEW.retired_at = 0 BEGIN
  INSERT INTO link_counts
  SELECT subject, NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown',
    NEW.status = 'dead' AND NEW.handling <> 'open'
  FROM (SELECT NEW.account_no AS subject UNION ALL SELECT no FROM groups WHERE id = NEW.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = NEW.no) WHERE true
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
END;

CREATE TRIGGER links_count_delete AFTER DELETE ON links WHEN OLD.retired_at = 0 BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown'), handled = handled - (OLD.status = 'dead' AND OLD.handling <> 'open')
  WHERE subject IN (SELECT OLD.account_no UNION ALL SELECT no FROM groups WHERE id = OLD.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = OLD.no);
END;

CREATE TRIGGER links_count_status AFTER UPDATE OF status, handling ON links
WHEN NEW.retired_at = 0 AND (OLD.status <> NEW.status OR OLD.handling <> NEW.handling) BEGIN
  UPDATE link_counts SET active = active - (OLD.status = 'active') + (NEW.status = 'active'),
    dead = dead - (OLD.status = 'dead') + (NEW.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown') + (NEW.status = 'unknown'),
    handled = handled - (OLD.status = 'dead' AND OLD.handling <> 'open') + (NEW.status = 'dead' AND NEW.handling <> 'open')
  WHERE subject IN (SELECT OLD.account_no UNION ALL SELECT no FROM groups WHERE id = OLD.group_id
    UNION ALL SELECT tag_no FROM link_tags WHERE link_no = OLD.no);
END;

CREATE TRIGGER links_count_group AFTER UPDATE OF group_id ON links
WHEN NEW.retired_at = 0 AND OLD.group_id IS NOT NEW.group_id BEGIN
  UPDATE link_counts SET active = active - (NEW.status = 'active'), dead = dead - (NEW.status = 'dead'),
    unknown = unknown - (NEW.status = 'unknown'), handled = handled - (NEW.status = 'dead' AND NEW.handling <> 'open')
  WHERE subject = (SELECT no FROM groups WHERE id = OLD.group_id);
  INSERT INTO link_counts
  SELECT no, NEW.status = 'active', NEW.status = 'dead', NEW.status = 'unknown',
    NEW.status = 'dead' AND NEW.handling <> 'open'
  FROM groups WHERE id = NEW.group_id
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
END;

CREATE TRIGGER link_tags_count_insert AFTER INSERT ON link_tags BEGIN
  INSERT INTO link_counts
  SELECT NEW.tag_no, status = 'active', status = 'dead', status = 'unknown', status = 'dead' AND handling <> 'open'
  FROM links WHERE no = NEW.link_no AND retired_at = 0
  ON CONFLICT DO UPDATE SET active = active + excluded.active, dead = dead + excluded.dead,
    unknown = unknown + excluded.unknown, handled = handled + excluded.handled;
END;

CREATE TRIGGER link_tags_count_delete AFTER DELETE ON link_tags BEGIN
  UPDATE link_counts SET active = active - (l.status = 'active'), dead = dead - (l.status = 'dead'),
    unknown = unknown - (l.status = 'unknown'), handled = handled - (l.status = 'dead' AND l.handling <> 'open')
  FROM (SELECT status, handling FROM links WHERE no = OLD.link_no AND retired_at = 0) AS l
  WHERE subject = OLD.tag_no;
END;

-- For searching URLs, titles and ids: which links have which three characters in a row.

CREATE VIRTUAL TABLE link_url_trigrams
USING fts5 (url, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1);
INSERT INTO link_url_trigrams (rowid, url) SELECT no, url FROM links;

CREATE TRIGGER links_search_insert AFTER INSERT ON links BEGIN
  INSERT INTO link_url_trigrams (rowid, url) VALUES (NEW.no, NEW.url);
END;

CREATE TRIGGER links_search_delete AFTER DELETE ON links BEGIN
  DELETE FROM link_url_trigrams WHERE rowid = OLD.no;
END;

CREATE TRIGGER links_search_update AFTER UPDATE OF url ON links WHEN OLD.url <> NEW.url BEGIN
  UPDATE link_url_trigrams SET url = NEW.url WHERE rowid = NEW.no;
END;

CREATE VIRTUAL TABLE link_text_trigrams
USING fts5 (title, external_id, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1);
INSERT INTO link_text_trigrams (rowid, title, external_id)
SELECT link_no, title, external_id FROM link_details WHERE title IS NOT NULL OR external_id IS NOT NULL;

CREATE TRIGGER link_details_search_insert AFTER INSERT ON link_details
WHEN NEW.title IS NOT NULL OR NEW.external_id IS NOT NULL BEGIN
  INSERT INTO link_text_trigrams (rowid, title, external_id) VALUES (NEW.link_no, NEW.title, NEW.external_id);
END;

CREATE TRIGGER link_details_search_delete AFTER DELETE ON link_details
WHEN OLD.title IS NOT NULL OR OLD.external_id IS NOT NULL BEGIN
  DELETE FROM link_text_trigrams WHERE rowid = OLD.link_no;
END;

CREATE TRIGGER link_details_search_update AFTER UPDATE OF title, external_id ON link_details
WHEN OLD.title IS NOT NEW.title OR OLD.external_id IS NOT NEW.external_id BEGIN
  DELETE FROM link_text_trigrams WHERE rowid = NEW.link_no;
  INSERT INTO link_text_trigrams (rowid, title, external_id)
  SELECT NEW.link_no, NEW.title, NEW.external_id WHERE NEW.title IS NOT NULL OR NEW.external_id IS NOT NULL;
END;
