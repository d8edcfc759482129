import type { Item } from "../../../server/links/imports/item.ts";

/** What became, or would become, of an item. */
export const OUTCOMES = ["waiting", "new", "known", "twice", "refused", "limit", "added"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * What there is to say of an outcome: of `new` the URL as it would be stored if it is another one, of
 * `known` and `added` the link's id, of `twice` the index of the first, of the others why.
 */
type Detail = string | number | undefined;

/** A long list with the outcome of each item, kept in few and plain things: it may have a million. */
export type Ledger = {
  items: Item[];
  outcomes: Uint8Array;
  details: Detail[];
  counts: Record<Outcome, number>;
  /** The first index of each URL that is to be added, as it would be stored. */
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

/** The indexes on one page of those with the outcome; of all for null. */
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

/** Most items and characters of one request; a character may take three bytes and more. */
const MOST_ITEMS = 1000;
const MOST_CHARACTERS = 600_000;

/** Consecutive items that fit one request, and where the next part begins. */
type Part = { indexes: number[]; next: number };

/** The next part of those that are wanted, which may have looked at more than it takes. */
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

/** Between steps of long work: lets the page answer its user, and tells how far the work has come. */
export type Pace = {
  /**
   * @param done the part of the work that is done, from 0 to 1
   * @throws the signal's reason once the work is to stop
   */
  rest(done: number): Promise<void>;
};

/** Characters read between two rests: a few milliseconds of work. */
export const STRIDE = 256 * 1024;

export const createPace = (signal: AbortSignal, onDone: (done: number) => void): Pace => ({
  async rest(done) {
    onDone(done);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  },
});
