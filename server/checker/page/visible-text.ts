import { decodeHTML } from "entities";

/** What is kept: longer pages are told apart by less. */
const KEPT_CHARS = 16_384;

const COMMENT = /<!--[\s\S]*?-->/g;
const TAG = /<[a-z/!?][^>]*>/gi;
const UNFINISHED = /<(?:!--[\s\S]*|[a-z/!?][^>]*)?$/i;

/** Collects the text between the tags of a page that comes in pieces of UTF-8. */
export function createVisibleText() {
  const decoder = new TextDecoder();
  let text = "";
  let rest = "";
  return {
    take(chunk: Uint8Array): void {
      if (text.length >= KEPT_CHARS) return;
      const markup = rest + decoder.decode(chunk, { stream: true });
      const whole = markup.replace(COMMENT, " ");
      const end = whole.search(UNFINISHED);
      rest = end < 0 ? "" : whole.slice(end);
      text += stripped(end < 0 ? whole : whole.slice(0, end));
    },
    end: (): string =>
      folded(decodeHTML(text + stripped(rest)))
        .trim()
        .slice(0, KEPT_CHARS),
  };
}

const stripped = (markup: string) => folded(markup.replace(TAG, " "));

const folded = (text: string) => text.replace(/\s+/g, " ");
