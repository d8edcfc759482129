import type { Answer } from "../probe/probe.ts";
import { isHome } from "./addresses.ts";

/**
 * How surely a redirect notes where its reader came from: `sure` by a URL or a path, `maybe` by a path without
 * its first slash, which may also name a view, as in `?page=pricing`.
 */
type WayBack = "sure" | "maybe";

/**
 * Whether an address on the way, the last one included, carries the URL or the path of an earlier one in its
 * query, its fragment or its path parameters: plain, percent-encoded up to twice, or in base64. The name of
 * the parameter does not count.
 */
export function carriesWayBack({ hops, finalUrl, fragment }: Answer): WayBack | null {
  if (hops.length === 0) return null;
  const way = [...hops.map(({ url }) => url), finalUrl + fragment].flatMap(
    (url) => URL.parse(url) ?? [],
  );
  const found = way.flatMap((url, at) => {
    const notes = at > 0 ? notesIn(url) : [];
    return notes.length > 0 ? way.slice(0, at).map((from) => carried(notes, from)) : [];
  });
  return found.find((one) => one === "sure") ?? found.find((one) => one === "maybe") ?? null;
}

/** Longer addresses are read up to here. */
const LONGEST = 4096;
/** No link is longer. */
const LONGEST_SOURCE = 2048;
/** Of the tokens of one address, so many are read as base64. */
const MOST_TOKENS = 200;

/** What an address carries behind its path, in every reading that a way back may be written in. */
function notesIn({ pathname, search, hash }: URL): string[] {
  const parameters = /;.*/.exec(pathname)?.[0] ?? "";
  const written = `${parameters}&${search.slice(1)}&${hash.slice(1)}`.slice(0, LONGEST);
  if (written === "&&") return [];
  const plain = readingsOf(written);
  const tokens = new Set(plain.flatMap((text) => text.match(BASE64) ?? []));
  const hidden = [...tokens]
    .slice(0, MOST_TOKENS)
    .flatMap((token) => readingsOf(fromBase64(token)));
  return [...plain, ...hidden].map(folded);
}

/** The address's own encoding comes on top of up to two of the parameter's. */
function readingsOf(text: string): string[] {
  const once = unescaped(text);
  const twice = unescaped(once);
  return [...new Set([text, once, twice, unescaped(twice)])];
}

/** A dot separates the tokens of a JWT. */
const BASE64 = /(?<![\w+/-])[\w+/-]{3,}/g;

const fromBase64 = (token: string) => Buffer.from(token, "base64").toString("utf8");

/** Undoes percent-encoding; what cannot be decoded stays as it is. */
const unescaped = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });

/** JSON may write a slash as `\/`. */
const folded = (text: string) => text.replaceAll("\\/", "/").toLowerCase();

/** A hostile address repeats another as often as it likes. */
const MOST_PLACES = 20;
/** A path of one short part is found in many others, so it must stand alone or behind its host. */
const LONG_PATH = 8;

function carried(notes: string[], from: URL): WayBack | null {
  if (from.href.length > LONGEST_SOURCE) return null;
  const path = folded(unescaped(from.pathname)).replace(/\/+$/, "");
  const isNamed = (wanted: string, isAlone: boolean) =>
    notes.some((note) => stands(note, wanted, isAlone));
  const query = folded(unescaped(from.search));
  if (path === "") return query !== "" && isNamed(`/${query}`, false) ? "sure" : null;
  if (isHome(from)) return null;
  if (isNamed(from.host.toLowerCase() + path, false)) return "sure";
  if (isNamed(path, path.length < LONG_PATH && path.lastIndexOf("/") === 0)) return "sure";
  return path.length >= LONG_PATH && isNamed(path.slice(1), true) ? "maybe" : null;
}

/** Whether `wanted` is in a text and ends there; when it must stand alone, nothing may lead up to it. */
function stands(text: string, wanted: string, isAlone: boolean): boolean {
  let at = text.indexOf(wanted);
  for (let tried = 0; at >= 0 && tried < MOST_PLACES; tried += 1) {
    const ends = !GOES_ON.test(text.slice(at + wanted.length, at + wanted.length + 2));
    if (ends && (!isAlone || at === 0 || !LEADS_UP.test(text[at - 1]!))) return true;
    at = text.indexOf(wanted, at + 1);
  }
  return false;
}

const GOES_ON = /^(?:[\p{L}\p{N}_%-]|[./][\p{L}\p{N}])/u;
const LEADS_UP = /[\p{L}\p{N}_%./-]/u;
