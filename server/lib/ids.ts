const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUIDv7 in lower case: sorts by creation, which keeps inserts local in the index. */
export const newId = () => Bun.randomUUIDv7();

/** The id in lower case, or null when the text is no UUID. */
export const parseId = (text: string): string | null =>
  UUID.test(text) ? text.toLowerCase() : null;

/**
 * The name of a check in replies and events. History has no room for ids: a check is told by its link and
 * its moment, of which a link has one a millisecond at most. For others it is opaque.
 */
export const checkIdOf = (linkId: string, checkedAt: number): string =>
  `${linkId}-${checkedAt.toString(36)}`;
