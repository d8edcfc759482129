import { and, eq, gt, inArray, isNull, max, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { asSeen, onlyWhile } from "../../db/as-seen.ts";
import { holdAccounts } from "../../db/hold.ts";
import type { Statement, Store } from "../../db/store.ts";
import { type BatchRow, batches, links } from "../../db/tables.ts";
import { oneAtATime } from "../../lib/concurrency.ts";
import { type AppError, conflict, foreign, invalid, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { type Deps, noReceipt, type Receipt } from "../../work/deps.ts";
import { existingGroups } from "../exist.ts";
import { isCounted, SETTLED } from "../filter.ts";
import { findLinks } from "../find.ts";
import { emptyBatch, type Joining, joinBatch } from "../members.ts";
import { nextMatching } from "../next-matching.ts";
import { nextToJoin } from "./fill.ts";
import type { BatchFilter, NewBatch } from "./model.ts";

/** Links that a request waits for; the others join by and by. */
const FIRST_STEP = 100;
/** Batches by group or status that may run at once for an account: each may have a million links. */
const MOST_RUNNING = 10;

/** The last number of a batch whose links were named. */
const NAMED = 0;

type Failure = { id: string; error: AppError };

/** Without a link to check there is no batch either. */
export type BatchStart = { batchId: string | null; started: number; failures: Failure[] };

/**
 * Starts a check of all the links at once, and tells of each that was named and cannot be checked why not.
 * Repeats count once.
 * @throws VALIDATION_ERROR when there is no such group; CONFLICT when too many such batches run already
 */
export async function startBatch(
  deps: Deps,
  caller: Caller,
  { link_ids: ids, group_id: groupId, status, filter = { group_id: groupId, status } }: NewBatch,
  receipt: Receipt<BatchStart> = noReceipt,
): Promise<BatchStart> {
  if (ids) return begin(deps, await planOf(deps, caller, ids), caller, receipt);
  if (groupId) await refuseStrange(deps, caller, groupId);
  const start = async () =>
    begin(deps, await planFor(deps, caller, filter), caller, receipt, onlyWhileFew(deps, caller));
  return oneAtATime(caller.accountId, () => asSeen(start));
}

async function refuseStrange(deps: Deps, { accountId }: Caller, groupId: string): Promise<void> {
  if ((await existingGroups(deps, accountId, [groupId])).has(groupId)) return;
  throw invalid({ group_id: ["no such group"] });
}

async function begin(
  deps: Deps,
  plan: Plan,
  caller: Caller,
  receipt: Receipt<BatchStart>,
  onlyIf: Statement[] = [],
): Promise<BatchStart> {
  const { joining, batch } = plan;
  const isAny = joining.nos.length > 0 || joining.filledTo !== null;
  const start = {
    batchId: isAny ? batch.id : null,
    started: startedBy(plan),
    failures: plan.failures,
  };
  const writes = isAny ? [...onlyIf, ...writesOf(deps, caller, plan)] : [];
  await deps.store.write([...writes, ...receipt(start)]);
  deps.loops.wake();
  return start;
}

/** Exactly, unless more are to join than did so far. */
const startedBy = ({ batch: { expected }, joining: { nos, filledTo } }: Plan) =>
  filledTo === null ? nos.length : Math.max(nos.length, expected);

/** A batch, who joins it at once, and which of the links that were named cannot. */
type Plan = { batch: BatchRow; joining: Joining; failures: Failure[] };

const writesOf = ({ store, clock }: Deps, { accountNo }: Caller, { batch, joining }: Plan) => [
  store.insert(batches).values(batch),
  ...joinBatch(store, { ...batch, accountNo, filledTo: 0 }, joining, clock.now()),
];

async function planOf(deps: Deps, caller: Caller, ids: string[]): Promise<Plan> {
  const unique = [...new Set(ids)];
  const found = await deps.store
    .select({ no: links.no, id: links.id, accountId: links.accountId })
    .from(links)
    .where(inArray(links.id, unique));
  const byId = new Map(found.map((link) => [link.id, link]));
  const failures = unique.flatMap((id): Failure[] => {
    const link = byId.get(id);
    if (!link) return [{ id, error: notFound("link") }];
    return link.accountId === caller.accountId ? [] : [{ id, error: foreign("link") }];
  });
  const ours = found.filter(({ accountId }) => accountId === caller.accountId);
  const nos = ours.map(({ no }) => no);
  const batch = newBatch(deps, caller, {}, { lastNo: NAMED, expected: nos.length });
  return { batch, joining: { nos, filledTo: null }, failures };
}

async function planFor(deps: Deps, caller: Caller, filter: BatchFilter): Promise<Plan> {
  await refuseTooMany(deps.store, caller);
  if (isCounted(filter))
    return planToFill(deps, caller, filter, await lastNumber(deps.store, caller));
  const { nos, next } = await nextMatching(deps, caller, filter, { now: SETTLED });
  const lastNo = nos[0] ?? 0;
  if (next !== null) return planToFill(deps, caller, filter, lastNo);
  const batch = newBatch(deps, caller, filter, { lastNo, expected: nos.length });
  return { batch, joining: { nos, filledTo: null }, failures: [] };
}

/** The first few join at once, the others by and by. */
async function planToFill(
  deps: Deps,
  caller: Caller,
  filter: BatchFilter,
  lastNo: number,
): Promise<Plan> {
  const query = { ...filter, page: 1, per_page: 1 };
  const { total: expected } = await findLinks(deps, caller, query, { now: SETTLED });
  const batch = newBatch(deps, caller, filter, { lastNo: expected > 0 ? lastNo : 0, expected });
  const { accountNo } = caller;
  const toFill = { ...batch, accountNo, filledTo: 0 };
  const { joining } = await nextToJoin(deps.store, toFill, FIRST_STEP);
  return { batch, joining, failures: [] };
}

async function refuseTooMany(store: Store, { accountId }: Caller): Promise<void> {
  const { completedAt, lastNo } = batches;
  const running = await store.$count(
    batches,
    and(eq(batches.accountId, accountId), isNull(completedAt), gt(lastNo, NAMED)),
  );
  if (running < MOST_RUNNING) return;
  throw conflict(
    `${running} batches by group or status are running. Wait until one of them is complete.`,
    { reason: "too_many_batches", limit: MOST_RUNNING, used: running },
  );
}

const onlyWhileFew = ({ store }: Deps, { accountId, accountNo }: Caller): Statement[] => [
  ...holdAccounts(store, [accountNo]),
  ...onlyWhile(
    store,
    accountNo,
    sql`(select count(*) from batches where account_id = ${accountId} and completed_at is null
      and last_no > ${NAMED}) < ${MOST_RUNNING}`,
  ),
];

const newBatch = (
  { clock }: Deps,
  { accountId }: Caller,
  filter: BatchFilter,
  about: { lastNo: number; expected: number },
) => ({
  ...emptyBatch({ id: newId(), accountId, startedAt: clock.now(), ...about }),
  filterGroupId: filter.group_id ?? null,
  filterStatus: filter.status ?? null,
  filterService: filter.service ?? null,
  filterSearch: filter.search || null,
  filterFrequency: filter.check_frequency ?? null,
});

/** Links that are made later are none of the batch's. */
async function lastNumber(store: Store, { accountNo }: Caller): Promise<number> {
  const [row] = await store
    .select({ no: max(links.no) })
    .from(links)
    .where(eq(links.accountNo, accountNo));
  return Number(row?.no ?? 0);
}
