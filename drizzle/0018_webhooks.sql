-- Runs beside 0.1.0
-- The whole URL of a webhook, sealed with the secret key, since it may be a secret; `url` then shows no more than its
-- host. NULL in rows from before: `url` is whole until the next start of the program, which has the key. Older
-- programs would send to what `url` shows, but none was released.
ALTER TABLE webhooks ADD COLUMN sealed_url TEXT;
-- Whether it gets link.alive also for the first verdict about a link.
ALTER TABLE webhooks ADD COLUMN first_verdicts BIGINT NOT NULL DEFAULT 0;
-- The digest that gathers first verdicts of batches now, if one does, and when it was opened.
ALTER TABLE webhooks ADD COLUMN batch_digest_id TEXT;
ALTER TABLE webhooks ADD COLUMN batch_digest_at BIGINT;
-- 1: a first verdict of a batch, for a webhook of a chat service. It is sent in a digest only.
ALTER TABLE deliveries ADD COLUMN of_batch BIGINT NOT NULL DEFAULT 0;
