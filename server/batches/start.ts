import { and, eq, inArray, isNotNull, isNull, max, or } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { type Deps, noReceipt, type Receipt } from "../deps.ts";
import { type AppError, conflict, foreign, invalid, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { oneAtATime } from "../lib/lock.ts";
import { totalLinks } from "../links/count.ts";
import type { Store } from "../store/store.ts";
import { type BatchRow, batches, groups, links } from "../store/tables.ts";
import { emptyBatch } from "./batches.ts";
import { nextToJoin } from "./fill.ts";
import { type Joining, joinBatch } from "./members.ts";
import type { NewBatch } from "./model.ts";

/** Links that a request waits for; the others join by and by. */
const FIRST_STEP = 100;
/** Batches by group or status that may run at once for an account: each may have a million links. */
const MOST_RUNNING = 10;

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
  { link_ids: ids, group_id: groupId, status }: NewBatch,
  receipt: Receipt<BatchStart> = noReceipt,
): Promise<BatchStart> {
  if (ids) return begin(deps, await planOf(deps, caller, ids), caller, receipt);
  const filter = { groupId: groupId ?? null, status: status ?? null };
  return oneAtATime(caller.accountId, async () =>
    begin(deps, await planFor(deps, caller, filter), caller, receipt),
  );
}

async function begin(
  deps: Deps,
  plan: Plan,
  caller: Caller,
  receipt: Receipt<BatchStart>,
): Promise<BatchStart> {
  const { joining, batch } = plan;
  const isAny = joining.nos.length > 0 || joining.filledTo !== null;
  const start = {
    batchId: isAny ? batch.id : null,
    started: startedBy(plan),
    failures: plan.failures,
  };
  await deps.store.write([...(isAny ? writesOf(deps, caller, plan) : []), ...receipt(start)]);
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
  const any = { groupId: null, status: null };
  const batch = newBatch(deps, caller, any, { lastNo: 0, expected: nos.length });
  return { batch, joining: { nos, filledTo: null }, failures };
}

type Filter = { groupId: string | null; status: BatchRow["filterStatus"] };

async function planFor(deps: Deps, caller: Caller, filter: Filter): Promise<Plan> {
  const { store } = deps;
  await refuseTooMany(store, caller);
  const expected = await countFitting(deps, caller, filter);
  const lastNo = expected > 0 ? await lastNumber(store, caller) : 0;
  const batch = newBatch(deps, caller, filter, { lastNo, expected });
  const { accountNo } = caller;
  const { joining } = await nextToJoin(store, { ...batch, accountNo, filledTo: 0 }, FIRST_STEP);
  return { batch, joining, failures: [] };
}

async function refuseTooMany(store: Store, { accountId }: Caller): Promise<void> {
  const { completedAt, filterGroupId, filterStatus } = batches;
  const running = await store.$count(
    batches,
    and(
      eq(batches.accountId, accountId),
      isNull(completedAt),
      or(isNotNull(filterGroupId), isNotNull(filterStatus)),
    ),
  );
  if (running < MOST_RUNNING) return;
  throw conflict(
    `${running} batches by group or status are running. Wait until one of them is complete.`,
    { reason: "too_many_batches", limit: MOST_RUNNING, used: running },
  );
}

const newBatch = (
  { clock }: Deps,
  { accountId }: Caller,
  filter: Filter,
  about: { lastNo: number; expected: number },
) => emptyBatch({ id: newId(), accountId, startedAt: clock.now(), ...about }, filter);

/** By kept counts, however many there are. */
async function countFitting(
  deps: Deps,
  caller: Caller,
  { groupId, status }: Filter,
): Promise<number> {
  const subject = groupId ? await numberOfGroup(deps.store, caller, groupId) : caller.accountNo;
  const { total, active, dead } = await totalLinks(deps, subject);
  if (status === null) return total;
  return { active, dead, unknown: total - active - dead }[status];
}

async function numberOfGroup(store: Store, { accountId }: Caller, id: string): Promise<number> {
  const [group] = await store
    .select({ no: groups.no })
    .from(groups)
    .where(and(eq(groups.id, id), eq(groups.accountId, accountId)));
  if (!group) throw invalid({ group_id: ["no such group"] });
  return group.no;
}

/** Links that are made later are none of the batch's. */
async function lastNumber(store: Store, { accountNo }: Caller): Promise<number> {
  const [row] = await store
    .select({ no: max(links.no) })
    .from(links)
    .where(eq(links.accountNo, accountNo));
  return Number(row?.no ?? 0);
}
