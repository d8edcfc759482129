import type { Joined } from "./joined.ts";

/** A use of a target: `name_`, or `__`, which takes the next anonymous one. */
export type Use = { name: string | null; start: number; end: number; text: string };

/** `` `text <href>`_ ``, a URL in the text, or `` `text <name_>`_ ``. */
export type Inline = {
  links: { href: string; start: number; end: number; text: string }[];
  uses: Use[];
  /** Names that are given by `` `name <href>`_ `` and `` `name <other_>`_ ``. */
  targets: { name: string; to: Target }[];
  anchors: string[];
};

export type Target = { href: string } | { alias: string };

/** The punctuation next to which markup may begin and end, as docutils has it. */
const OPENERS = String.raw`"'\(<\[\{\p{Ps}\p{Pi}\p{Pf}`;
const CLOSERS = String.raw`"'\)>\]\}\p{Pe}\p{Pi}\p{Pf}`;
const DELIMITERS = String.raw`\-\/:[[\p{Pd}\p{Po}]--[\x00-\x7f]]`;
const BEFORE = new RegExp(String.raw`[\s${OPENERS}${DELIMITERS}]`, "v");
const SUFFIX = String.raw`(?=$|[\s\0\\.,;!?${DELIMITERS}${CLOSERS}])`;
const AFTER = new RegExp(SUFFIX, "vy");
const WORD = /[\p{L}\p{N}]/u;
const NAME = String.raw`[\p{L}\p{N}]+(?:[\-._+:][\p{L}\p{N}]+)*`;
const ROLE = new RegExp(`:${NAME}:$`, "v");
const LONGEST_ROLE = 100;

const ends = (mark: string, before = String.raw`(?<![\s\0])`) =>
  new RegExp(`${before}${mark}${SUFFIX}`, "vg");

const ENDS = {
  strong: ends(String.raw`\*\*`),
  emphasis: ends(String.raw`\*`),
  literal: ends("``", String.raw`(?<!\s)`),
  target: ends("`"),
  substitution: ends(String.raw`\|_{0,2}`),
  phrase: ends(`\`(?::${NAME}:)?(?:__?)?`, String.raw`(?<!(?<!\0)[\s\0])`),
};

type Kind = keyof typeof ENDS;

const URIC = String.raw`[\-_.!~*'\(\)\[\];\/:@&=+$,%a-zA-Z0-9\0]`;
const URI_END = String.raw`(?:[_~*\/=+a-zA-Z0-9]|${URIC}(?=>))`;
const BARE = new RegExp(
  String.raw`(?:https?|ftp):\/\/${URIC}*${URI_END}(?:\?${URIC}*${URI_END})?(?:#${URIC}*${URI_END})?${SUFFIX}`,
  "vgi",
);

const SPECIAL = /[*`|_]/g;

/** Reads the markup of a paragraph, of which nothing nests. */
export function readInline({ text: source }: Joined): Inline {
  // Escapes keep their length, so that places stay.
  const text = source.replace(/\\([\s\S])/g, "\0$1");
  const found: Inline = { links: [], uses: [], targets: [], anchors: [] };
  /** Marks that no later text ends, so that nothing is searched twice. */
  const endless = new Set<Kind>();
  /** Where the text began that no markup was found in yet; where markup may begin regardless of what is before. */
  let [plain, begin] = [0, 0];

  const mayBegin = (at: number) => at === begin || BEFORE.test(characterBefore(text, at));
  const isFollowed = (at: number) => at >= text.length || !/\s/.test(text[at]!);
  const mayEnd = (at: number) => {
    AFTER.lastIndex = at;
    return AFTER.test(text);
  };
  /** Marks in brackets or quotes stand for themselves: (*) */
  const isQuoted = (at: number, end: number) =>
    end >= text.length || (at !== begin && PAIRS.test(text[at - 1]! + text[end]!));

  function endOf(kind: Kind, from: number): RegExpExecArray | null {
    if (endless.has(kind)) return null;
    const pattern = ENDS[kind];
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (!match) endless.add(kind);
    return match && match.index > from ? match : null;
  }
  function take(from: number, to: number) {
    readBare(text, plain, from, found);
    plain = begin = to;
  }
  function leaveOut(to: number): number {
    begin = to;
    return to;
  }
  /** @returns where to go on */
  function readMarked(kind: Kind, at: number, mark: string): number {
    const from = at + mark.length;
    if (!mayBegin(at) || !isFollowed(from)) return at + 1;
    if (isQuoted(at, from)) return leaveOut(from);
    const end = endOf(kind, from);
    const to = end ? end.index + end[0].length : from;
    take(at, to);
    if (!end) return to;
    const content = text.slice(from, end.index);
    if (kind === "target") found.anchors.push(nameOf(content));
    if (kind === "substitution" && end[0].length > 1) {
      const name = end[0].endsWith("__") ? null : nameOf(content);
      found.uses.push({ name, start: from, end: end.index, text: "" });
    }
    return to;
  }
  function readPhrase(at: number): number {
    const [role] = ROLE.exec(text.slice(Math.max(begin, at - LONGEST_ROLE), at)) ?? [""];
    const hasRole = role !== "" && mayBegin(at - role.length);
    const start = hasRole ? at - role.length : at;
    const from = at + 1;
    if ((!hasRole && !mayBegin(at)) || !isFollowed(from)) return at + 1;
    if (!hasRole && isQuoted(at, from)) return leaveOut(from);
    const end = endOf("phrase", from);
    const to = end ? end.index + end[0].length : from;
    take(start, to);
    if (end && !hasRole && /^`__?$/.test(end[0])) {
      addPhrase(found, text, from, end.index, end[0].endsWith("__"));
    }
    return to;
  }
  /** `name_` and `name__`, of which the underscore was found. */
  function readName(at: number): number {
    const end = text[at + 1] === "_" ? at + 2 : at + 1;
    if (!mayEnd(end)) return at + 1;
    const start = nameBefore(text, at, begin, mayBegin);
    if (start === null) return end;
    take(start, end);
    const name = text.slice(start, at);
    found.uses.push({
      name: end === at + 2 ? null : nameOf(name),
      start,
      end: at,
      text: name,
    });
    return end;
  }
  function readAt(at: number): number {
    const next = text[at + 1];
    switch (text[at]) {
      case "*":
        if (next === "*" && isFollowed(at + 2)) return readMarked("strong", at, "**");
        return next === "*" ? at + 2 : readMarked("emphasis", at, "*");
      case "|":
        return next === "|" ? at + 1 : readMarked("substitution", at, "|");
      case "_":
        if (next === "`" && mayBegin(at) && isFollowed(at + 2))
          return readMarked("target", at, "_`");
        return readName(at);
      default:
        return next === "`" ? readMarked("literal", at, "``") : readPhrase(at);
    }
  }

  for (let at = 0; at < text.length; ) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text);
    if (!special) break;
    at = text[special.index - 1] === "\0" ? special.index + 1 : readAt(special.index);
  }
  readBare(text, plain, text.length, found);
  return found;
}

function readBare(text: string, from: number, to: number, { links }: Inline) {
  const part = text.slice(from, to);
  for (const { 0: href, index } of part.matchAll(BARE)) {
    if (index > 0 && !BEFORE.test(characterBefore(part, index))) continue;
    const start = from + index;
    links.push({ href: unescaped(href), start, end: start + href.length, text: unescaped(href) });
  }
}

/** @param at the place of its underscore */
function nameBefore(
  text: string,
  at: number,
  begin: number,
  mayBegin: (at: number) => boolean,
): number | null {
  let first = at;
  while (first > begin) {
    const before = characterBefore(text, first);
    const isJoint = /[-._+:]/.test(before) && first < at && WORD.test(characterAt(text, first));
    if (!WORD.test(before) && !isJoint) break;
    first -= before.length;
  }
  for (let start = first; start < at; start += characterAt(text, start).length) {
    if (WORD.test(characterAt(text, start)) && mayBegin(start)) return start;
  }
  return null;
}

/** The content of `` `…`_ `` stands from `start` to `end`. */
function addPhrase(found: Inline, text: string, start: number, end: number, isAnonymous: boolean) {
  const content = text.slice(start, end);
  const open = openingOf(content);
  if (open === null) {
    const name = isAnonymous ? null : nameOf(content);
    found.uses.push({ name, start, end, text: unescaped(content) });
    return;
  }
  const address = content.slice(open + 1, -1);
  const words = unescaped(content.slice(0, open)).trim();
  const place = { start: start + open + 1, end: end - 1 };
  const target = targetOf(address);
  const name = words || ("href" in target ? target.href : target.alias);
  if ("href" in target) found.links.push({ href: target.href, ...place, text: name });
  else found.uses.push({ name: target.alias, ...place, text: name });
  if ("href" in target && !isAnonymous) found.targets.push({ name: nameOf(name), to: target });
}

/** Where `<…>` at the end of a phrase opens. */
function openingOf(content: string): number | null {
  if (!content.endsWith(">") || /[\s\0]/.test(content.at(-2) ?? " ")) return null;
  let open = content.lastIndexOf("<", content.length - 2);
  while (open > 0 && content[open - 1] === "\0") open = content.lastIndexOf("<", open - 1);
  if (open < 0 || (open > 0 && !/[ \n]/.test(content[open - 1]!))) return null;
  const inner = content.slice(open + 1, -1);
  return inner === "" || /^\s/.test(inner) || /(?<!\0)>/.test(inner) ? null : open;
}

/** `name_` in angle brackets refers to another target, unless it is an address. */
function targetOf(address: string): Target {
  const isAlias =
    address.endsWith("_") && !address.endsWith("\0_") && !/^[a-z][a-z\d.+-]*:\S/i.test(address);
  return isAlias ? { alias: nameOf(address.slice(0, -1)) } : { href: addressOf(address) };
}

/** @param text with escapes as `\0`; unescaped white space only makes it fit into the lines */
export function addressOf(text: string): string {
  const whole = text
    .split(/\0[ \n]/)
    .map((part) => part.replace(/\s+/g, ""))
    .join(" ");
  const href = unescaped(whole);
  return /^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/.test(href) ? `mailto:${href}` : href;
}

const unescaped = (text: string) => text.replace(/\0[ \n]/g, "").replaceAll("\0", "");

/** Names match regardless of case and white space. */
export const nameOf = (text: string) =>
  unescaped(text).toLowerCase().split(/\s+/).filter(Boolean).join(" ");

const PAIRS = /^(?:""|''|\(\)|\[\]|\{\}|<>|“”|‘’|«»|»«|„“|‚‘)$/;

function characterBefore(text: string, at: number): string {
  const last = text[at - 1] ?? "";
  return /[\uDC00-\uDFFF]/.test(last) && at > 1 ? text.slice(at - 2, at) : last;
}

const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at)!);
