import { ulid } from "ulid";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUIDv7 in lower case: sorts by creation, which keeps inserts local in the index. */
export const newId = () => Bun.randomUUIDv7();

/** The id in lower case, or null when the text is no UUID. */
export const parseId = (text: string): string | null =>
  UUID.test(text) ? text.toLowerCase() : null;

/** `msg_` and 26 characters without a dot, as Standard Webhooks asks of an id. */
export const newMessageId = () => `msg_${ulid()}`;
