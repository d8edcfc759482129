import { and, asc, eq, gt, isNotNull, lte } from "drizzle-orm";
import { lockAccounts } from "../../db/queries.ts";
import type { Store } from "../../db/store.ts";
import { accounts, type BatchRow, batches, type LinkRow, links } from "../../db/tables.ts";
import { oneAtATime } from "../../lib/concurrency.ts";
import { inSteps, yieldToEventLoop } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { NO_GROUP } from "../filter.ts";
import { type Joining, joinBatch } from "../members.ts";

/** Batches that take turns, and the links that are read for one of them in a turn. */
const BATCHES_AT_ONCE = 20;
const LINKS_IN_TURN = 2000;

/**
 * Adds all links that match to the batches that are not full yet, in short steps, until the signal. Only one process
 * does so at a time. Each step stores its position, so that another process can continue.
 * @param onFilling called for each batch, whichever process fills it: its links are due as of this moment
 */
export const fillBatches = (
  deps: Deps,
  signal?: AbortSignal,
  onFilling: (startedAt: number) => void = () => {},
): Promise<void> =>
  oneAtATime("fill batches", async () => {
    const filling = await notFilled(deps.store);
    for (const { startedAt } of filling) onFilling(startedAt);
    if (filling.length === 0 || signal?.aborted) return;
    await deps.store.engine.alone("fill batches", (lost) =>
      fillAll(deps, AbortSignal.any(signal ? [signal, lost] : [lost]), onFilling),
    );
  });

async function fillAll(deps: Deps, signal: AbortSignal, onFilling: (startedAt: number) => void) {
  while (!signal.aborted) {
    const filling = await notFilled(deps.store);
    if (filling.length === 0) return;
    for (const { id, startedAt } of filling) {
      onFilling(startedAt);
      const step = (rows: number) => fillStep(deps, id, rows);
      await inSteps(deps.clock, step, { most: LINKS_IN_TURN, signal });
      deps.loops.wake();
      await yieldToEventLoop();
    }
  }
}

const notFilled = (store: Store) =>
  store
    .select({ id: batches.id, startedAt: batches.startedAt })
    .from(batches)
    .where(isNotNull(batches.filledTo))
    .orderBy(asc(batches.startedAt), asc(batches.id))
    .limit(BATCHES_AT_ONCE);

/** @returns how many links were read, at most `rows` */
export const fillStep = ({ store, clock }: Deps, batchId: string, rows: number): Promise<number> =>
  store.transaction(async (tx) => {
    const account = await accountOf(tx, batchId);
    if (!account) return 0;
    await lockAccounts(tx, [account.no]);
    const [batch] = await tx.select().from(batches).where(eq(batches.id, batchId));
    const filledTo = batch?.filledTo ?? null;
    if (!batch || filledTo === null) return 0;
    const filling = { ...batch, filledTo, accountNo: account.no };
    const { seen, joining } = await nextToJoin(tx, filling, rows);
    await joinBatch(tx, filling, joining, clock.now());
    return seen;
  });

async function accountOf(tx: Store, batchId: string) {
  const [account] = await tx
    .select({ no: accounts.no })
    .from(batches)
    .innerJoin(accounts, eq(accounts.id, batches.accountId))
    .where(eq(batches.id, batchId));
  return account;
}

type Filter = Pick<
  BatchRow,
  "filterGroupId" | "filterStatus" | "filterService" | "filterSearch" | "filterFrequency" | "lastNo"
> & { accountNo: number; filledTo: number };

/**
 * Reads the next links in the order of their numbers, and which of them match. The query has only conditions that an
 * index holds in that order: with more, a database could scan any number of links for each one that it returns.
 */
export async function nextToJoin(
  store: Store,
  filter: Filter,
  rows: number,
): Promise<{ seen: number; joining: Joining }> {
  const { no, status, service, groupId, checkFrequency, url } = links;
  const seen = await store
    .select({ no, status, service, groupId, checkFrequency, url })
    .from(links)
    .where(and(isCandidate(filter), gt(no, filter.filledTo), lte(no, filter.lastNo)))
    .orderBy(asc(no))
    .limit(rows);
  const nos = seen.filter((link) => isWanted(link, filter)).map((link) => link.no);
  const isLast = seen.length < rows;
  return { seen: seen.length, joining: { nos, filledTo: isLast ? null : seen.at(-1)!.no } };
}

/** The group belongs to the account. With both conditions a database would choose the wrong index. */
function isCandidate({ accountNo, filterGroupId, filterStatus, filterService }: Filter) {
  const isOurs = eq(links.accountNo, accountNo);
  if (filterGroupId !== null && filterGroupId !== NO_GROUP) return eq(links.groupId, filterGroupId);
  if (filterService !== null) return and(isOurs, eq(links.service, filterService));
  return filterStatus === null ? isOurs : and(isOurs, eq(links.status, filterStatus));
}

type Candidate = Pick<LinkRow, "status" | "service" | "groupId" | "checkFrequency" | "url">;

const isWanted = (link: Candidate, filter: Filter): boolean =>
  (filter.filterStatus === null || link.status === filter.filterStatus) &&
  (filter.filterService === null || link.service === filter.filterService) &&
  (filter.filterFrequency === null || link.checkFrequency === filter.filterFrequency) &&
  (filter.filterGroupId !== NO_GROUP || link.groupId === null) &&
  link.url.toLowerCase().includes((filter.filterSearch ?? "").toLowerCase());
