import type { Page } from "../page/page.ts";
import type { Probe } from "../probe/probe.ts";
import { contentLinesOf, picturesOf, widthOf } from "./clues.ts";
import { ADVICE, OFFERS, PERSON, TALK, WEB } from "./known/error-talk.ts";
import { folded, isExcuse } from "./phrases.ts";

/**
 * What a page says besides the words of an error page: `nothing` is at most what error pages say; `posts` are sentences
 * of people, with a time or a form to answer; `something` is anything else.
 */
export type Rest = "nothing" | "something" | "posts";

/**
 * Reads a page apart from its layout and its headings.
 *
 * @param others pages of the same site, whose lines do not count
 */
export function restOf(page: Page, ...others: (Probe | null | undefined)[]): Rest {
  const pages = others.flatMap((other) => (other?.kind === "answered" && other.page) || []);
  const known = new Set(pages.flatMap(contentLinesOf));
  const lines = contentLinesOf(page).filter((line) => !known.has(line) && !TAG.test(line));
  if (lines.reduce((sum, line) => sum + line.length, 0) > MOST_CHARS) return "something";
  const own = lines.flatMap(sentencesIn).filter((sentence) => !isErrorTalk(sentence));
  const asksForText = FIELD.test(page.markup) && !pages.some(({ markup }) => FIELD.test(markup));
  if (own.length === 0) {
    const shown = new Set(pages.flatMap(picturesOf));
    const isShown = lines.some(isDate) || picturesOf(page).some((picture) => !shown.has(picture));
    return asksForText || isShown ? "something" : "nothing";
  }
  const isDated = asksForText || TIME_ELEMENT.test(page.markup) || lines.some(namesTime);
  return isDated && own.some((sentence) => widthOf(sentence) >= SENTENCE_WIDTH)
    ? "posts"
    : "something";
}

/** More is not judged by its sentences. */
const MOST_CHARS = 5000;
const SENTENCE_WIDTH = 20;
/** A tag that is shown as text says nothing. */
const TAG = /^<[^<>]{0,500}>$/;

/** For more than a word, such as a reply. */
const FIELD = /<textarea\b|\scontenteditable\b/i;
const TIME_ELEMENT = /<time\b|\sdatetime=/i;

const namesTime = (line: string) =>
  /(?<!\d)(?:\d{1,2}:\d{2}|\d{4}-\d\d-\d\d|\d{1,2}([./-])\d{1,2}\1\d{2,4}|(?:19|20)\d\d)(?!\d)/.test(
    line,
  );

/** Nothing but a year or a day, as below the name of a picture or a poem. */
const isDate = (line: string) =>
  /^(?:(?:1\d|20)\d\d|\d{4}-\d\d-\d\d|\d{1,2}([./-])\d{1,2}\1\d{2,4})[.,]?$/.test(line);

const sentencesIn = (line: string) => line.match(/[^.!?:。！？：]+[.!?:。！？：]*/g) ?? [];

/** Whether a sentence is one that error pages say, and not one of a person about them. */
function isErrorTalk(sentence: string): boolean {
  const words = folded(sentence).replace(/\s+/g, " ").trim();
  if (!/\p{L}/u.test(words) || isExcuse(sentence)) return true;
  if (words.length > LONGEST || PERSON.test(words)) return false;
  if (/[?？]$/.test(words)) return OFFERS.test(words);
  return TALK.some((talk) => talk.test(words)) || (WEB.test(words) && ADVICE.test(words));
}

/** Longer sentences are not those of error pages. */
const LONGEST = 240;
