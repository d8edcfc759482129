import type { Conclusion } from "./probe/conclusion.ts";
import { type HostSetting, hasCredentials } from "./probe/host-setting.ts";
import { pack, unpack } from "./probe/response.ts";

/** What must not be seen again. */
export type Credentials = Pick<HostSetting, "headers" | "auth">;

/**
 * Runs a check, and masks what was sent to the link's host in all that is kept of it: servers repeat in pages,
 * redirects and headers what they were sent.
 */
export async function withoutSecrets(
  host: Credentials | null | undefined,
  check: () => Promise<Conclusion>,
): Promise<Conclusion> {
  if (!host || !hasCredentials(host)) return check();
  const mask = createMask(host);
  try {
    return masked(await check(), mask);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    throw Object.assign(new Error(mask(message)), { stack: mask(stack ?? "") });
  }
}

/** Our own words in evidence, which a secret may equal by chance. */
const OWN_WORDS = new Set(
  ["at", "profile", "outcome", "reason", "cause", "rule", "asked", "via"].concat([
    "address",
    "tls_expires_at",
    "state",
    "asked_at",
  ]),
);

function masked(conclusion: Conclusion, mask: (text: string) => string): Conclusion {
  const maskAll = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (key, part) =>
      typeof part === "string" && !OWN_WORDS.has(key) ? mask(part) : part,
    );
  const { evidence, finalUrl, excerpt, facts, fragments, page, response } = conclusion;
  return {
    ...conclusion,
    evidence: maskAll(evidence),
    finalUrl: maskAll(finalUrl),
    ...(excerpt !== undefined && { excerpt: mask(excerpt) }),
    ...(page !== undefined && { page: mask(page) }),
    ...(facts && { facts: { ...facts, title: mask(facts.title) } }),
    ...(fragments && {
      fragments: fragments.map(({ alike, ...each }) => ({
        ...each,
        ...(alike && { alike: alike.map(mask) }),
      })),
    }),
    ...(response && {
      response: {
        ...response,
        title: maskAll(response.title),
        content: pack(maskAll(unpack(response.content))),
      },
    }),
  };
}

const MASK = "***";
/** Shorter values are refused, and shorter parts of values are common words. */
const SHORTEST = 6;
/** What is left of the shortest in base64, or decoded. */
const SHORTEST_FORM = 5;

/**
 * Returns what replaces the credentials by `***`, however they are encoded, and also the beginning of one where a text
 * was cut.
 */
export function createMask(credentials: Credentials): (text: string) => string {
  const secrets = secretsOf(credentials).filter(({ length }) => length >= SHORTEST);
  const encoded = secrets.flatMap((secret) => [secret, ...base64sOf(secret)]);
  // A secret may itself look encoded, and then is decoded with the text around it.
  const forms = encoded.flatMap((form) => levelsOf(form).map(({ text }) => text));
  const needles = [...new Set(forms)].filter(({ length }) => length >= SHORTEST_FORM);
  return (text) =>
    withoutSpans(text, spansOf(text, needles))
      .split(/([“”…])/)
      .map((part) => withoutSpans(part, cutsOf(part, needles)))
      .join("");
}

/** The values, and what is secret in those that have several parts. */
function secretsOf({ headers, auth }: Credentials): string[] {
  const values = headers.flatMap(([, value]) => [value, ...partsOf(value)]);
  if (auth === null) return values;
  if (auth.type === "bearer") return [...values, auth.token];
  return [...values, auth.password, `${auth.user}:${auth.password}`];
}

/** `Bearer <token>`, `a=<value>; b=<value>`, `Basic <base64 of user:password>`. */
function partsOf(value: string): string[] {
  const [scheme, basic] = /^basic +(\S+)$/i.exec(value) ?? [];
  const decoded = scheme ? Buffer.from(basic!, "base64").toString() : "";
  const words = value.split(/[\s;,]+/).slice(/^[\w-]+ /.test(value) ? 1 : 0);
  const named = words.map((word) => word.slice(word.indexOf("=") + 1));
  return [...words, ...named, decoded, decoded.slice(decoded.indexOf(":") + 1)];
}

/** Base64 of the secret at each of the three places in which a longer text may have it, but for its ends. */
function base64sOf(secret: string): string[] {
  const whole = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    return bytes.toString("base64").slice([0, 2, 3][before], Math.floor((bytes.length * 4) / 3));
  });
  return [whole, ...inside];
}

/** A text as it is or decoded; `at` has the place of each of its characters in the original, and of the end. */
type Level = { text: string; at: number[] };

/** The encodings of URLs, HTML and JSON. */
const ENCODED =
  /%([0-9a-f]{2})|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|lt|gt|quot|apos|nbsp);|\\u([0-9a-f]{4})|\\(\S)/gi;
const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
/** HTML in a URL that is in another URL, and one more. */
const MOST_LEVELS = 5;

/** Returns a text as it is, decoded, decoded again and so on, each in a form to be compared. */
function levelsOf(original: string): Level[] {
  const levels: Level[] = [];
  let level: Level = {
    text: original,
    at: Array.from({ length: original.length + 1 }, (_, i) => i),
  };
  for (;;) {
    levels.push(replaced(level, DIFFERENT, sameOf));
    const next = replaced(level, ENCODED, decoded);
    if (next.text === level.text || levels.length === MOST_LEVELS) return levels;
    level = next;
  }
}

/** What case, the base64 of URLs, forms and the white space of HTML change. */
const DIFFERENT = /\s+|[+_A-Z-]/g;
const sameOf = ([found]: RegExpExecArray) =>
  found === "_" ? "/" : /[A-Z]/.test(found) ? found.toLowerCase() : " ";

function decoded([found, url, decimal, hex, name, json, escaped]: RegExpExecArray): string {
  if (name) return NAMED[name.toLowerCase()]!;
  if (escaped) return escaped;
  const code = decimal ? Number(decimal) : Number.parseInt((url ?? hex ?? json)!, 16);
  return code <= 0xffff ? String.fromCharCode(code) : found[0]!;
}

/** Replaces what is found by one character each. */
function replaced(
  { text, at }: Level,
  pattern: RegExp,
  by: (found: RegExpExecArray) => string,
): Level {
  const next: Level = { text: "", at: [] };
  let last = 0;
  const keep = (end: number) => {
    next.text += text.slice(last, end);
    for (let i = last; i < end; i++) next.at.push(at[i]!);
  };
  for (const found of text.matchAll(pattern)) {
    keep(found.index);
    next.text += by(found);
    next.at.push(at[found.index]!);
    last = found.index + found[0].length;
  }
  keep(text.length);
  next.at.push(at[text.length]!);
  return next;
}

type Span = [from: number, to: number];

const spansOf = (text: string, needles: string[]): Span[] =>
  levelsOf(text).flatMap((level) =>
    needles.flatMap((needle) => {
      const spans: Span[] = [];
      for (let i = level.text.indexOf(needle); i !== -1; i = level.text.indexOf(needle, i + 1)) {
        spans.push([level.at[i]!, level.at[i + needle.length]!]);
      }
      return spans;
    }),
  );

const SHORTEST_CUT = 4;
/** No text is cut at fewer characters. */
const LEAST_KEPT = 60;

/** Texts are kept up to a length, which may be in the middle of a secret, and of one of its encoded characters. */
function cutsOf(part: string, needles: string[]): Span[] {
  if (part.length < LEAST_KEPT) return [];
  return levelsOf(part).flatMap(({ text, at }) => {
    const whole = text.replace(/(?:%[0-9a-f]?|&#?\w*|\\\w{0,4})$/, "");
    return [text, whole].flatMap((end) =>
      needles.flatMap((needle): Span[] => {
        let length = Math.min(needle.length - 1, end.length);
        while (length >= SHORTEST_CUT && !end.endsWith(needle.slice(0, length))) length--;
        return length < SHORTEST_CUT ? [] : [[at[end.length - length]!, part.length]];
      }),
    );
  });
}

function withoutSpans(text: string, spans: Span[]): string {
  let result = "";
  let last = 0;
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (from >= last) result += text.slice(last, from) + MASK;
    last = Math.max(last, to);
  }
  return result + text.slice(last);
}
