import { and, asc, eq, getTableColumns, gt, isNotNull, lte } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { inSteps } from "../history/steps.ts";
import { giveWay } from "../lib/give-way.ts";
import { oneAtATime } from "../lib/lock.ts";
import type { Store } from "../store/store.ts";
import { accounts, type BatchRow, batches, links } from "../store/tables.ts";
import { type Joining, joinBatch } from "./members.ts";

/** Batches that take turns, and how many links of one are looked at in a turn. */
const BATCHES_AT_ONCE = 20;
const LINKS_IN_TURN = 2000;

/**
 * Lets all links that fit join the batches that are not filled yet, in steps that keep nobody waiting, until
 * the signal. Each step tells the batch how far it came, so that whoever comes next goes on from there.
 * @param isFilling hears of each as its turn comes: all of its links are due by the moment that it began
 */
export const fillBatches = (
  deps: Deps,
  signal?: AbortSignal,
  isFilling: (startedAt: number) => void = () => {},
): Promise<void> =>
  oneAtATime("fill batches", async () => {
    while (!signal?.aborted) {
      const filling = await deps.store
        .select({ id: batches.id, startedAt: batches.startedAt })
        .from(batches)
        .where(isNotNull(batches.filledTo))
        .orderBy(asc(batches.startedAt), asc(batches.id))
        .limit(BATCHES_AT_ONCE);
      if (filling.length === 0) return;
      for (const { id, startedAt } of filling) {
        isFilling(startedAt);
        const step = (rows: number) => fillStep(deps, id, rows);
        await inSteps(deps.clock, step, { most: LINKS_IN_TURN, signal });
        deps.loops.wake();
        await giveWay();
      }
    }
  });

/** @returns how many links it looked at, at most `rows` */
export async function fillStep(
  { store, clock }: Deps,
  batchId: string,
  rows: number,
): Promise<number> {
  const [batch] = await store
    .select({ ...getTableColumns(batches), accountNo: accounts.no })
    .from(batches)
    .innerJoin(accounts, eq(accounts.id, batches.accountId))
    .where(eq(batches.id, batchId));
  const filledTo = batch?.filledTo ?? null;
  if (!batch || filledTo === null) return 0;
  const { seen, joining } = await nextToJoin(store, { ...batch, filledTo }, rows);
  await store.write(joinBatch(store, { ...batch, filledTo }, joining, clock.now()));
  return seen;
}

type Filter = Pick<BatchRow, "filterGroupId" | "filterStatus" | "lastNo"> & {
  accountNo: number;
  filledTo: number;
};

/**
 * The next links in the order of their numbers, and which of them fit. The group is the account's: naming
 * both, or a group and a status, would lead a database to look through more than the links that it returns.
 */
export async function nextToJoin(
  store: Store,
  { filterGroupId, filterStatus, lastNo, accountNo, filledTo }: Filter,
  rows: number,
): Promise<{ seen: number; joining: Joining }> {
  const isOfAccount = and(
    eq(links.accountNo, accountNo),
    filterStatus ? eq(links.status, filterStatus) : undefined,
  );
  const seen = await store
    .select({ no: links.no, status: links.status })
    .from(links)
    .where(
      and(
        filterGroupId ? eq(links.groupId, filterGroupId) : isOfAccount,
        gt(links.no, filledTo),
        lte(links.no, lastNo),
      ),
    )
    .orderBy(asc(links.no))
    .limit(rows);
  const fitting = seen.filter(({ status }) => !filterStatus || status === filterStatus);
  const nos = fitting.map(({ no }) => no);
  const isLast = seen.length < rows;
  return { seen: seen.length, joining: { nos, filledTo: isLast ? null : seen.at(-1)!.no } };
}
