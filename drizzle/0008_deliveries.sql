-- Ready-made formats take messages that people read; `standard` is the specification's.
ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'standard';
-- JSON: secrets that were replaced, sealed, each with the moment until which it still signs.
ALTER TABLE webhooks ADD COLUMN old_secrets TEXT;
-- The earliest and the latest event whose delivery failed since the last success.
ALTER TABLE webhooks ADD COLUMN failed_from BIGINT;
ALTER TABLE webhooks ADD COLUMN failed_to BIGINT;
-- The digest that gathers events now, if one does; and when it is or the last one was closed.
ALTER TABLE webhooks ADD COLUMN digest_id TEXT;
ALTER TABLE webhooks ADD COLUMN digest_at BIGINT;

ALTER TABLE deliveries RENAME TO old_deliveries;
DROP INDEX deliveries_by_webhook;
DROP INDEX deliveries_due_by_webhook;
DROP INDEX deliveries_due;

-- One event for one webhook, with its latest attempt. Its id is that of the event.
CREATE TABLE deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Only while an attempt that somebody asked for is to be made: the status that it had before.
  resting TEXT,
  attempts BIGINT NOT NULL,
  -- Of these, the ones that somebody asked for or a crash interrupted: the schedule goes by the others.
  unplanned_attempts BIGINT NOT NULL,
  -- By the schedule; NULL when there is nothing more to come.
  next_attempt_at BIGINT,
  -- When it is to be claimed: by the schedule, for somebody who asked, or as its lease ends. NULL is never.
  due_at BIGINT,
  lease TEXT,
  -- The event that tells of it and others in one message.
  digest_id TEXT,
  created_at BIGINT NOT NULL,
  completed_at BIGINT,
  last_trigger TEXT,
  last_started_at BIGINT,
  last_duration_ms BIGINT,
  last_status_code BIGINT,
  last_error TEXT,
  last_content_type TEXT,
  last_body TEXT,
  last_truncated BIGINT,
  PRIMARY KEY (webhook_id, event_id)
) /* WITHOUT ROWID */;
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_status ON deliveries (webhook_id, status, event_id);
CREATE INDEX deliveries_by_type ON deliveries (webhook_id, type, event_id);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, event_id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_digest ON deliveries (digest_id, event_id, type, created_at) WHERE digest_id IS NOT NULL;
-- What processes hold, to find the leases that have run out.
CREATE INDEX deliveries_leased ON deliveries (webhook_id, due_at) WHERE lease IS NOT NULL;

-- The attempts before the latest: most deliveries have none.
CREATE TABLE delivery_attempts (
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  trigger_kind TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  duration_ms BIGINT,
  status_code BIGINT NOT NULL,
  error TEXT,
  content_type TEXT,
  body TEXT,
  truncated BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, event_id, number),
  FOREIGN KEY (webhook_id, event_id) REFERENCES deliveries (webhook_id, event_id) ON DELETE CASCADE
) /* WITHOUT ROWID */;

-- What was under way is due when its lease ends, as it was.
INSERT INTO deliveries (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at,
  lease, created_at, completed_at, last_trigger, last_started_at, last_duration_ms, last_status_code, last_error,
  last_truncated)
SELECT webhook_id, event_id, type, status, attempts, 0,
  CASE WHEN status IN ('pending', 'failed', 'delivering') THEN next_attempt_at END,
  CASE WHEN status IN ('pending', 'failed', 'delivering') THEN next_attempt_at END,
  lease, old_deliveries.created_at, completed_at,
  CASE WHEN last_status_code IS NOT NULL THEN 'scheduled' END,
  CASE WHEN last_status_code IS NOT NULL THEN old_deliveries.created_at END,
  last_duration_ms, last_status_code, last_error,
  CASE WHEN last_status_code IS NOT NULL THEN 0 END
FROM old_deliveries JOIN events ON events.id = event_id;
DROP TABLE old_deliveries;
