import type { UrlState, WebhookRow } from "../db/tables.ts";
import type { SecretBox } from "../lib/secret-box.ts";

type Sealed = Pick<WebhookRow, "url" | "sealedUrl">;

/** Returns the part of a URL that is never a secret: `https://hooks.slack.com/…`. */
export function shortUrl(url: string): string {
  const { origin, href } = new URL(url);
  return href === `${origin}/` ? href : `${origin}/…`;
}

/** Returns the columns of a webhook for this URL. */
export const sealedUrl = (url: string, { seal }: SecretBox) => ({
  url: shortUrl(url),
  sealedUrl: seal(url),
});

/** Returns the URL as a caller may see it: in full with permission to write, if it can be opened. */
export function visibleUrl(
  { url, sealedUrl }: Sealed,
  { open }: SecretBox,
  { write }: { write: boolean },
): { url: string; urlState: UrlState } {
  try {
    const full = open(sealedUrl);
    return write || full === url ? { url: full, urlState: "full" } : { url, urlState: "shortened" };
  } catch {
    return { url, urlState: "unreadable" };
  }
}

/** Shorter parts of a URL are common words rather than secrets. */
const SHORTEST_SECRET = 8;

/**
 * Replaces the parts of the URL that a response repeats, as in "Cannot POST /services/T0/B0/x": more people may read the
 * response than the URL.
 */
export function withoutUrl(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [
    ...[pathname + search, pathname, search, ...pathname.split("/")],
    ...search
      .slice(1)
      .split("&")
      .map((pair) => pair.slice(pair.indexOf("=") + 1)),
    ...searchParams.values(),
  ];
  return parts
    .flatMap((part) => [
      part,
      decoded(part),
      part.replaceAll("/", "\\/"),
      part.replaceAll("&", "&amp;"),
    ])
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
