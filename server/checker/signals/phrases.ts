import { MISSING_PHRASES } from "./missing-phrases.ts";

/**
 * How surely words say "there is no such page": clearly, or only as words do that are said of other pages
 * too ("404 Lexington Avenue", "This page is not available").
 */
export type Strength = "clear" | "hint";

/** What is known of the page whose words are read. */
export type Context = {
  /** Whether words are the name of the site. */
  isSiteName: (words: string) => boolean;
  /** Whether the link's own address says the words already, so that a page about them is meant. */
  isNamed: (words: string) => boolean;
};

/**
 * Reads a title or a heading, with or without the name of the site before or behind it. Null when it says
 * anything else as well.
 */
export function missingIn(title: string, context: Context): Strength | null {
  const parts = title.split(SEPARATOR).filter((part) => part !== "");
  if (!parts.some(strengthOf)) return null;
  const { left, isKnown } = withoutSiteName(parts, context.isSiteName);
  const others = left.flatMap((part, at) => (strengthOf(part) || isFiller(part) ? [] : [at]));
  // An unknown name of the site stands first or last; behind a known one only its section may be left.
  const isName = (at: number) => at === left.length - 1 || (at === 0 && !isKnown);
  if (others.length > 1 || !others.every(isName)) return null;
  const strengths = left.map((part) =>
    context.isNamed(part) ? strengthOf(part) && "hint" : strengthOf(part),
  );
  return strengths.find((strength) => strength === "clear") ?? strengths.find(Boolean) ?? null;
}

/** Whether a text begins with what error pages begin with. */
export const startsMissing = (text: string) =>
  START.test(folded(text.slice(0, FIRST_CHARS)).slice(0, FIRST_CHARS));

/**
 * Words as they are compared: small, and Latin and Greek letters without marks, since capitals often go without and a
 * Turkish I loses its dot.
 */
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

/** Whether a line of a page says for itself, and in words, that there is no such page. */
export function isExcuse(line: string): boolean {
  if (line.length > LONGEST_PHRASE) return false;
  const words = folded(line);
  // Some letters become many.
  return words.length <= LONGEST_PHRASE && saysSo(bareOf(words));
}

/** Of a text, enough to hold the longest phrase. */
const FIRST_CHARS = 300;
/** What is longer is a sentence about something. */
const LONGEST_PHRASE = 120;

/** Page titles have their spaces folded. */
const SEPARATOR = / ?(?:[|·•«»—]|::) ?| [-–/] /;

const EDGE = "[^\\p{L}\\p{N}]*";
/** Where phrases begin. Told first, since else all of them are tried after each of many signs in a row. */
const WORD_AHEAD = "(?=[\\p{L}\\p{N}])";
const ERROR_WORD =
  "(?:(?:https?|error|status|fehler|erreur|errore|erro|fout|fel|feil|fejl|virhe|chyba|blad|hata|eroare|hiba|greska|napaka|klaida|kluda|viga|loi|kesalahan|ошибка|помилка|грешка|σφαλμα|خطأ|خطای|שגיאה|エラー|错误|錯誤|오류|에러)(?:[ -]?(?:code|page|no|nr|num|number|koodi|kod|kode))?)";
const BEFORE = `${ERROR_WORD}[\\s:#.-]{0,3}`;
const NUMBER = `(?:${BEFORE}){0,2}[(\\[#]?404[)\\]]?`;
const INTRO = `(?:(?:(?:page )?not found|oo+ps(?:y|ie)?|oeps|упс|jejda|hups|whoops|sorry|uh[ -]?oh|oh no|h+m+|we(?:'re| are) sorry|(?:it )?(?:looks|seems) like|unfortunately|but|error|huch|hoppla|leider|entschuldigung|es tut uns leid|oups|desolee?|nous sommes desoles|lo sentimos|lo siento|ups|ops|siamo spiacenti|spiacenti|desculpe|beklager|hoppsan|przepraszamy|извините|к сожалению|вибачте|抱歉|很抱歉|对不起|對不起|申し訳(?:ありません|ございません)|죄송합니다|uzgunuz|ne pare rau|sajnaljuk|maaf|xin loi|עמכם הסליחה|מצטערים|عذرا|ขออภัย)[^\\p{L}\\p{N}]+${WORD_AHEAD}){0,3}`;
const CLEAR_WORDS = `(?:${MISSING_PHRASES.clear.join("|")})`;

const PLAIN_NUMBER = new RegExp(
  `^${EDGE}${NUMBER}${EDGE}(?:(?:${ERROR_WORD}|page|oops|sorry)${EDGE}){0,2}$`,
  "u",
);
const ERROR_NUMBER = new RegExp(`^${EDGE}(?:${BEFORE}){1,2}[(\\[#]?404(?!\\d).{0,40}$`, "u");
const NUMBER_FIRST = new RegExp(
  `^${EDGE}(?=[(\\[#]?[\\p{L}\\p{N}])${NUMBER}(?![\\p{L}\\p{N}])${EDGE}`,
  "u",
);
const NUMBER_LAST = new RegExp(`[^\\p{L}\\p{N}]{1,4}${NUMBER}${EDGE}$`, "u");
const CLEAR = new RegExp(`^${EDGE}${WORD_AHEAD}${INTRO}${CLEAR_WORDS}${EDGE}$`, "u");
const HINT = new RegExp(
  `^${EDGE}${WORD_AHEAD}${INTRO}(?:${MISSING_PHRASES.hint.join("|")})${EDGE}$`,
  "u",
);
const EXCUSE =
  /^\W*(?:oops|sorry|whoops)[,!.\s]+.{0,40}(?:not found|(?:can.?t|cannot|couldn.?t) (?:be )?f(?:i|ou)nd|doesn.?t exist).{0,20}$/;
const FILLER = new RegExp(`^${EDGE}(?:${ERROR_WORD}|oo+ps|whoops|sorry|oh no)${EDGE}$`, "u");
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}";
/** Sentences of some scripts go on without a space. */
const START = new RegExp(
  `^${EDGE}(?:${NUMBER}(?![\\p{L}\\p{N}])|${INTRO}${CLEAR_WORDS}(?!(?![${UNSPACED}])\\p{L}))`,
  "u",
);

const isFiller = (part: string) => FILLER.test(folded(part));

/** What a line says that holds no name of a site any more. */
function strengthOf(part: string): Strength | null {
  if (part.length > LONGEST_PHRASE) return null;
  const words = folded(part).slice(0, LONGEST_PHRASE + 1);
  if (PLAIN_NUMBER.test(words) || ERROR_NUMBER.test(words)) return "clear";
  const rest = words.replace(NUMBER_FIRST, "");
  const bare = rest.replace(NUMBER_LAST, "");
  if (saysSo(bare)) return "clear";
  const isNumbered = rest !== words && rest.length <= 40;
  return isNumbered || HINT.test(bare) ? "hint" : null;
}

const bareOf = (words: string) => words.replace(NUMBER_FIRST, "").replace(NUMBER_LAST, "");

const saysSo = (bare: string) => CLEAR.test(bare) || EXCUSE.test(bare);

/** The parts without those at either end that are known to name the site. */
function withoutSiteName(parts: string[], isSiteName: Context["isSiteName"]) {
  let [start, end] = [0, parts.length];
  while (end > start && isSiteName(parts[end - 1]!)) end -= 1;
  while (start < end && isSiteName(parts[start]!)) start += 1;
  return { left: parts.slice(start, end), isKnown: end - start < parts.length };
}
