-- Runs next to 0.1.0

-- Setting an indexed column costs even if it stays the same, so the dead links of a site are counted separately. The host
-- of a URL follows `://` and ends before the next slash, which stored URLs always have.

CREATE TRIGGER links_site_insert AFTER INSERT ON links WHEN NEW.retired_at = 0 BEGIN
  INSERT INTO sites SELECT NEW.account_no, NEW.site, NEW.status = 'active', 0, NEW.status = 'unknown', 1
  WHERE NEW.site <> ''
  ON CONFLICT DO UPDATE SET active = active + excluded.active, unknown = unknown + excluded.unknown, links = links + 1;
  UPDATE sites SET dead = dead + 1
  WHERE NEW.status = 'dead' AND account_no = NEW.account_no AND site = NEW.site;
  INSERT INTO site_hosts (account_no, site, host, links, tls_expires_at)
  SELECT NEW.account_no, NEW.site, substr(rest, 1, instr(rest, '/') - 1), 1, NULL
  FROM (SELECT substr(NEW.url, instr(NEW.url, '://') + 3) || '/' AS rest) WHERE NEW.site <> ''
  ON CONFLICT DO UPDATE SET links = links + 1;
END;

CREATE TRIGGER links_site_delete AFTER DELETE ON links WHEN OLD.retired_at = 0 BEGIN
  UPDATE sites SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown'), links = links - 1
  WHERE account_no = OLD.account_no AND site = OLD.site;
  UPDATE site_hosts SET links = links - 1 WHERE account_no = OLD.account_no AND site = OLD.site AND host = (
    SELECT substr(rest, 1, instr(rest, '/') - 1)
    FROM (SELECT substr(OLD.url, instr(OLD.url, '://') + 3) || '/' AS rest));
  DELETE FROM site_hosts WHERE account_no = OLD.account_no AND site = OLD.site AND host = (
    SELECT substr(rest, 1, instr(rest, '/') - 1)
    FROM (SELECT substr(OLD.url, instr(OLD.url, '://') + 3) || '/' AS rest)) AND links = 0;
  DELETE FROM status_days WHERE account_no = OLD.account_no AND group_no = 0 AND site = OLD.site AND site <> ''
    AND (SELECT links FROM sites WHERE account_no = OLD.account_no AND site = OLD.site) = 0;
  DELETE FROM sites WHERE account_no = OLD.account_no AND site = OLD.site AND links = 0;
END;

CREATE TRIGGER links_site_update AFTER UPDATE OF url, site ON links
WHEN OLD.url <> NEW.url OR OLD.site <> NEW.site BEGIN
  UPDATE sites SET active = active - (OLD.status = 'active'), dead = dead - (OLD.status = 'dead'),
    unknown = unknown - (OLD.status = 'unknown'), links = links - 1
  WHERE account_no = OLD.account_no AND site = OLD.site;
  UPDATE site_hosts SET links = links - 1 WHERE account_no = OLD.account_no AND site = OLD.site AND host = (
    SELECT substr(rest, 1, instr(rest, '/') - 1)
    FROM (SELECT substr(OLD.url, instr(OLD.url, '://') + 3) || '/' AS rest));
  DELETE FROM site_hosts WHERE account_no = OLD.account_no AND site = OLD.site AND host = (
    SELECT substr(rest, 1, instr(rest, '/') - 1)
    FROM (SELECT substr(OLD.url, instr(OLD.url, '://') + 3) || '/' AS rest)) AND links = 0;
  DELETE FROM status_days WHERE account_no = OLD.account_no AND group_no = 0 AND site = OLD.site AND site <> ''
    AND (SELECT links FROM sites WHERE account_no = OLD.account_no AND site = OLD.site) = 0;
  DELETE FROM sites WHERE account_no = OLD.account_no AND site = OLD.site AND links = 0;
  INSERT INTO sites SELECT NEW.account_no, NEW.site, NEW.status = 'active', 0, NEW.status = 'unknown', 1
  WHERE NEW.site <> ''
  ON CONFLICT DO UPDATE SET active = active + excluded.active, unknown = unknown + excluded.unknown, links = links + 1;
  UPDATE sites SET dead = dead + 1
  WHERE NEW.status = 'dead' AND account_no = NEW.account_no AND site = NEW.site;
  INSERT INTO site_hosts (account_no, site, host, links, tls_expires_at)
  SELECT NEW.account_no, NEW.site, substr(rest, 1, instr(rest, '/') - 1), 1, NULL
  FROM (SELECT substr(NEW.url, instr(NEW.url, '://') + 3) || '/' AS rest) WHERE NEW.site <> ''
  ON CONFLICT DO UPDATE SET links = links + 1;
END;

CREATE TRIGGER links_site_dead AFTER UPDATE OF status ON links
WHEN (OLD.status = 'dead') <> (NEW.status = 'dead') BEGIN
  UPDATE sites SET dead = dead - (OLD.status = 'dead') + (NEW.status = 'dead')
  WHERE account_no = NEW.account_no AND site = NEW.site;
END;

CREATE TRIGGER links_site_status AFTER UPDATE OF status ON links WHEN OLD.status <> NEW.status BEGIN
  UPDATE sites SET
    active = active - (OLD.status = 'active') + (NEW.status = 'active'),
    unknown = unknown - (OLD.status = 'unknown') + (NEW.status = 'unknown')
  WHERE account_no = NEW.account_no AND site = NEW.site;
END;
