import { isUnspaced } from "./scripts.ts";

/** Titles that say nothing about their page. */
const GENERIC =
  /^(?:home(?: ?page)?|start(?:seite)?|accueil|inicio|index(?: of\b.*)?|untitled(?: document)?|welcome|log ?in|sign ?in|main page|document|page|new page|just a moment.*|loading.*)$/i;

/** Words of four letters and more that many titles have, whatever they are about. */
const COMMON = new Set(
  (
    "about also been from have here home into just like more most news official only over page site some than that " +
    "their them then there these they this title using very website welcome what when where which will with world " +
    "your aber alle auch auf beim dass dein diese dieser eine einem einen einer eines für haben ihre kein mehr mein " +
    "nach nicht oder ohne schon sein sich sind über unsere wenn wird wurde zum avec cette comme dans des elle entre " +
    "être leur mais nous pour sans sont sous sur tout tous vers votre vous como cual desde donde entre este esta " +
    "hasta para pero porque sobre todo todos alla anche come dalla della delle dello nella nelle questo questa sono " +
    "tutti mais não nas nos pela pelo sua você aan bij deze door een het maar met naar niet onze uit van voor waar " +
    "как для или это что при все его från inte mellan till vara som över"
  ).split(" "),
);

const LEAST_WORDS = 2;

const RUNS = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /^\p{N}+$/u;
const HANGUL = /\p{Script=Hangul}/u;
const SEMITIC = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** How many letters a word has at least that says what a title is about. */
function leastLetters(run: string): number {
  if (HANGUL.test(run)) return 2;
  return SEMITIC.test(run) ? 3 : 4;
}

type Word = { text: string; isPair: boolean };

function wordsOf(title: string): Word[] {
  if (GENERIC.test(title.trim())) return [];
  const found = new Map<string, Word>();
  const add = (text: string, isPair: boolean) => found.set(text, { text, isPair });
  for (const [run] of folded(title).matchAll(RUNS)) {
    if (isUnspaced(run)) {
      const letters = [...run];
      for (let at = 0; at + 1 < letters.length; at++) add(letters[at]! + letters[at + 1]!, true);
    } else if (isTelling(run)) add(run, false);
  }
  return [...found.values()];
}

const isTelling = (run: string) =>
  [...run].length >= leastLetters(run) && !COMMON.has(run) && !NUMBER.test(run);

const folded = (text: string) => text.normalize("NFKC").toLowerCase();

/**
 * Returns which part of a title's words are words of a text, from 0 to 1; null if the title has fewer words that say what
 * it is about than `least`.
 */
export function keptPart(title: string, text: string, least = LEAST_WORDS): number | null {
  const words = wordsOf(title);
  if (words.length < least) return null;
  const all = folded(text);
  const kept = words.filter(({ text: word, isPair }) =>
    isPair ? all.includes(word) : hasWord(all, word),
  );
  return kept.length / words.length;
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1], text[at + word.length]];
    if (!(before && LETTER.test(before)) && !(after && LETTER.test(after))) return true;
  }
  return false;
}
