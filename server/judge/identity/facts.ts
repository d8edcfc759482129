import type { Page } from "../page/page.ts";
import type { PageFacts } from "../page/page-facts.ts";
import type { Answer } from "../probe/probe.ts";
import { isAppShell } from "../signals/clues.ts";
import { fingerprintOf } from "../signals/same-page.ts";
import { isUnspaced, scriptOf } from "./scripts.ts";
import { keptPart } from "./title-words.ts";

/** What a check needs to know of the page that is remembered. */
export type Remembered = {
  title: string;
  /** Of the page at the last comparison, which is not compared again. Null: it is compared in any case. */
  textHash: number | null;
};

const TITLE_CHARS = 120;
/** A page with fewer words may show the same text as many others. */
const LEAST_WORDS = 40;

/** @param remembered null if nothing is remembered yet */
export function factsOf(answer: Answer, remembered: Remembered | null): PageFacts | null {
  const { page } = answer;
  if (!page) return null;
  const title = page.title.slice(0, TITLE_CHARS).toWellFormed();
  const textHash = Number(Bun.hash(page.text, Bun.hash(page.title) as bigint) >> 11n);
  const facts = { title, language: languageOf(page), textHash };
  if (remembered?.textHash === textHash) return { ...facts, look: null };
  if (!hasEnough(page)) return { ...facts, look: "thin" };
  const look = {
    script: scriptOf(page.text),
    print: fingerprintOf(answer),
    keptTitle: remembered && keptPart(remembered.title, `${page.title}\n${page.text}`),
  };
  return { ...facts, look };
}

const hasEnough = (page: Page) => !isAppShell(page) && wordsIn(page.text, LEAST_WORDS);

/** Languages without spaces have about two letters to a word. */
const LETTERS = /[\p{L}\p{N}]+/gu;
const LETTERS_PER_WORD = 2;

function wordsIn(text: string, least: number): boolean {
  let words = 0;
  for (const [run] of text.matchAll(LETTERS)) {
    words += isUnspaced(run) ? run.length / LETTERS_PER_WORD : 1;
    if (words >= least) return true;
  }
  return false;
}

const languageOf = ({ language }: Page) =>
  /^[a-z]{2,3}(?=$|[-_])/i.exec(language ?? "")?.[0].toLowerCase() ?? null;
