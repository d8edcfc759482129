import { decodeHTML } from "entities";

/** What is kept: longer pages are told apart by less. */
const KEPT_CHARS = 16_384;

/** Collects the text of a page that comes in pieces: at most the first 16,384 characters, spaces folded. */
export function createVisibleText() {
  let text = "";
  let news = "";
  return {
    isFull: () => text.length >= KEPT_CHARS,
    add(piece: string): void {
      news += piece;
      if (news.length < KEPT_CHARS) return;
      text += folded(news);
      news = "";
    },
    end: (): string =>
      folded(decodeHTML(text + folded(news)))
        .trim()
        .slice(0, KEPT_CHARS),
  };
}

/** A space that stands alone is not replaced by itself, since most do. */
const folded = (text: string) => text.replace(/ \s+|[^\S ]\s*/g, " ");

const TAG = /<[a-z/!?][^>]*>/gi;

/** Text in which tags are written that are not the page's own. Behind the last `>` no tag ends. */
export function withoutTags(text: string): string {
  const closed = text.lastIndexOf(">") + 1;
  return text.slice(0, closed).replace(TAG, " ") + text.slice(closed);
}
