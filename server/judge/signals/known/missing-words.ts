import { MISSING_PHRASES } from "./missing.ts";

const EDGE = "[^\\p{L}\\p{N}]*";
/** Prevents that all phrases are tried after each of many punctuation marks in a row. */
const WORD_AHEAD = "(?=[\\p{L}\\p{N}])";
const ERROR_WORD =
  "(?:(?:https?|error|status|fehler|erreur|errore|erro|fout|fel|feil|fejl|virhe|chyba|blad|hata|eroare|hiba|greska|napaka|klaida|kluda|viga|loi|kesalahan|ошибка|помилка|грешка|σφαλμα|خطأ|خطای|שגיאה|エラー|错误|錯誤|오류|에러)(?:[ -]?(?:code|page|no|nr|num|number|koodi|kod|kode))?)";
const BEFORE = `${ERROR_WORD}[\\s:#.-]{0,3}`;
const NUMBER = `(?:${BEFORE}){0,2}[(\\[#]?404[)\\]]?`;
const INTRO = `(?:(?:(?:page )?not found|oo+ps(?:y|ie)?|oeps|упс|jejda|hups|whoops|sorry|uh[ -]?oh|oh no|h+m+|we(?:'re| are) sorry|(?:it )?(?:looks|seems) like|unfortunately|but|error|huch|hoppla|leider|entschuldigung|es tut uns leid|oups|desolee?|nous sommes desoles|lo sentimos|lo siento|ups|ops|siamo spiacenti|spiacenti|desculpe|beklager|hoppsan|przepraszamy|извините|к сожалению|вибачте|抱歉|很抱歉|对不起|對不起|申し訳(?:ありません|ございません)|죄송합니다|uzgunuz|ne pare rau|sajnaljuk|maaf|xin loi|עמכם הסליחה|מצטערים|عذرا|ขออภัย)[^\\p{L}\\p{N}]+${WORD_AHEAD}){0,3}`;
const CLEAR_WORDS = `(?:${[...MISSING_PHRASES.clear, ...MISSING_PHRASES.brief].join("|")})`;

export const BARE_NUMBER = /^[^\p{L}\p{N}]*404[^\p{L}\p{N}]*$/u;
export const ERROR_NUMBER = new RegExp(
  `^${EDGE}${NUMBER}${EDGE}(?:(?:${ERROR_WORD}|page|oops|sorry)${EDGE}){0,2}$`,
  "u",
);
export const NUMBER_FIRST = new RegExp(
  `^${EDGE}(?=[(\\[#]?[\\p{L}\\p{N}])${NUMBER}(?![\\p{L}\\p{N}])${EDGE}`,
  "u",
);
export const NUMBER_LAST = new RegExp(`[^\\p{L}\\p{N}]{1,4}${NUMBER}${EDGE}$`, "u");
/** Google's page ends with `!!1`. */
export const CLEAR = new RegExp(`^${EDGE}${WORD_AHEAD}${INTRO}${CLEAR_WORDS}${EDGE}1?$`, "u");
export const BRIEF = new RegExp(
  `^${EDGE}${WORD_AHEAD}${INTRO}(?:${MISSING_PHRASES.brief.join("|")})${EDGE}$`,
  "u",
);
export const HINT = new RegExp(
  `^${EDGE}${WORD_AHEAD}${INTRO}(?:${MISSING_PHRASES.hint.join("|")})${EDGE}$`,
  "u",
);
export const EXCUSE =
  /^\W*(?:oops|sorry|whoops)[,!.\s]+.{0,40}(?:not found|(?:can.?t|cannot|couldn.?t) (?:be )?f(?:i|ou)nd|doesn.?t exist).{0,20}$/;
export const FILLER = new RegExp(`^${EDGE}(?:${ERROR_WORD}|oo+ps|whoops|sorry|oh no)${EDGE}$`, "u");
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}";
/** In some scripts, sentences continue without a space. */
export const START = new RegExp(
  `^${EDGE}(?:${NUMBER}(?![\\p{L}\\p{N}])|${INTRO}${CLEAR_WORDS}(?!(?![${UNSPACED}])\\p{L}))`,
  "u",
);
