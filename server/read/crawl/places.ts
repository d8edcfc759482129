import type { ElementKind } from "../../ground/lib/vocabulary.ts";
import type { FoundLink } from "../documents/document.ts";

/** The groups of elements that settings name. */
export const ELEMENT_GROUPS = [
  "links",
  "images",
  "media",
  "frames",
  "scripts",
  "styles",
  "metadata",
] as const;
type ElementGroup = (typeof ELEMENT_GROUPS)[number];

/** What visitors click or see. */
export const USUAL_GROUPS: readonly ElementGroup[] = ["links", "images", "media", "frames"];

/** The elements in each group. */
const GROUPS: Record<FoundLink["element"], ElementGroup> = {
  link: "links",
  area: "links",
  definition: "links",
  image: "images",
  media: "media",
  frame: "frames",
  script: "scripts",
  style: "styles",
  metadata: "metadata",
};

/** A place at which a link stands. */
export type Place = {
  /** Absolute, without its fragment; as written if it is not a URL. */
  url: string;
  /** Without `#`; null if there is none. */
  fragment: string | null;
  line: number | null;
  column: number | null;
  element: ElementKind;
  text: string;
};

/** A place, and whether its page asks search engines not to follow it. */
export type DocumentPlace = Place & { isNofollow: boolean };

/** The places of a document. */
export type DocumentPlaces = {
  places: DocumentPlace[];
  /** How many are beyond the limit. */
  ignored: number;
};

const MOST_PLACES = 5000;
const LONGEST_TEXT = 200;

/**
 * Resolves the links of a document. Those with other schemes than http and https are left out.
 * @param base what they are relative to
 * @param groups of elements; all if empty
 */
export function placesOf(
  links: readonly FoundLink[],
  base: string,
  groups: readonly ElementGroup[],
): DocumentPlaces {
  const found: DocumentPlaces = { places: [], ignored: 0 };
  for (const { href, line, column, element, text, isNofollow } of links) {
    if (groups.length > 0 && !groups.includes(GROUPS[element])) continue;
    const target = targetOf(href, base);
    if (!target) continue;
    if (found.places.length < MOST_PLACES) {
      found.places.push({ ...target, line, column, element, text, isNofollow });
    } else found.ignored++;
  }
  return found;
}

/** Resolves an address; null if it is neither of http and https nor an invalid URL. */
export function targetOf(href: string, base: string): Pick<Place, "url" | "fragment"> | null {
  const url = URL.parse(href.trim(), base);
  if (!url) return { url: href.trim(), fragment: null };
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  const at = url.href.indexOf("#");
  if (at < 0) return { url: url.href, fragment: null };
  return { url: url.href.slice(0, at), fragment: url.href.slice(at + 1) };
}

/** A place that is known by its address and its words alone. */
export const placeAt = (
  href: string,
  base: string,
  { text = null, line = null }: { text?: string | null; line?: number | null } = {},
): Place[] => {
  const target = targetOf(href, base);
  const words = (text ?? "").slice(0, LONGEST_TEXT);
  return target ? [{ ...target, line, column: null, element: "link", text: words }] : [];
};
