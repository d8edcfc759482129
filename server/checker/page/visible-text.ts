import { decodeHTML } from "entities";

/** What is kept: longer pages are told apart by less. */
const KEPT_CHARS = 16_384;

/**
 * Collects the text between the tags of a page that comes in pieces. A page may be made to be slow to read, so
 * each character is looked at a few times at most, whatever is opened and never closed.
 */
export function createVisibleText() {
  let text = "";
  let rest = "";
  let tail = "";
  let closing = "";
  return {
    take(chunk: string): void {
      if (text.length >= KEPT_CHARS) return;
      const news = tail + chunk;
      rest += chunk;
      tail = news.slice(1 - COMMENT_END.length);
      // What is left open is only worth looking at again when something may close it.
      if (!news.includes(closing)) return;
      const markup = withoutComments(rest);
      const end = unfinishedAt(markup);
      rest = markup.slice(end);
      closing = closingOf(rest);
      tail = rest.slice(1 - COMMENT_END.length);
      text += stripped(markup.slice(0, end));
    },
    end: (): string =>
      folded(decodeHTML(text + stripped(rest)))
        .trim()
        .slice(0, KEPT_CHARS),
  };
}

const COMMENT = "<!--";
const COMMENT_END = "-->";
const TAG_START = /<(?:[a-z/!?]|$)/i;
const TAG = /<[a-z/!?][^>]*>/gi;

/** An expression would look for the end of each comment in vain if there is none. */
function withoutComments(markup: string): string {
  let kept = "";
  for (let at = 0; ; ) {
    const start = markup.indexOf(COMMENT, at);
    const end = start < 0 ? -1 : markup.indexOf(COMMENT_END, start + COMMENT.length);
    if (end < 0) return kept + markup.slice(at);
    kept += `${markup.slice(at, start)} `;
    at = end + COMMENT_END.length;
  }
}

/** Where a comment or a tag begins that does not end any more, or the end of all. */
function unfinishedAt(markup: string): number {
  const closed = markup.lastIndexOf(">") + 1;
  const tag = markup.slice(closed).search(TAG_START);
  const comment = markup.indexOf(COMMENT);
  return Math.min(tag < 0 ? markup.length : closed + tag, comment < 0 ? markup.length : comment);
}

/** What ends such a beginning, or nothing when more must be seen of it first. */
function closingOf(unfinished: string): string {
  if (unfinished.length < COMMENT.length) return "";
  return unfinished.startsWith(COMMENT) ? COMMENT_END : ">";
}

/** Behind the last `>` no tag ends, and none is looked for. */
function stripped(markup: string): string {
  const closed = markup.lastIndexOf(">") + 1;
  return folded(markup.slice(0, closed).replace(TAG, " ") + markup.slice(closed));
}

/** A space that stands alone is not replaced by itself, since most do. */
const folded = (text: string) => text.replace(/ \s+|[^\S ]\s*/g, " ");
