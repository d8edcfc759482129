import { decodeHTML } from "entities";
import leven from "leven";
import { attributesIn, type Name, nameOf } from "./markup.ts";

/** What a page must have for a fragment to lead somewhere: an element with an id, and texts. */
type Wanted = { anchor: string | null; texts: WantedText[] };

/** Texts without white space, in lower case. `last` stands anywhere after `first`. */
type WantedText = { first: string; last: string | null };

/** Parts of files, states of applications, and times of videos: only programs know if they exist. */
const OF_PROGRAMS = /^[!/]|^L\d|=/;
const DELIMITER = ":~:";

/**
 * Returns what a fragment wants of a page; `top` if every page has it, and `unknown` if no page can be judged by it.
 * @param fragment without `#`, as written
 */
export function wantedBy(fragment: string): Wanted | "top" | "unknown" {
  const at = fragment.indexOf(DELIMITER);
  const name = at < 0 ? fragment : fragment.slice(0, at);
  if (OF_PROGRAMS.test(name)) return "unknown";
  const texts = at < 0 ? [] : textsIn(fragment.slice(at + DELIMITER.length));
  // HTML §7.4.6.4: the top of a page has this name, whatever its case.
  const anchor = name === "" || /^top$/i.test(name) ? null : name;
  return anchor === null && texts.length === 0 ? "top" : { anchor, texts };
}

/** The anchors that fragments want; null if no page need be read for them. */
export function anchorsWantedBy(fragments: readonly string[]): string[] | null {
  const wanted = fragments.map(wantedBy).filter((each) => typeof each === "object");
  return wanted.length > 0 ? wanted.flatMap(({ anchor }) => anchor ?? []) : null;
}

/**
 * The ids by which browsers find an anchor: as written, and decoded (HTML §7.4.6.4). GitHub and GitLab put a prefix before
 * ids, which their scripts find in any case.
 */
export function anchorForms(anchor: string): string[] {
  const bare = anchor.replace(/^user-content-/, "");
  const forms = [anchor, decoded(anchor), bare, decoded(bare)];
  return [
    ...new Set([...forms, `user-content-${bare}`, `user-content-${decoded(bare).toLowerCase()}`]),
  ];
}

/** Leaves a text alone that is not percent-encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a page has of wanted anchors. */
export type Anchors = {
  found: ReadonlySet<string>;
  /** Those that a script has as a text, from which it may make elements. */
  inScripts: ReadonlySet<string>;
  /** The first ids of the page. */
  ids: readonly string[];
  /** Whether the page has more text than is kept. */
  isTextCut: boolean;
};

const MOST_IDS = 1000;
const LONGEST_ID = 100;
const A = nameOf("a");
const MAY_NAME = /\b(?:id|name)\s*=/i;
const ID = new Set(["id"]);
const ID_OR_NAME = new Set(["id", "name"]);

/** Looks for anchors while a page is read. */
export function createAnchorFinder(wanted: readonly string[]) {
  const forms = new Set(wanted.flatMap(anchorForms));
  const found = new Set<string>();
  const inScripts = new Set<string>();
  const ids: string[] = [];

  function note(written: string | undefined): void {
    if (!written) return;
    const id = written.includes("&") ? decodeHTML(written) : written;
    if (forms.has(id)) found.add(id);
    if (ids.length < MOST_IDS && id.length <= LONGEST_ID) ids.push(id);
  }

  return {
    /** @param attributes as written */
    start(name: Name, attributes: string): void {
      if (!MAY_NAME.test(attributes)) return;
      const values = attributesIn(attributes, name === A ? ID_OR_NAME : ID);
      note(values.get("id"));
      note(values.get("name"));
    },
    script(text: string): void {
      for (const anchor of wanted) {
        if (inScripts.has(anchor)) continue;
        if ([anchor, decoded(anchor)].some((form) => isQuotedIn(text, form))) inScripts.add(anchor);
      }
    },
    end: (isTextCut: boolean): Anchors => ({ found, inScripts, ids, isTextCut }),
  };
}

export type AnchorFinder = ReturnType<typeof createAnchorFinder>;

const BEFORE = new Set(['"', "'", "`"]);
const AFTER = new Set([...BEFORE, "\\"]);

function isQuotedIn(script: string, value: string): boolean {
  for (let at = script.indexOf(value); at >= 0; at = script.indexOf(value, at + 1)) {
    if (BEFORE.has(script[at - 1]!) && AFTER.has(script[at + value.length]!)) return true;
  }
  return false;
}

/** Whether a page has an anchor; `script` if one of its scripts may make it. */
export function anchorIn({ found, inScripts }: Anchors, anchor: string): "there" | "script" | null {
  if (anchorForms(anchor).some((form) => found.has(form))) return "there";
  return inScripts.has(anchor) ? "script" : null;
}

const MOST_ALIKE = 3;

/** Returns the ids of a page that look most like an anchor that it does not have. */
export function createAlike({ ids }: Anchors): (anchor: string) => string[] {
  const known = [...new Set(ids)].map((id) => ({ id, letters: lettersOf(id) }));
  return (anchor) => {
    const name = lettersOf(decoded(anchor)).slice(0, LONGEST_ID);
    if (name.length < 3) return [];
    return known
      .flatMap(({ id, letters }) => {
        const edits = editsBetween(name, letters);
        return edits <= name.length / 3 ? [{ id, edits }] : [];
      })
      .sort((a, b) => a.edits - b.edits)
      .slice(0, MOST_ALIKE)
      .map(({ id }) => id);
  };
}

/** Infinity for names that differ much in length, or at both ends. */
function editsBetween(name: string, other: string): number {
  if (isPartOf(name, other)) return 1;
  const isNear = Math.abs(other.length - name.length) <= name.length / 3;
  const hasEnd = name[0] === other[0] || name.endsWith(other.slice(-3));
  return isNear && hasEnd ? leven(name, other) : Infinity;
}

/** Whether one of them is the beginning or the end of the other. */
function isPartOf(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && (long.startsWith(short) || long.endsWith(short));
}

/** Without the marks of letters. */
const lettersOf = (text: string) =>
  /^[\w-]*$/.test(text)
    ? text.toLowerCase().replace(/[_-]/g, "")
    : text
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, "");

/** Reads text directives: `text=[prefix-,]start[,end][,-suffix]` (WICG Text Fragments §3.3). Browsers ignore bad ones. */
const textsIn = (directives: string): WantedText[] =>
  directives.split("&").flatMap((each): WantedText[] => {
    if (!each.startsWith("text=")) return [];
    const parts = each.slice("text=".length).split(",");
    const prefix = parts[0]!.endsWith("-") ? parts.shift()!.slice(0, -1) : "";
    const suffix = parts.at(-1)?.startsWith("-") ? parts.pop()!.slice(1) : "";
    const [start = "", end, ...more] = parts.map(flat);
    if (start === "" || end === "" || more.length > 0) return [];
    const [before, after] = [flat(prefix), flat(suffix)];
    return end === undefined
      ? [{ first: before + start + after, last: null }]
      : [{ first: before + start, last: end + after }];
  });

const flat = (encoded: string) => comparable(decoded(encoded)).replaceAll(" ", "");

const ASCII = /^[\x20-\x7e]*$/;

/** In a form in which browsers, too, ignore case, quotation marks and soft hyphens. */
function comparable(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .replace(/\s+/g, " ")
    .normalize("NFC")
    .replace(/[\u00AD\u200B]/g, "")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201C\u201D]/g, '"');
}

/** Returns whether a text has wanted ones, of which the first and the last begin and end with words (WICG §3.5.2). */
export function createTextTest(text: string): (wanted: WantedText) => boolean {
  const words = comparable(text).split(" ");
  const all = words.join("");
  const starts = new Uint8Array(all.length + 1);
  let length = 0;
  for (const word of words) {
    starts[length] = 1;
    length += word.length;
  }
  const isBound = (at: number) =>
    at === 0 ||
    at === all.length ||
    starts[at] === 1 ||
    !(isOfWord(all[at - 1]!) && isOfWord(all[at]!));

  /** The end of the first occurrence; -1 if there is none. */
  function endOf(part: string, from: number): number {
    for (let at = all.indexOf(part, from); at >= 0; at = all.indexOf(part, at + 1)) {
      if (isBound(at) && isBound(at + part.length)) return at + part.length;
    }
    return -1;
  }

  return ({ first, last }) => {
    const end = endOf(first, 0);
    return end >= 0 && (last === null || endOf(last, end) >= 0);
  };
}

/** Some scripts have no spaces between words. */
const isOfWord = (sign: string) =>
  /[\p{L}\p{N}]/u.test(sign) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    sign,
  );
