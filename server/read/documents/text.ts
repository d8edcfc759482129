import { type FoundLink, linesOf, type ReadDocument } from "./document.ts";

/** Full-width punctuation, after which no space is written, and quotation marks; for a class of characters. */
export const ENDS_URL = String.raw`\u3000-\u3004\u3008-\u3020\u3030\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65“”„‟«»‹›`;

/** The beginning of a bare URL with all that may be part of it. */
export const BARE_URL = new RegExp(
  `(?:(?<!\\p{L})https?:\\/\\/|(?<![\\p{L}\\p{N}@/.:_-])www\\.)[^\\s<>"\`${ENDS_URL}]+`,
  "giu",
);

const CLOSERS: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/**
 * Removes the full stops and brackets of the sentence around a bare URL. A closing bracket belongs to the URL if the
 * URL opened it.
 * @param tail more characters that may end a URL but are not part of it
 */
export function withoutTail(url: string, tail = ""): string {
  const open = bracketCounts(url);
  let end = url.length;
  while (end > 0) {
    const last = url.charAt(end - 1);
    const opener = CLOSERS[last];
    const isOutside = opener
      ? open[last]! > open[opener]!
      : ".,;:!?'*|\\’…".includes(last) || tail.includes(last);
    if (!isOutside) break;
    if (opener) open[last]!--;
    end--;
  }
  return url.slice(0, end);
}

function bracketCounts(url: string): Record<string, number> {
  const counts: Record<string, number> = { "(": 0, ")": 0, "[": 0, "]": 0, "{": 0, "}": 0 };
  for (const sign of url.match(/[()[\]{}]/g) ?? []) counts[sign]!++;
  return counts;
}

/**
 * Returns a bare URL as an address, `www.` as `http://www.`; null for what is not a URL after all, such as a scheme
 * without a host, or with a placeholder in its place: `https://$HOST/`, `https://*.example.org/`.
 */
export function addressOfBare(url: string): string | null {
  const isWww = /^www\./i.test(url);
  const address = withPlainPath(isWww ? `http://${url}` : url);
  const host = URL.parse(address)?.hostname;
  if (!host || !HOST.test(host)) return null;
  return !isWww || isHost(host) ? address : null;
}

/** As URLs have it, in ASCII and lower case. */
const HOST = /^(?:[a-z\d_][a-z\d._-]*|\[[\da-f:.]+\])$/;

/** Encodes backslashes, which Markdown has as they are, but a URL of the web would take for slashes. */
export const withPlainPath = (url: string) =>
  /^(?:https?:)?\/\//i.test(url) ? url.replaceAll("\\", "%5C") : url;

function isHost(name: string): boolean {
  const labels = name.split(".");
  const last = labels.at(-1)!;
  return (
    labels.length > 1 &&
    /^(?:[a-z]{2,}|xn--[a-z\d-]+)$/.test(last) &&
    labels.slice(-2).every((label) => label !== "" && !label.includes("_"))
  );
}

/** Yields the bare URLs of a text. `www.` becomes `http://www.`, as GitHub has it. */
export function* bareUrlsIn(
  text: string,
  tail = "",
): Generator<Pick<FoundLink, "href" | "from" | "to">> {
  for (const { 0: found, index: from } of text.matchAll(BARE_URL)) {
    const url = withoutTail(found, tail);
    const href = addressOfBare(url);
    if (href !== null) yield { href, from, to: from + url.length };
  }
}

/** A wiki's `[[https://… ][words]]` and `|` in a table end a URL. */
const withSpaces = (text: string) => text.replace(/\]\[|\|/g, (found) => " ".repeat(found.length));

/** Reads the bare URLs of plain text. */
export const readText: ReadDocument = (text) => {
  const lines = linesOf(text);
  const links = [...bareUrlsIn(withSpaces(text))].map((url) => ({
    ...url,
    ...lines.placeOf(url.from, url.to),
    text: "",
    element: "link" as const,
    isNofollow: false,
  }));
  return {
    links,
    anchors: [],
    headings: [],
    title: null,
    base: null,
    canonical: null,
    isNofollow: false,
    disabled: 0,
    notes: [],
  };
};
