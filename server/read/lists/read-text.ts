import {
  CUT_SHORT,
  HAS_TAG,
  itemOf,
  LONGEST,
  type Reader,
  type Reading,
  refuseEndless,
  urlsIn,
  wholeOf,
} from "./reading.ts";

type Line = {
  no: number;
  /** Its beginning, in case it has no URL. */
  words: string;
  urls: number;
  isComment: boolean;
};

/**
 * Reads every URL of every line. A line without a URL becomes an item too, so that its problem is reported. Lines that
 * begin with # are comments.
 */
export function readText({ items, notes }: Reading, head: string): Reader {
  const isList = hasOneEach(head);
  let line = lineAt(1);
  let comments = 0;
  /** A word that may be incomplete. */
  let waiting = "";

  function addWords(text: string) {
    line.words = `${line.words}${text}`.trimStart().slice(0, LONGEST);
    line.isComment ||= line.words.startsWith("#");
    if (line.isComment || isList) return;
    for (const found of urlsIn(text)) {
      items.push({ ...itemOf("", line.no), ...found });
      line.urls++;
    }
  }
  function endLine() {
    if (line.isComment) comments++;
    else if (isList && line.words !== "") addLine();
    else if (line.urls === 0 && wholeOf(line.words) !== "") items.push(itemOf(line.words, line.no));
    line = lineAt(line.no + 1);
  }
  /** A line of a list that has words after all is read as any text. */
  function addLine() {
    const words = line.words.trimEnd();
    if (IS_URL.test(words)) items.push(itemOf(words, line.no));
    else if (IS_ALONE.test(words)) {
      const problem = /[<>]/.test(words) ? HAS_TAG : CUT_SHORT;
      items.push({ ...itemOf(words, line.no), problem });
    } else {
      const found = [...urlsIn(words)];
      for (const each of found) items.push({ ...itemOf("", line.no), ...each });
      if (found.length === 0 && words !== "") items.push(itemOf(words, line.no));
    }
  }
  function read(text: string) {
    const [rest = "", ...lines] = text.split("\n");
    addWords(rest);
    for (const each of lines) {
      endLine();
      addWords(each);
    }
  }

  return {
    write(text) {
      const end = text.search(/\s\S*$/) + 1;
      if (end > 0) {
        read(waiting + text.slice(0, end));
        waiting = "";
      }
      waiting += text.slice(end);
      refuseEndless(
        waiting.length,
        "A word of this text has no end. Choose another format, or fix the file.",
      );
    },
    end() {
      read(waiting);
      endLine();
      if (comments > 0) notes.push(commentsLeftOut(comments));
    },
  };
}

/** Nothing but a URL, which is not cut short and has no tag in it. */
const IS_URL = /^https?:\/\/[^\s<>]+$(?<!\.{3}|…)/i;

const BARE = /^\S+$/;
const IS_ALONE = /^https?:\/\/\S+$/i;

/** Whether a text is a list with one URL a line. Then a full stop at the end belongs to the URL, as no sentence ends there. */
function hasOneEach(head: string): boolean {
  const given = givenLines(head);
  const urls = given.filter((line) => IS_URL.test(line));
  const others = given.filter((line) => !BARE.test(line));
  // A list whose lines end with commas is one of several fields.
  const hasSeparators = urls.length > 1 && urls.slice(0, -1).every((line) => /[,;]$/.test(line));
  return urls.length > 0 && others.length * 4 <= given.length && !hasSeparators;
}

/** Without empty lines and comments. */
const givenLines = (head: string): string[] =>
  head
    .split("\n")
    .flatMap((line) => line.trim() || [])
    .filter((line) => !line.startsWith("#"));

/** Whether a text has nothing but URLs, one a line: what looks like markup then is a part of a URL. */
export function hasOnlyUrls(head: string): boolean {
  const given = givenLines(head);
  return given.length > 0 && given.every((line) => IS_ALONE.test(line));
}

const lineAt = (no: number): Line => ({ no, words: "", urls: 0, isComment: false });

const commentsLeftOut = (count: number) =>
  count === 1
    ? "1 line begins with # and was read as a comment."
    : `${count.toLocaleString("en")} lines begin with # and were read as comments.`;
