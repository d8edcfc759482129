CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'audit entries are not changed');
END;

CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.created_at >= (SELECT forget_before FROM audit_retention) BEGIN
  SELECT RAISE(ABORT, 'audit entries are kept for a year');
END;
