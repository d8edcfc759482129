-- Runs next to 0.1.0

-- Adds the link to the counts of its site and its host.
CREATE FUNCTION add_to_site(link links) RETURNS void LANGUAGE sql AS $$
  INSERT INTO sites VALUES (link.account_no, link.site, CASE WHEN link.status = 'active' THEN 1 ELSE 0 END,
    CASE WHEN link.status = 'dead' THEN 1 ELSE 0 END, CASE WHEN link.status = 'unknown' THEN 1 ELSE 0 END, 1)
  ON CONFLICT (account_no, site) DO UPDATE SET active = sites.active + excluded.active,
    dead = sites.dead + excluded.dead, unknown = sites.unknown + excluded.unknown, links = sites.links + 1;
  INSERT INTO site_hosts (account_no, site, host, links, tls_expires_at)
  VALUES (link.account_no, link.site, split_part(split_part(link.url, '://', 2), '/', 1), 1, NULL)
  ON CONFLICT (account_no, site, host) DO UPDATE SET links = site_hosts.links + 1;
$$;

CREATE FUNCTION take_from_site(link links) RETURNS void LANGUAGE sql AS $$
  UPDATE sites SET active = active - CASE WHEN link.status = 'active' THEN 1 ELSE 0 END,
    dead = dead - CASE WHEN link.status = 'dead' THEN 1 ELSE 0 END,
    unknown = unknown - CASE WHEN link.status = 'unknown' THEN 1 ELSE 0 END, links = links - 1
  WHERE account_no = link.account_no AND site = link.site;
  UPDATE site_hosts SET links = links - 1 WHERE account_no = link.account_no AND site = link.site
    AND host = split_part(split_part(link.url, '://', 2), '/', 1);
  DELETE FROM site_hosts WHERE account_no = link.account_no AND site = link.site
    AND host = split_part(split_part(link.url, '://', 2), '/', 1) AND links = 0;
  DELETE FROM status_days WHERE account_no = link.account_no AND group_no = 0 AND site = link.site
    AND (SELECT links FROM sites WHERE account_no = link.account_no AND site = link.site) = 0;
  DELETE FROM sites WHERE account_no = link.account_no AND site = link.site AND links = 0;
$$;

CREATE FUNCTION count_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.site <> '' THEN PERFORM take_from_site(OLD); END IF;
  IF TG_OP <> 'DELETE' AND NEW.site <> '' THEN PERFORM add_to_site(NEW); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER links_site_rows AFTER DELETE ON links
FOR EACH ROW WHEN (OLD.retired_at = 0) EXECUTE FUNCTION count_site();

-- Links are created many at once.
CREATE FUNCTION count_new_in_sites() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sites
  SELECT account_no, site, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'dead'),
    count(*) FILTER (WHERE status = 'unknown'), count(*)
  FROM fresh WHERE site <> '' AND retired_at = 0 GROUP BY account_no, site ORDER BY account_no, site
  ON CONFLICT (account_no, site) DO UPDATE SET active = sites.active + excluded.active,
    dead = sites.dead + excluded.dead, unknown = sites.unknown + excluded.unknown,
    links = sites.links + excluded.links;
  INSERT INTO site_hosts (account_no, site, host, links, tls_expires_at)
  SELECT account_no, site, split_part(split_part(url, '://', 2), '/', 1) AS host, count(*), NULL
  FROM fresh WHERE site <> '' AND retired_at = 0 GROUP BY account_no, site, host ORDER BY account_no, site, host
  ON CONFLICT (account_no, site, host) DO UPDATE SET links = site_hosts.links + excluded.links;
  RETURN NULL;
END $$;

CREATE TRIGGER links_site_new AFTER INSERT ON links REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION count_new_in_sites();

CREATE TRIGGER links_site_changes AFTER UPDATE OF url, site ON links
FOR EACH ROW WHEN (OLD.url <> NEW.url OR OLD.site <> NEW.site) EXECUTE FUNCTION count_site();

CREATE FUNCTION count_site_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET
    active = active + CASE WHEN NEW.status = 'active' THEN 1 WHEN OLD.status = 'active' THEN -1 ELSE 0 END,
    dead = dead + CASE WHEN NEW.status = 'dead' THEN 1 WHEN OLD.status = 'dead' THEN -1 ELSE 0 END,
    unknown = unknown + CASE WHEN NEW.status = 'unknown' THEN 1 WHEN OLD.status = 'unknown' THEN -1 ELSE 0 END
  WHERE account_no = NEW.account_no AND site = NEW.site;
  RETURN NULL;
END $$;

CREATE TRIGGER links_site_status AFTER UPDATE OF status ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.site <> '') EXECUTE FUNCTION count_site_status();
