CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.created_at < (SELECT forget_before FROM audit_retention) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit entries are not changed, and kept for a year';
END $$;

CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit
FOR EACH ROW EXECUTE FUNCTION keep_audit();
