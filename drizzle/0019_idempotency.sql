-- Runs beside 0.1.0
-- An idempotency key is written together with the change and the reply, so none is held by a request that still runs.
DELETE FROM idempotency_keys WHERE status IS NULL;
