import {
  BARE_NUMBER,
  BRIEF,
  CLEAR,
  ERROR_NUMBER,
  EXCUSE,
  FILLER,
  HINT,
  NUMBER_FIRST,
  NUMBER_LAST,
  START,
} from "./known/missing-words.ts";

/**
 * How clearly words say that there is no such page. `clear`: "Page not found". `brief`: also the name of a work
 * or of the error ("Not found", "Error 404"). `hint`: also said of other pages ("This page is not available").
 * `number`: not evidence alone ("404", "404 Lexington Avenue").
 */
export type Strength = "clear" | "brief" | "hint" | "number";

export type Context = {
  isSiteName: (words: string) => boolean;
  /** Whether the link's own address contains the words, so that a page about them is expected. */
  isNamed: (words: string) => boolean;
};

/** Reads a title, with or without the name of the site. Null if it says anything else too. */
export function missingIn(title: string, context: Context): Strength | null {
  const parts = title.split(SEPARATOR).filter((part) => part !== "");
  if (!parts.some(strengthOf)) return null;
  const { left, isKnown } = withoutSiteName(parts, context.isSiteName);
  const others = left.flatMap((part, at) => (strengthOf(part) || isFiller(part) ? [] : [at]));
  // An unknown name may be first or last; after a known one, only a section may be left.
  const isName = (at: number) =>
    (at === left.length - 1 || (at === 0 && !isKnown)) && isShortName(left[at]!);
  if (others.length > 1 || !others.every(isName)) return null;
  return strongest(left, context);
}

/** Reads a heading, which may only add the site's known name. */
export function missingInHeading(heading: string, context: Context): Strength | null {
  const parts = heading.split(SEPARATOR).filter((part) => part !== "");
  if (!parts.some(strengthOf)) return null;
  const { left } = withoutSiteName(parts, context.isSiteName);
  return left.every((part) => strengthOf(part) || isFiller(part)) ? strongest(left, context) : null;
}

/** The strongest first. */
export const STRENGTHS = ["clear", "brief", "hint", "number"] as const;

function strongest(parts: string[], { isNamed }: Context): Strength | null {
  const strengths = parts.map((part) => {
    const strength = strengthOf(part);
    return strength && strength !== "number" && isNamed(part) ? "hint" : strength;
  });
  // The number together with a phrase is clear.
  const said = strengths.filter((strength) => strength !== null);
  const isNumbered = parts.some((part) => /404/.test(part)) && said.length > 1;
  if (isNumbered && said.some((strength) => strength !== "number")) return "clear";
  return STRENGTHS.find((strength) => said.includes(strength)) ?? null;
}

const isShortName = (part: string) =>
  part.length <= LONGEST_NAME && part.split(" ").length <= MOST_WORDS_OF_NAME;

const LONGEST_NAME = 40;
const MOST_WORDS_OF_NAME = 5;

export const startsMissing = (text: string) =>
  START.test(folded(text.slice(0, FIRST_CHARS)).slice(0, FIRST_CHARS));

/** Normalises words for comparison: lower case, with Latin and Greek letters without marks. */
export function folded(words: string): string {
  if (ASCII.test(words)) return words.toLowerCase().replaceAll("`", "'").trim();
  return words
    .normalize("NFKD")
    .replace(/([A-Za-z\p{Script=Greek}])[\u0300-\u036f]+/gu, "$1")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[ıłø]/g, (letter) => ({ ı: "i", ł: "l", ø: "o" })[letter] ?? letter)
    .trim();
}

const ASCII = /^[\0-\x7f]*$/;

export function isExcuse(line: string): boolean {
  if (line.length > LONGEST_PHRASE) return false;
  const words = folded(line);
  // Normalisation may make words longer.
  return (
    words.length <= LONGEST_PHRASE &&
    saysSo(words.replace(NUMBER_FIRST, "").replace(NUMBER_LAST, ""))
  );
}

/** Enough for the longest phrase. */
const FIRST_CHARS = 300;
const LONGEST_PHRASE = 120;

const SEPARATOR = / ?(?:[|·•«»—]|::) ?| [-–/] /;

const isFiller = (part: string) => FILLER.test(folded(part));

function strengthOf(part: string): Strength | null {
  // A question is not a statement.
  if (part.length > LONGEST_PHRASE || /[?？]\s*$/.test(part)) return null;
  const words = folded(part).slice(0, LONGEST_PHRASE + 1);
  return words.includes("404") ? strengthWithNumber(words) : strengthOfWords(words);
}

function strengthWithNumber(words: string): Strength | null {
  if (BARE_NUMBER.test(words)) return "number";
  if (ERROR_NUMBER.test(words)) return "brief";
  const rest = words.replace(NUMBER_FIRST, "");
  const bare = rest.replace(NUMBER_LAST, "");
  const strength = strengthOfWords(bare);
  if (strength === "brief") return bare === words ? "brief" : "clear";
  return strength ?? (rest !== words && rest.length <= 40 ? "number" : null);
}

function strengthOfWords(words: string): Strength | null {
  if (BRIEF.test(words)) return "brief";
  if (saysSo(words)) return "clear";
  return HINT.test(words) ? "hint" : null;
}

const saysSo = (bare: string) => CLEAR.test(bare) || EXCUSE.test(bare);

/** Removes the site's known name at either end. */
function withoutSiteName(parts: string[], isSiteName: Context["isSiteName"]) {
  let [start, end] = [0, parts.length];
  while (end > start && isSiteName(parts[end - 1]!)) end -= 1;
  while (start < end && isSiteName(parts[start]!)) start += 1;
  return { left: parts.slice(start, end), isKnown: end - start < parts.length };
}

const LONGEST = 80;

/** Quotes words of a page in a sentence for people: shortened, and without control characters. */
export function quoted(words: string, longest = LONGEST): string {
  const clean = words.replace(/[\p{C}\s]+/gu, " ").trim();
  const characters = [...clean.slice(0, 2 * longest)];
  const shown =
    characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : clean;
  return `“${shown}”`;
}
