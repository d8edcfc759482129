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
  "/repair",
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

/** What the frame of each page shows, by path and query. */
const FRAME_READS = ["/dashboard/api/overview", "/dashboard/api/views", "/ready"];

const OVERVIEW_READS = [
  "overview/series?days=90",
  "overview/upcoming",
  "attention?by=cause&per_page=6",
  "changes?per_page=6",
  "sites?status=dead&per_page=5",
].map((path) => `/dashboard/api/${path}`);

const ADMIN_READS = ["/dashboard/api/admin/backups"];

/** What a page asks the server first, which is sent with it. */
export function readsOf(path: string, isAdmin: boolean): string[] {
  if (!INNER_PATHS.some((each) => patternOf(each).test(path))) return [];
  if (path !== "/") return FRAME_READS;
  return [...FRAME_READS, ...OVERVIEW_READS, ...(isAdmin ? ADMIN_READS : [])];
}

/** Matches what a path with parameters stands for. A slash at the end makes no difference. */
export const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace(/\/$/, "")}/?$`);
