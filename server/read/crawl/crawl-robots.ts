import { compileRules, linesForUs } from "../../judge/robots-rules.ts";
import { discard, type Fetched, type Fetching, fetchFrom, SourceFailed } from "./fetching.ts";

/** What a site's robots.txt says about a crawl. */
export type CrawlRobots = {
  isAllowed(url: URL): boolean;
  /** Least time between two requests. */
  gapMs: number;
  /** As written, of http and https. */
  sitemaps: string[];
  /** For people, in sentences. */
  notes: string[];
};

/** RFC 9309 §2.5. */
const MOST_BYTES = 500 * 1024;
const MOST_RULES = 5000;
const LONGEST_DELAY_S = 10;
const MOST_SITEMAPS = 1000;

/**
 * Reads the rules of an origin for a crawl. Without a robots.txt everything is allowed (RFC 9309 §2.3.1).
 * @throws SourceFailed `robots_unreachable`, SourceHeld
 */
export async function readCrawlRobots(fetching: Fetching, origin: URL): Promise<CrawlRobots> {
  try {
    const found = await fetchFrom(fetching, new URL("/robots.txt", origin), () => ({}));
    if (found.status >= 500) throw new SourceFailed("unreachable", `It returned ${found.status}.`);
    if (found.status >= 200 && found.status < 300) return rulesIn(await startOf(found));
    await discard(found.body);
    return rulesIn({ text: "", isCut: false });
  } catch (error) {
    if (!(error instanceof SourceFailed) || error.reason === "forbidden_target") throw error;
    const { message } = error;
    throw new SourceFailed("robots_unreachable", `The robots.txt cannot be read. ${message}`);
  }
}

type Start = { text: string; isCut: boolean };

async function startOf({ body }: Fetched): Promise<Start> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > MOST_BYTES) break;
  }
  const isCut = length > MOST_BYTES;
  const text = new TextDecoder().decode(Buffer.concat(pieces).subarray(0, MOST_BYTES));
  // The last line may be half a rule.
  return { text: isCut ? text.slice(0, text.search(/[\r\n][^\r\n]*$/)) : text, isCut };
}

/** Compiles rules once, for all pages of the origin. */
export function rulesIn({ text, isCut }: Start): CrawlRobots {
  const lines = linesForUs(text);
  const { isAllowed, ignored } = compileRules(lines, MOST_RULES);
  const delayS = Math.max(
    0,
    ...lines
      .filter(({ field }) => field === "crawl-delay")
      .map(({ value }) => Number.parseFloat(value) || 0),
  );
  const sitemaps = [...text.matchAll(/^\s*sitemap\s*:\s*(https?:\/\/\S+)/gim)];
  const notes = [
    isCut && "The robots.txt is longer than 500 KiB. The rest was ignored.",
    ignored > 0 &&
      `The robots.txt has more than ${MOST_RULES} rules. The last ${ignored} were ignored.`,
    delayS > LONGEST_DELAY_S &&
      `The robots.txt asks for ${delayS} seconds between requests. The crawl waits ${LONGEST_DELAY_S} seconds.`,
  ];
  return {
    isAllowed,
    gapMs: Math.min(delayS, LONGEST_DELAY_S) * 1000,
    sitemaps: [...new Set(sitemaps.map(([, url]) => url!))].slice(0, MOST_SITEMAPS),
    notes: notes.filter((note) => note !== false),
  };
}
