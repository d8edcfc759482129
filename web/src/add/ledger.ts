import type { Item } from "../../../server/imports/reading.ts";
import { checkedIn, type Tally } from "../data/adding.ts";
import { api, asSent, unwrap } from "../data/api.ts";

const OUTCOMES = ["waiting", "new", "known", "twice", "refused", "limit", "added"] as const;
type Outcome = (typeof OUTCOMES)[number];

/**
 * For `known` and `added` the id of the link, for `twice` the index of the first, otherwise the reason.
 */
type Detail = string | number | undefined;

/** The first result of a link. */
export type Verdict = {
  status: "active" | "dead" | "unknown";
  reason: string;
  statusCode: number | null;
  responseMs: number | null;
};

/** A list with the outcome of each item, stored compactly because there may be a million. */
export type Ledger = {
  items: Item[];
  outcomes: Uint8Array;
  details: Detail[];
  counts: Record<Outcome, number>;
  /** Indexes of items of which not everything is kept, which are few as a rule. */
  notKept: Set<number>;
  /** First index of each normalized URL that is to be added. */
  firsts: Map<string, number>;
  /** Index of each link that was added, by its id. */
  indexes: Map<string, number>;
  /** Batches of first checks. */
  batches: Batch[];
  /** When the first link was added; no check of them is older. */
  since: string | null;
  verdicts: Map<number, Verdict>;
  /** Indexes of links that are being checked now. */
  checking: Set<number>;
  /** The part whose answer was lost: the server may have added it. */
  inDoubt: number[];
};

export const createLedger = (items: Item[]): Ledger => ({
  items,
  outcomes: new Uint8Array(items.length),
  details: [],
  counts: { waiting: items.length, new: 0, known: 0, twice: 0, refused: 0, limit: 0, added: 0 },
  notKept: new Set(items.flatMap(({ notKept }, i) => (notKept ? [i] : []))),
  firsts: new Map(),
  ...nothingAdded(),
});

const nothingAdded = () => ({
  indexes: new Map<string, number>(),
  batches: [],
  since: null,
  verdicts: new Map<number, Verdict>(),
  checking: new Set<number>(),
  inDoubt: [],
});

/** After everything that was added has been deleted again. */
export const forgetAdded = (ledger: Ledger) => Object.assign(ledger, nothingAdded());

export const outcomeAt = ({ outcomes }: Ledger, index: number): Outcome =>
  OUTCOMES[outcomes[index]!]!;

export function settle(ledger: Ledger, index: number, outcome: Outcome, detail?: Detail) {
  ledger.counts[outcomeAt(ledger, index)]--;
  ledger.counts[outcome]++;
  ledger.outcomes[index] = OUTCOMES.indexOf(outcome);
  ledger.details[index] = detail;
}

const SKIPPED: Outcome[] = ["known", "twice", "refused", "limit"];

export const countSkipped = ({ counts }: Ledger) =>
  SKIPPED.reduce((sum, outcome) => sum + counts[outcome], 0);

/** The first indexes of items that are not added. */
export function skippedIn({ outcomes }: Ledger, most = Number.POSITIVE_INFINITY): number[] {
  const codes = SKIPPED.map((outcome) => OUTCOMES.indexOf(outcome));
  const indexes: number[] = [];
  for (let i = 0; i < outcomes.length && indexes.length < most; i++) {
    if (codes.includes(outcomes[i]!)) indexes.push(i);
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
    characters += sizeOf(items[next]!);
    if (characters > MOST_CHARACTERS && indexes.length > 0) break;
    indexes.push(next);
  }
  return { indexes, next };
}

const sizeOf = ({ url, noted }: Item) => url.length + (noted ? JSON.stringify(noted).length : 0);

/** Indexes of items that are added without something that the list has. */
export const notKeptIn = (ledger: Ledger): number[] =>
  [...ledger.notKept]
    .filter((index) => !SKIPPED.includes(outcomeAt(ledger, index)))
    .sort((a, b) => a - b);

/** Yields between steps of long work, so that the page stays responsive, and reports the progress. */
export type Pace = {
  /**
   * @param done from 0 to 1
   * @throws the reason of the signal when the work is stopped
   */
  rest(done: number): Promise<void>;
};

export const createPace = (signal: AbortSignal, onDone: (done: number) => void): Pace => ({
  async rest(done) {
    onDone(done);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  },
});

const findBatch = (id: string) => unwrap(api.batches({ id }).get());
export type Batch = Awaited<ReturnType<typeof findBatch>>;

const CHECKS_A_PAGE = 100;

/**
 * Brings the verdicts of added links up to date: the batches say how many there are, and the latest checks which. They
 * are written together, so that the list never contradicts the counts.
 * @throws RequestFailed
 */
export async function readVerdicts(ledger: Ledger): Promise<void> {
  await readBatches(ledger);
  await readChecks(ledger);
  ledger.checking = areAllDone(ledger) ? new Set() : await readChecking(ledger);
}

/** Batches that are asked about at once: the first ones, since links are checked in about the order of the list. */
const MOST_BATCHES = 20;

async function readBatches({ batches }: Ledger) {
  const open = batches.filter(({ status }) => status !== "complete").slice(0, MOST_BATCHES);
  await Promise.all(open.map(async (batch) => Object.assign(batch, await findBatch(batch.id))));
}

const areAllDone = ({ batches }: Ledger) => batches.every(({ status }) => status === "complete");

async function readChecks(ledger: Ledger) {
  const { batches, verdicts, since } = ledger;
  const wanted = batches.reduce((sum, { checked }) => sum + checked, 0);
  for (let page = 1, pages = 1; verdicts.size < wanted && page <= pages; page++) {
    const query = { page, per_page: CHECKS_A_PAGE, ...asSent<object>({ start_date: since }) };
    const { items, pagination } = await unwrap(api.history.get({ query }));
    pages = pagination.total_pages;
    for (const check of items) {
      const index = ledger.indexes.get(check.link_id);
      if (index === undefined || verdicts.has(index)) continue;
      const { status, reason, status_code: statusCode, response_time_ms: responseMs } = check;
      verdicts.set(index, { status, reason, statusCode, responseMs });
    }
  }
}

async function readChecking({ indexes }: Ledger): Promise<Set<number>> {
  const query = { status: "checking", page: 1, per_page: CHECKS_A_PAGE } as const;
  const { items } = await unwrap(api.links.get({ query }));
  return new Set(items.flatMap(({ id }) => indexes.get(id) ?? []));
}

export function tallyOf(ledger: Ledger): Tally {
  const { counts, batches } = ledger;
  const sum = (status: "active" | "dead" | "unknown") =>
    batches.reduce((total, batch) => total + batch[status], 0);
  const isComplete = counts.new === 0 && areAllDone(ledger);
  return {
    ...{ total: counts.added + counts.new, added: counts.added, isComplete },
    ...{ alive: sum("active"), dead: sum("dead"), unknown: sum("unknown") },
  };
}

type RowState = "dead" | "unknown" | "checking" | "waiting" | "active";

/** Dead first, since those are looked for; then what may still become so. */
const ORDER: RowState[] = ["dead", "unknown", "checking", "waiting", "active"];

export const stateAt = ({ verdicts, checking }: Ledger, index: number): RowState =>
  verdicts.get(index)?.status ?? (checking.has(index) ? "checking" : "waiting");

/** Indexes of the added links, by state, and within a state as they were given. */
export function orderOf(ledger: Ledger): number[] {
  const byState = new Map<RowState, number[]>(ORDER.map((state) => [state, []]));
  for (const index of ledger.indexes.values()) byState.get(stateAt(ledger, index))!.push(index);
  return ORDER.flatMap((state) => byState.get(state)!);
}

/** "13 of 18 checked", "All 18 checked" */
export function progressText(tally: Tally): string {
  const [checked, total] = [checkedIn(tally), tally.total];
  const shown = total.toLocaleString("en");
  if (tally.isComplete) return `All ${shown} checked`;
  return `${checked.toLocaleString("en")} of ${shown} checked`;
}
