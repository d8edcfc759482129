/** Paths of the pages without a session. Parameters are as in `/mail/confirm/:token`. */
export const DOOR_PATHS = [
  "/setup",
  "/sign-in",
  "/password",
  "/invitation",
  "/forgot",
  "/mail/confirm/:token",
  "/mail/unsubscribe/:token",
] as const;

/** Paths of the pages for people who are signed in. */
export const INNER_PATHS = [
  "/",
  "/sites",
  "/domains",
  "/sources",
  "/sources/:id",
  "/sources/:id/pages/:page",
  "/changes",
  "/links",
  "/links/:id",
  "/alerts",
  "/alerts/:id",
  "/alerts/:id/messages/:message",
  "/settings",
  "/settings/:section",
] as const;

/**
 * The paths of the dashboard's pages. The server sends the same document for all of them, and the router in it has a
 * page for each.
 */
export const PAGE_PATHS = [...DOOR_PATHS, ...INNER_PATHS];

export type DoorPath = (typeof DOOR_PATHS)[number];
export type InnerPath = (typeof INNER_PATHS)[number];

/** Matches what a path with parameters stands for. A slash at the end makes no difference. */
export const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace(/\/$/, "")}/?$`);
