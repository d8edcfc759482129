import { and, asc, eq, gt, inArray, isNotNull, like, not, type SQL, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import {
  type ImportItemRow,
  type ImportRow,
  importItems,
  imports,
  type LinkRow,
} from "../../ground/db/tables.ts";
import type { Clock } from "../../ground/lib/clock.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import { ITEM_OUTCOMES, type ItemOutcome } from "../../ground/lib/vocabulary.ts";
import type { Item } from "../../read/lists/reading.ts";
import type { Deps } from "../../work/deps.ts";
import { leasesOf } from "../../work/nodes.ts";
import { newLease } from "../../work/queue.ts";
import type { Result } from "./part.ts";

/** An import of which this process takes the next step. */
export type Claimed = ImportRow & { lease: string };

/** Another process has taken over the import, or someone has stopped it: nothing of the step is written. */
export class LeaseLost extends Error {}

/** How long a step may take, until another process takes the import over. */
export const LEASE_MS = 30_000;

export type Counts = Record<ItemOutcome, number>;

export const NO_COUNTS = Object.fromEntries(ITEM_OUTCOMES.map((outcome) => [outcome, 0])) as Counts;

export const countsOf = ({ counts }: Pick<ImportRow, "counts">): Counts => JSON.parse(counts);

export const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);

/** An import with what is known of its links. */
export type ShownImport = ImportRow & {
  /** Of the first checks of its links. */
  checked: { active: number; dead: number; unknown: number; skipped: number };
  /** Names of groups that links which would be added are put into. */
  namedGroups: { existing: string[]; missing: string[] };
};

/** An item with the link that it led to. */
export type ShownItem = ImportItemRow & {
  /** When the import was started, or else made. */
  since: number;
  link: Pick<
    LinkRow,
    | "id"
    | "status"
    | "checkingUntil"
    | "lastCheckedAt"
    | "lastReason"
    | "lastStatusCode"
    | "lastResponseTimeMs"
  > | null;
};

/** Takes an import for a step unless another process has it. @param isWanted which imports */
export async function claim(
  { store, clock, nodes }: Pick<Deps, "store" | "clock" | "nodes">,
  isWanted?: SQL,
): Promise<Claimed | null> {
  const now = clock.now();
  const { no, dueAt } = imports;
  // A lease that ends later than any can was made by a clock that was ahead.
  const isDue = sql`(${dueAt} <= ${now} or ${dueAt} > ${now + LEASE_MS})`;
  const [next] = await store
    .select({ no, dueAt })
    .from(imports)
    .where(and(isDue, isWanted))
    .orderBy(asc(dueAt), asc(no))
    .limit(1);
  if (!next) return null;
  const lease = newLease(nodes);
  const [taken] = await store
    .update(imports)
    .set({ lease, dueAt: now + LEASE_MS })
    .where(and(eq(no, next.no), eq(dueAt, next.dueAt!)))
    .returning();
  return taken ? { ...taken, lease } : null;
}

/** Makes imports due that a server has left which had this database to itself, as this one has now. */
export async function resumeLeft({ store, clock }: Pick<Deps, "store" | "clock">): Promise<void> {
  if (store.engine.isShared) return;
  const { lease, dueAt } = imports;
  await store
    .update(imports)
    .set({ lease: null, dueAt: clock.now() })
    .where(and(isNotNull(lease), isNotNull(dueAt), not(like(lease, leasesOf(COMMAND.id)))));
}

/** In place of a node: a command, which may run while a server is started. */
export const COMMAND = { id: "command" };

/** Changes an import that this process has, and keeps it for another step. @throws LeaseLost */
export async function hold(
  { store, clock }: { store: Store; clock: Pick<Clock, "now"> },
  { no, lease }: Claimed,
  change: Partial<ImportRow> = {},
): Promise<void> {
  const now = clock.now();
  const held = await store
    .update(imports)
    .set({ dueAt: now + LEASE_MS, updatedAt: now, ...change })
    .where(and(eq(imports.no, no), eq(imports.lease, lease)))
    .returning({ no: imports.no });
  if (held.length === 0) throw new LeaseLost("This import was stopped, or is continued elsewhere.");
}

/** An item of a list at its place in it. */
export type Placed = { n: number; outcome: ItemOutcome; linkId: string | null; item: Item };

/** Reads the next items with one of the outcomes, in the order of the list. */
export async function nextItems(
  store: Store,
  { no }: Pick<ImportRow, "no">,
  outcomes: ItemOutcome[],
  limit: number,
): Promise<Placed[]> {
  const { n, outcome, linkId, item, importNo } = importItems;
  const parts = await Promise.all(
    outcomes.map((each) =>
      store
        .select({ n, outcome, linkId, item })
        .from(importItems)
        .where(and(eq(importNo, no), eq(outcome, each)))
        .orderBy(asc(n))
        .limit(limit),
    ),
  );
  return parts
    .flat()
    .sort((a, b) => a.n - b.n)
    .slice(0, limit)
    .map((row) => ({ ...row, item: JSON.parse(row.item) }));
}

/** Rows of one statement: more would hold the event loop for longer. */
const ROWS = 200;

const CELLS = {
  import_no: "bigint",
  n: "bigint",
  line: "bigint",
  outcome: "text",
  link_id: "text",
  detail: "text",
  url_hash: "text",
  group_name: "text",
  lacks: "bigint",
  item: "text",
} as const;

const NAMES = sql.raw(Object.keys(CELLS).join(", "));

const insertRows = onRows(
  CELLS,
  (rows) => sql`
    insert into import_items (${NAMES}) select ${NAMES} from ${rows} as read`,
);

const updateRows = onRows(
  CELLS,
  (rows) => sql`
    update import_items set outcome = done.outcome, link_id = done.link_id, detail = done.detail,
      url_hash = done.url_hash, lacks = done.lacks, item = done.item
    from ${rows} as done
    where import_items.import_no = done.import_no and import_items.n = done.n`,
);

/** Adds items that nothing has become of yet. @param from the place of the first */
export async function insertItems(
  store: Store,
  { no }: Pick<ImportRow, "no">,
  items: Item[],
  from: number,
): Promise<void> {
  const rows = items.map((item, i) =>
    cellsOf(no, from + i, { item, outcome: "waiting", linkId: null, detail: null, urlHash: null }),
  );
  for (const some of chunksOf(ROWS, rows)) await insertRows(store, some);
}

/** Stores what became of items. */
export async function updateItems(
  store: Store,
  { no }: Pick<ImportRow, "no">,
  results: [n: number, result: Result][],
): Promise<void> {
  const rows = results.map(([n, result]) => cellsOf(no, n, result));
  for (const some of chunksOf(ROWS, rows)) await updateRows(store, some);
}

const cellsOf = (
  importNo: number,
  n: number,
  { item, outcome, linkId, detail, urlHash }: Omit<Result, "item"> & { item: Item },
) => [
  importNo,
  n,
  item.line,
  outcome,
  linkId,
  detail,
  urlHash,
  item.group,
  (item.notKept ?? []).length > 0 ? 1 : 0,
  JSON.stringify(item),
];

/** The lines of items that would be added, by the hashes of their URLs. */
export async function linesOf(
  store: Store,
  { no }: Pick<ImportRow, "no">,
  hashes: string[],
): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const { urlHash, line, importNo } = importItems;
  const rows = await store
    .select({ urlHash, line })
    .from(importItems)
    .where(and(eq(importNo, no), inArray(urlHash, hashes)));
  return new Map(rows.map((row) => [row.urlHash!, row.line]));
}

/** Deletes the next items of an import that is deleted. Returns how many. */
export async function deleteItems(
  store: Store,
  { no }: Pick<ImportRow, "no">,
  limit: number,
): Promise<number> {
  const { n, importNo } = importItems;
  const isOurs = eq(importNo, no);
  const some = await store
    .select({ n })
    .from(importItems)
    .where(and(isOurs, gt(n, -1)))
    .orderBy(asc(n))
    .limit(limit);
  const last = some.at(-1);
  if (last) await store.delete(importItems).where(and(isOurs, sql`${n} <= ${last.n}`));
  return some.length;
}
