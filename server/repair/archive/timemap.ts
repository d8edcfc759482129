import { type Capture, chosen, type Question, readTimestamp } from "./cdx.ts";

/** A longer list is read up to here. */
export const TIMEMAP_BYTES = 4 * 1024 * 1024;
const MOST_KEPT = 5;
const LONGEST_ENTRY = 16 * 1024;

/** An entry of a list of links (RFC 6690 §2) with the moment of a memento (RFC 7089 §5.1.1). */
const ENTRY = /<([^<>]+)>([^<]*)/g;

/**
 * Reads a TimeMap as it arrives, and keeps the mementos that are nearest to the moment in question.
 * @param prefix of the TimeMap's own address, before the URL
 */
export function createTimemapReader(question: Question) {
  const decoder = new TextDecoder();
  let rest = "";
  let kept: Capture[] = [];

  function take(text: string, isEnd: boolean): void {
    rest += text;
    const end = isEnd ? rest.length : rest.lastIndexOf("<");
    const found = [...rest.slice(0, end).matchAll(ENTRY)].flatMap(([, url = "", about = ""]) => {
      return toCapture(url, about, question.url) ?? [];
    });
    rest = rest.slice(end).slice(0, LONGEST_ENTRY);
    if (found.length > 0) kept = chosen([...kept, ...found], question).slice(0, MOST_KEPT);
  }

  return {
    take(chunk: Uint8Array) {
      take(decoder.decode(chunk, { stream: true }), false);
    },
    end(): Capture[] {
      take(decoder.decode(), true);
      return kept;
    },
  };
}

function toCapture(url: string, about: string, original: string): Capture | null {
  const isMemento = /;\s*rel\s*=\s*"?[^";]*\bmemento\b/i.test(about);
  const at = Date.parse(/;\s*datetime\s*=\s*"([^"]+)"/i.exec(about)?.[1] ?? "");
  if (!isMemento || !URL.canParse(url)) return null;
  const stamp = /\/(\d{14})\//.exec(url)?.[1];
  const capturedAt = stamp === undefined ? at : (readTimestamp(stamp) ?? at);
  if (Number.isNaN(capturedAt)) return null;
  // Without the banner that archives add to pages.
  const rawUrl = stamp === undefined ? url : url.replace(`/${stamp}/`, `/${stamp}id_/`);
  return { rawUrl, original, capturedAt, digest: null, type: null };
}
