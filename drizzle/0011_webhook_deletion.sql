-- Runs next to 0.1.0

-- When it was deleted. Its deliveries are deleted in steps, and then the row.
ALTER TABLE webhooks ADD COLUMN deleted_at BIGINT;
