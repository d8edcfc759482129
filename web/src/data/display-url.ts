/** The parts of a URL for display only: decoded where that misleads no one. */
export type DisplayUrl = {
  /** Empty for https; with a name and password if the URL has them. */
  scheme: string;
  host: string;
  path: string;
};

const PARTS = /^(https?:)\/\/([^/?#\\]*)(.*)$/is;

/** Any other text is all path. */
export function displayUrl(url: string): DisplayUrl {
  const [, scheme = "", authority = "", path = ""] = PARTS.exec(url) ?? [];
  if (!scheme) return { scheme: "", host: "", path: shownText(url) };
  const at = authority.lastIndexOf("@") + 1;
  const user = shownText(authority.slice(0, at));
  const isPlain = scheme.toLowerCase() === "http:";
  return {
    scheme: `${isPlain || user ? `${scheme.toLowerCase()}//` : ""}${user}`,
    host: shownHost(authority.slice(at)),
    path: shownText(path === "/" ? "" : path),
  };
}

/** All of it in one line, as a row shows it. */
export function shownUrl(url: string): string {
  const { scheme, host, path } = displayUrl(url);
  return scheme + host + path;
}

/** Where the links of a cause or a change are: their host, or the site of several. */
export const placeOf = ({ host, site }: { host: string | null; site: string }) =>
  shownHost(host ?? site);

/** A host or a site: international names in their letters, unless these mislead. */
export const shownHost = (host: string) =>
  host
    .split(".")
    .map((label) => (/^xn--/i.test(label) ? shownLabel(label) : encodeUnsafe(label)))
    .join(".");

function shownLabel(label: string): string {
  const decoded = decodePunycode(label.slice(4).toLowerCase());
  return decoded !== null && isSafe(decoded) && !isLookalike(decoded) ? decoded : label;
}

/** Letters of one segment have one script, so segments are judged one by one. */
const shownText = (text: string) =>
  encodeUnsafe(text)
    .split(/([/?#&=]+)/)
    .map(shownSegment)
    .join("");

const ESCAPED = /(?:%[89a-f][0-9a-f])+/gi;

/** ASCII stays encoded: a decoded `%2F` or `%25` would be another URL. */
function shownSegment(segment: string): string {
  const decoded = segment.replace(ESCAPED, (bytes) => decodeBytes(bytes) ?? bytes);
  return decoded !== segment && isSafe(decoded.replace(/%[0-9a-f]{2}/gi, "")) ? decoded : segment;
}

/** Null where it is not UTF-8. */
export function decodeBytes(bytes: string): string | null {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return null;
  }
}

/** Encodes what is not visible ASCII, so that only decoding, which judges it, can show it. */
const encodeUnsafe = (text: string) =>
  text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);

/** Letters, marks and digits; the rest may be invisible, or look like a slash or a dot. */
const VISIBLE = /^[\p{L}\p{M}\p{N}\x21-\x7e]*$/u;
const UNWANTED =
  /[\p{Default_Ignorable_Code_Point}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|^\p{M}|[/?#&=]\p{M}|\p{M}{3}/u;

const isSafe = (text: string) => VISIBLE.test(text) && !UNWANTED.test(text) && isOneScript(text);

const EAST = /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]*$/u;
const KOREAN = /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}]*$/u;
/** Compatibility forms, such as ｅ, are letters of these scripts, but not as people write them. */
const SCRIPTS = [
  "Latin Cyrillic Greek Armenian Georgian Devanagari Bengali Gurmukhi Gujarati Tamil Telugu",
  "Kannada Malayalam Sinhala Thai Lao Khmer Myanmar Ethiopic Tibetan",
]
  .join(" ")
  .split(" ")
  .map((name) => new RegExp(`^\\p{Script=${name}}*$`, "u"));

function isOneScript(text: string): boolean {
  const letters = text.replace(/[^\p{L}]/gu, "");
  const isUsual = letters.normalize("NFKC") === letters;
  return isUsual && [...SCRIPTS, EAST, KOREAN].some((script) => script.test(letters));
}

/** Cyrillic and Greek letters that all look like Latin ones. */
const isLookalike = (label: string) => /^[0-9\-асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνορτυχω]*$/u.test(label);

const [BASE, MIN, MAX, SKEW, DAMP] = [36, 1, 26, 38, 700];

/** RFC 3492. Null if it is malformed. */
export function decodePunycode(input: string): string | null {
  const cut = input.lastIndexOf("-");
  const output = [...input.slice(0, Math.max(cut, 0))].map((sign) => sign.codePointAt(0)!);
  let [code, at, bias, from] = [128, 0, 72, cut + 1];
  while (from < input.length) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(input.charCodeAt(from++));
      if (digit === null) return null;
      at += digit * weight;
      const limit = Math.min(Math.max(k - bias, MIN), MAX);
      if (digit < limit) break;
      weight *= BASE - limit;
    }
    bias = adapt(at - before, output.length + 1, before === 0);
    code += Math.floor(at / (output.length + 1));
    at %= output.length + 1;
    if (code > 0x10ffff) return null;
    output.splice(at++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(sign: number): number | null {
  if (sign >= 97 && sign <= 122) return sign - 97;
  return sign >= 48 && sign <= 57 ? sign - 22 : null;
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - MIN) * MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - MIN));
  return k + Math.floor(((BASE - MIN + 1) * rest) / (rest + SKEW));
}
