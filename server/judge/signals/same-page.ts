import type { Page } from "../page/page.ts";
import type { Signal } from "../probe/finding.ts";
import type { Answer, Probe } from "../probe/probe.ts";
import {
  decoded,
  domainOf,
  errorPageAt,
  isSamePlace,
  isSiteAddress,
  lastPartOf,
} from "./addresses.ts";

/** How many of 64 bits may differ between two copies of one page. */
const MOST_BITS = 3;
/** Which share of all shingles must be in both copies. */
const LEAST_SHARED = 0.9;

/**
 * Whether two answers show the same page, apart from what repeats the address or changes between requests:
 * slugs, numbers, dates, keys. Ignores statuses.
 */
export function isSamePage(one: Answer, other: Answer): boolean {
  if (endsAtSamePlace(one, other)) return true;
  if (!one.page || !other.page) return false;
  const ignored = new Set([...addressesOf(one), ...addressesOf(other)].flatMap(wordsOf));
  const read = (text: string) => wordsOf(text).filter((word) => !ignored.has(word));
  const isAlike = (ours: string, theirs: string) => read(ours).join() === read(theirs).join();
  if (!isAlike(one.page.title, other.page.title)) return false;
  if (!isAlike(one.page.heading, other.page.heading)) return false;
  const [ours, theirs] = [shinglesOf(one.page, read), shinglesOf(other.page, read)];
  return isNear(simHash(ours), simHash(theirs)) || sharedPart(ours, theirs) >= LEAST_SHARED;
}

/**
 * The SimHash of a page's visible text (Charikar 2002), in 16 hexadecimal digits: small changes of the text
 * change few bits.
 */
export function fingerprintOf(answer: Answer): string {
  const repeated = addressesOf(answer).flatMap(waysToWrite);
  const read = (text: string) => wordsOf(without(text, repeated));
  return simHash(answer.page ? shinglesOf(answer.page, read) : []);
}

export const isNear = (one: string, other: string): boolean =>
  one.length === other.length && bitsApart(one, other) <= MOST_BITS;

/** How many of 64 bits differ between two fingerprints. */
export function bitsApart(one: string, other: string): number {
  const half = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 8), 16);
  const [first, second] = [0, 8].map((at) => bitsIn(half(one, at) ^ half(other, at)));
  return first! + second!;
}

function endsAtSamePlace(one: Answer, other: Answer): boolean {
  if (one.hops.length + other.hops.length === 0) return false;
  const [ours, theirs] = [URL.parse(one.finalUrl), URL.parse(other.finalUrl)];
  return ours !== null && theirs !== null && isSamePlace(ours, theirs);
}

/** The decoded paths and queries of an answer's addresses. */
const addressesOf = ({ hops, finalUrl }: Answer): string[] =>
  [finalUrl, ...hops.map(({ url }) => url)].flatMap((address) => {
    const url = URL.parse(address);
    return url ? [decoded(url.pathname + url.search).toLowerCase()] : [];
  });

/** What a page may repeat of an address: all of it, its path, or the last part, also as words. */
function waysToWrite(address: string): string[] {
  const [path = ""] = address.split("?");
  const slug = lastPartOf(path);
  const words = slug.replace(/[-_+]+/g, " ");
  const slugs = words.includes(" ") || slug.length >= 12 ? [slug, words] : [];
  return [address, path, ...slugs].filter((way) => way.length >= 6);
}

const without = (text: string, repeated: string[]): string =>
  repeated.reduce((left, way) => left.replaceAll(way, " "), text.toLowerCase());

/** A text's words as 32-bit hashes (FNV-1a), without those that contain digits, which change. */
function wordsOf(text: string): number[] {
  const words: number[] = [];
  const small = text.toLowerCase();
  let hash = UNHASHED;
  let isChanging = false;
  for (let at = 0; at <= small.length; at += 1) {
    const code = at < small.length ? small.charCodeAt(at) : 0;
    const kind = KINDS[code];
    if (kind !== OTHER) {
      hash = Math.imul(hash ^ code, 0x01000193);
      if (kind === DIGIT) isChanging = true;
    } else if (hash !== UNHASHED) {
      if (!isChanging) words.push(hash);
      hash = UNHASHED;
      isChanging = false;
    }
  }
  return words;
}

const UNHASHED = 0x811c9dc5 | 0;

const [OTHER, LETTER, DIGIT] = [0, 1, 2];

/** The kind of each UTF-16 code unit. Beyond Latin-1, all but punctuation and symbols count as letters. */
const KINDS = new Uint8Array(0x10000)
  .fill(DIGIT, 48, 58)
  .fill(LETTER, 97, 123)
  .fill(LETTER, 0xc0, 0x2000)
  .fill(LETTER, 0x2c00, 0x3000)
  .fill(LETTER, 0x3040, 0xff00);

/** A page with fewer words is also compared by its markup. */
const FEW_WORDS = 40;

/** Runs of three words, each as a 32-bit hash. */
function shinglesOf(page: Page, read: (text: string) => number[]): number[] {
  const words = read(page.text);
  if (words.length < FEW_WORDS) words.push(...read(page.title), ...read(markupWords(page)));
  const shingles: number[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const second = Math.imul(words[at + 1] ?? 0, 0x9e3779b1);
    const third = Math.imul(words[at + 2] ?? 0, 0x85ebca77);
    shingles.push(mixed(words[at]! ^ second ^ third));
  }
  return shingles;
}

const MARKUP_CHARS = 8192;
const MARKUP_WORDS = /<[a-z][\w-]*|\s(?:id|class|src|href|name|content)=["']?[^"'<>]{1,100}/gi;

/** Tags, and their identifiers and URLs. */
const markupWords = ({ markup }: Page): string =>
  markup.slice(0, MARKUP_CHARS).match(MARKUP_WORDS)?.join(" ") ?? "";

/** The finalizer of MurmurHash3. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Each bit is the majority of the shingles' bits. */
function simHash(shingles: number[]): string {
  const [high, low] = [new Int32Array(32), new Int32Array(32)];
  for (const shingle of shingles) {
    count(high, shingle);
    count(low, mixed(shingle ^ 1));
  }
  return [high, low]
    .map((planes) => (majority(planes, shingles.length / 2) >>> 0).toString(16).padStart(8, "0"))
    .join("");
}

/** Adds the bits to 32 counters at once: bit n of `planes[k]` is bit k of counter n. */
function count(planes: Int32Array, bits: number): void {
  for (let at = 0, carry = bits; carry !== 0; at += 1) {
    const next = planes[at]! & carry;
    planes[at]! ^= carry;
    carry = next;
  }
}

function majority(planes: Int32Array, half: number): number {
  let result = 0;
  for (let bit = 0; bit < 32; bit += 1) {
    let counted = 0;
    for (let at = planes.length - 1; at >= 0; at -= 1) {
      counted = counted * 2 + ((planes[at]! >>> bit) & 1);
    }
    if (counted > half) result |= 1 << bit;
  }
  return result;
}

function bitsIn(number: number): number {
  let bits = 0;
  for (let left = number; left !== 0; left &= left - 1) bits += 1;
  return bits;
}

/** The Jaccard index. */
function sharedPart(ours: number[], theirs: number[]): number {
  const [one, other] = [new Set(ours), new Set(theirs)];
  const both = one.intersection(other).size;
  const all = one.size + other.size - both;
  return all === 0 ? 1 : both / all;
}

/** What a compared address shows; `nothing` if it could not be requested or shows an error. */
export type Comparison = "same" | "missing" | "different" | "nothing";

export function compare(answer: Answer, probe: Probe | null): Comparison {
  if (probe?.kind !== "answered" || probe.bodyProblem === "body_undecodable") return "nothing";
  if (probe.status === 404 || probe.status === 410) return "missing";
  if (probe.status < 200 || probe.status > 299) return "nothing";
  if (isSamePage(answer, probe)) return "same";
  return isSentToErrorPage(probe) ? "missing" : "different";
}

function isSentToErrorPage({ hops, finalUrl }: Answer): boolean {
  const target = hops.length > 0 ? URL.parse(finalUrl) : null;
  return target !== null && errorPageAt(target) !== null;
}

/** The random address to compare with: a home page has none next to it. */
export const comparedAddress = (url: URL) => (isSiteAddress(url) ? "root" : "sibling");

/** Compares with a page of another host, ignoring host names, which parking pages repeat. */
export const compareWithoutHost = (answer: Answer, probe: Probe | null): Comparison =>
  probe?.kind === "answered" ? compare(withoutHost(answer), withoutHost(probe)) : "nothing";

function withoutHost(answer: Answer): Answer {
  const { page, finalUrl } = answer;
  if (!page) return answer;
  const { hostname } = new URL(finalUrl);
  const hidden = (words: string) =>
    words.toLowerCase().replaceAll(hostname, " ").replaceAll(domainOf(hostname), " ");
  const [title, heading] = [hidden(page.title), hidden(page.heading)];
  const [text, markup] = [hidden(page.text), hidden(page.markup)];
  return { ...answer, page: { ...page, title, heading, text, markup } };
}

export const SAME_EVERYWHERE: Signal = {
  rule: "same_everywhere",
  text: "The site shows the same page at an address that cannot exist.",
};

export const HOME_SAME: Signal = { rule: "home_same", text: "The home page shows the same page." };
