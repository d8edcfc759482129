import { dead, type Kind, means, type Page, type Rule } from "../record.ts";

type Marker = Pick<Rule, "text" | "matches" | "title" | "url" | "unless">;

/** Requires status 200, since an error page may contain the same marker. */
export const aliveWith = (marker: Marker): Rule => means("ok_service", { ...marker, status: 200 });

/** Matches a redirect to the home page of the service's `host` or to its error page, as for missing items. */
export const goneIfLedHome = (host: string): Rule =>
  dead("service_not_found", "C2", {
    status: 200,
    url: String.raw`^https?://(?:[\w-]{1,63}\.)?${host.replaceAll(".", String.raw`\.`)}/(?:[a-z]{2}/)?(?:(?:error|404|not-?found)(?:\.\w{2,5})?/?)?(?:[?#]|$)`,
  });

/**
 * Links to the main host are requested unchanged, since names in the address may matter; those to another `host` or
 * path are requested at `url`.
 */
export const pagesAt = (
  main: Pick<Kind, "host" | "path">,
  others: Pick<Kind, "path">,
  { url, ...page }: Page,
): Kind[] => [
  { kind: "file", ...main, page },
  { kind: "file", ...others, page: { ...page, ...(url !== undefined && { url }) } },
];

/** For files at the root: excludes the names of the site's own pages. */
export const NO_OWN_PAGE =
  "(?!(?:about|abuse|account|contacts?|dmca|faq|help|imprint|login|premium|privacy|register|terms|tos)\\b)";

/** The response is JSON; a page in its place proves nothing. */
export const IS_JSON = { "": { exists: true } };
