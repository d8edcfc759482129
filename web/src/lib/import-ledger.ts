import type { Item } from "../../../server/links/imports/reading.ts";

export const OUTCOMES = ["waiting", "new", "known", "twice", "refused", "limit", "added"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * For `new` the normalized URL if it differs, for `known` and `added` the id of the link, for `twice` the index
 * of the first, otherwise the reason.
 */
type Detail = string | number | undefined;

/** A list with the outcome of each item, stored compactly because there may be a million. */
export type Ledger = {
  items: Item[];
  outcomes: Uint8Array;
  details: Detail[];
  counts: Record<Outcome, number>;
  /** First index of each normalized URL that is to be added. */
  firsts: Map<string, number>;
};

export const createLedger = (items: Item[]): Ledger => ({
  items,
  outcomes: new Uint8Array(items.length),
  details: [],
  counts: {
    waiting: items.length,
    new: 0,
    known: 0,
    twice: 0,
    refused: 0,
    limit: 0,
    added: 0,
  },
  firsts: new Map(),
});

export const outcomeAt = ({ outcomes }: Ledger, index: number): Outcome =>
  OUTCOMES[outcomes[index]!]!;

export function settle(ledger: Ledger, index: number, outcome: Outcome, detail?: Detail) {
  ledger.counts[outcomeAt(ledger, index)]--;
  ledger.counts[outcome]++;
  ledger.outcomes[index] = OUTCOMES.indexOf(outcome);
  ledger.details[index] = detail;
}

/** Indexes on one page of items with the outcome, or of all items for null. */
export function pageOf(
  { outcomes }: Ledger,
  shown: Outcome | null,
  { page, perPage }: { page: number; perPage: number },
): number[] {
  const indexes: number[] = [];
  const code = shown && OUTCOMES.indexOf(shown);
  let passing = (page - 1) * perPage;
  for (let i = 0; i < outcomes.length && indexes.length < perPage; i++) {
    if (code !== null && outcomes[i] !== code) continue;
    if (passing > 0) passing--;
    else indexes.push(i);
  }
  return indexes;
}

/** Limits of one request; a character may take three bytes or more. */
const MOST_ITEMS = 1000;
const MOST_CHARACTERS = 600_000;

/** Consecutive items that fit into one request, and the start of the next part. */
type Part = { indexes: number[]; next: number };

/** Returns the next part of the wanted items. */
export function partFrom(
  { items }: Ledger,
  start: number,
  isWanted: (index: number) => boolean,
): Part {
  const indexes: number[] = [];
  let characters = 0;
  let next = start;
  for (; next < items.length && indexes.length < MOST_ITEMS; next++) {
    if (!isWanted(next)) continue;
    characters += items[next]!.url.length;
    if (characters > MOST_CHARACTERS && indexes.length > 0) break;
    indexes.push(next);
  }
  return { indexes, next };
}

/** Yields between steps of long work, so that the page stays responsive, and reports the progress. */
export type Pace = {
  /**
   * @param done from 0 to 1
   * @throws the reason of the signal when the work is stopped
   */
  rest(done: number): Promise<void>;
};

/** Characters read between two pauses: a few milliseconds of work. */
export const STRIDE = 256 * 1024;

export const createPace = (signal: AbortSignal, onDone: (done: number) => void): Pace => ({
  async rest(done) {
    onDone(done);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  },
});
