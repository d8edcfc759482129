CREATE FUNCTION count_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE link_counts SET count = count - 1
    WHERE account_id = OLD.account_id AND group_id = coalesce(OLD.group_id, '') AND status = OLD.status;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO link_counts VALUES (NEW.account_id, coalesce(NEW.group_id, ''), NEW.status, 1)
    ON CONFLICT (account_id, group_id, status) DO UPDATE SET count = link_counts.count + 1;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER links_count_rows AFTER INSERT OR DELETE ON links
FOR EACH ROW EXECUTE FUNCTION count_links();

CREATE TRIGGER links_count_changes AFTER UPDATE OF status, group_id ON links
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION count_links();
