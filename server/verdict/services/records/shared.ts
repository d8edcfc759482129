import { dead, type Kind, means, type Page, type Rule } from "../record.ts";

type Marker = Pick<Rule, "text" | "matches" | "title" | "url" | "unless">;

/** Only where the answer is no error, since its page may hold the same mark. */
export const aliveWith = (marker: Marker): Rule => means("ok_service", { ...marker, status: 200 });

/** Whoever asks for what is gone is led to the home page of the service's `host`, or to its own page of errors. */
export const goneIfLedHome = (host: string): Rule =>
  dead("service_not_found", "C2", {
    status: 200,
    url: String.raw`^https?://(?:[\w-]{1,63}\.)?${host.replaceAll(".", String.raw`\.`)}/(?:[a-z]{2}/)?(?:(?:error|404|not-?found)(?:\.\w{2,5})?/?)?(?:[?#]|$)`,
  });

/**
 * What the main host of a service has is asked for where it is, since names in its address may count; what
 * stands under another `host` or path is asked for at `url`.
 */
export const pagesAt = (
  main: Pick<Kind, "host" | "path">,
  others: Pick<Kind, "path">,
  { url, ...page }: Page,
): Kind[] => [
  { kind: "file", ...main, page },
  { kind: "file", ...others, page: { ...page, ...(url !== undefined && { url }) } },
];

/** Where files stand at the root, such words are the site's own pages. */
export const NO_OWN_PAGE =
  "(?!(?:about|abuse|account|contacts?|dmca|faq|help|imprint|login|premium|privacy|register|terms|tos)\\b)";

/** An answer that is JSON, so that a page in its place says nothing. */
export const IS_JSON = { "": { exists: true } };
