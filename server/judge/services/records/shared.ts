import { type Ask, dead, type Kind, means, type Page, type Rule } from "../record.ts";

/** An oEmbed request; `rules` come before the family's. */
export const oembed = (url: string, ...rules: Rule[]): Ask => ({
  url,
  family: "oembed",
  ...(rules.length > 0 && { rules }),
});

/** The endpoint supports fewer kinds of addresses than the site, so the page must confirm its 404. */
export const PAGE_DECIDES: Rule = means("page", { status: [404, 410] });

/** For endpoints that return 403 for private items, not for clients that they block. */
export const PRIVATE: Rule = means("service_private", { status: 403 });

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
