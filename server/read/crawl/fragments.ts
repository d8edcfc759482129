import { anchorForms } from "../../judge/page/fragments.ts";

/** Anchors of a page beyond this number are not kept, and then none is called missing. */
const MOST_ANCHORS = 2000;

/**
 * Returns the anchor that a fragment names; null for the top of the page, the text of a search, and the paths of apps,
 * which are never judged.
 * @param fragment without `#`
 */
export function anchorIn(fragment: string): string | null {
  const [anchor = ""] = fragment.split(":~:", 1);
  return anchor === "" || /^(top$|[/!])/i.test(anchor) ? null : anchor;
}

/** Packs the ids and names of a page as hashes; null if it has too many. */
export function packAnchors(anchors: Iterable<string>): string | null {
  const hashes = new Set<number>();
  for (const anchor of anchors) {
    hashes.add(hashOf(anchor));
    if (hashes.size > MOST_ANCHORS) return null;
  }
  return Buffer.from(Uint32Array.from(hashes).buffer).toString("base64");
}

const hashOf = (anchor: string) => Bun.hash.xxHash32(anchor);

/**
 * Whether a page has the anchor of a fragment. True where that cannot be said.
 * @param packed from `packAnchors`
 */
export function hasAnchor(packed: string | null, fragment: string): boolean {
  const anchor = anchorIn(fragment);
  if (anchor === null || packed === null) return true;
  const bytes = Buffer.from(packed, "base64");
  const wanted = anchorForms(anchor).map(hashOf);
  for (let at = 0; at < bytes.length; at += 4) {
    if (wanted.includes(bytes.readUInt32LE(at))) return true;
  }
  return false;
}
