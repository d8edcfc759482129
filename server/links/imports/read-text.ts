import { itemOf, LONGEST, urlsIn, wholeOf } from "./item.ts";
import { type Reader, type Reading, refuseEndless } from "./reading.ts";

type Line = {
  no: number;
  /** How it begins, for the case that no URL is in it. */
  words: string;
  urls: number;
  isComment: boolean;
};

/**
 * Takes every URL of every line; a line without any is an item as well, to be told what is wrong with it.
 * What begins with # is a comment.
 */
export function readText({ items, notes }: Reading): Reader {
  let line = lineAt(1);
  let comments = 0;
  /** A word that may go on. */
  let waiting = "";

  function goOn(text: string) {
    line.words = `${line.words}${text}`.trimStart().slice(0, LONGEST);
    line.isComment ||= line.words.startsWith("#");
    if (line.isComment) return;
    for (const url of urlsIn(text)) {
      items.push({ ...itemOf("", line.no), url });
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
    goOn(rest);
    for (const each of lines) {
      endLine();
      goOn(each);
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
    ? "1 line begins with # and was taken for a comment."
    : `${count.toLocaleString("en")} lines begin with # and were taken for comments.`;
