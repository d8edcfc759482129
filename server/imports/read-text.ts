import {
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
export function readText({ items, notes }: Reading): Reader {
  let line = lineAt(1);
  let comments = 0;
  /** A word that may be incomplete. */
  let waiting = "";

  function addWords(text: string) {
    line.words = `${line.words}${text}`.trimStart().slice(0, LONGEST);
    line.isComment ||= line.words.startsWith("#");
    if (line.isComment) return;
    for (const found of urlsIn(text)) {
      items.push({ ...itemOf("", line.no), ...found });
      line.urls++;
    }
  }
  function endLine() {
    if (line.isComment) comments++;
    else if (line.urls === 0 && wholeOf(line.words) !== "") items.push(itemOf(line.words, line.no));
    line = lineAt(line.no + 1);
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

const lineAt = (no: number): Line => ({ no, words: "", urls: 0, isComment: false });

const commentsLeftOut = (count: number) =>
  count === 1
    ? "1 line begins with # and was read as a comment."
    : `${count.toLocaleString("en")} lines begin with # and were read as comments.`;
