const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUIDv7 in lower case: sorts by creation, which keeps inserts local in the index. */
export const newId = () => Bun.randomUUIDv7();

/** The same for a moment, in milliseconds. */
export const newIdAt = (ms: number) => Bun.randomUUIDv7("hex", ms);

/** An id before all that were made for the moment or later, and after those for earlier ones (RFC 9562 §5.7). */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The id in lower case, or null when the text is no UUID. */
export const parseId = (text: string): string | null =>
  UUID.test(text) ? text.toLowerCase() : null;

/**
 * The name of a check in replies and events. History has no room for ids: a check is told by its link and
 * its moment, of which a link has one a millisecond at most. For others it is opaque.
 */
export const checkIdOf = (linkId: string, checkedAt: number): string =>
  `${linkId}-${checkedAt.toString(36)}`;
