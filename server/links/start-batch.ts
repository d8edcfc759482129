import { and, eq, gt, isNull, max } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { type BatchRow, batches, links } from "../ground/db/tables.ts";
import { type AppError, conflict } from "../ground/lib/errors.ts";
import { newId } from "../ground/lib/ids.ts";
import type { Caller } from "../http/caller.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import type { BatchFilter, NewBatch } from "./batch-model.ts";
import { refuseUnknownGroup } from "./create.ts";
import { emptyBatch, type Joining, joinBatch, nextToJoin } from "./fill-batches.ts";
import { isCounted, ownFilter, SETTLED } from "./links.ts";
import { findLinks, nextMatching } from "./list.ts";
import { judgeNamed } from "./selection.ts";

/** Links that join during the request; the others join in the background. */
const FIRST_STEP = 100;
/** Batches by filter that an account may run at once: each may have a million links. */
const MOST_RUNNING = 10;

/** The last number of a batch whose links were named. */
const NAMED = 0;

type Failure = { id: string; error: AppError };

/** `batchId` is null when there is no link to check. */
export type BatchStart = { batchId: string | null; started: number; failures: Failure[] };

/** A batch, the links that join it at once, and the named links that cannot. */
type Plan = { batch: BatchRow; joining: Joining; failures: Failure[] };

/**
 * Starts a check of many links. Reports each named link that cannot be checked; repeated ids count once.
 * @throws VALIDATION_ERROR when there is no such group; CONFLICT when too many batches by filter are running
 */
export async function startBatch(
  deps: Deps,
  caller: Caller,
  { link_ids: ids, group_id: groupId, status, filter = { group_id: groupId, status } }: NewBatch,
  saveReply: SaveReply<BatchStart> = saveNoReply,
): Promise<BatchStart> {
  if (!ids) await refuseUnknownGroup(deps, caller, groupId, "group_id");
  const plan = ids ? await planOf(deps, caller, ids) : await planFor(deps, caller, filter);
  return makeChange(deps, caller, async (unit) => {
    if (!ids) await refuseTooMany(unit.store, caller);
    const result = await insertBatch(unit, caller, plan);
    await saveReply(unit.store, result);
    return result;
  });
}

async function insertBatch(
  { store: tx, clock }: Deps,
  { accountNo }: Caller,
  { batch, joining, failures }: Plan,
): Promise<BatchStart> {
  const { nos, filledTo } = joining;
  if (nos.length === 0 && filledTo === null) return { batchId: null, started: 0, failures };
  await tx.insert(batches).values(batch);
  await joinBatch(tx, { ...batch, accountNo }, joining, clock.now());
  // Exact when all links have joined.
  const started = filledTo === null ? nos.length : Math.max(nos.length, batch.expected);
  return { batchId: batch.id, started, failures };
}

async function planOf(deps: Deps, caller: Caller, ids: string[]): Promise<Plan> {
  const { no, id, accountId } = links;
  const { outcomes, ours } = await judgeNamed(
    deps,
    caller,
    ids,
    (isNamed) => deps.store.select({ no, id, accountId }).from(links).where(isNamed),
    () => "joins",
  );
  const failures = outcomes.filter((outcome) => outcome.status === "failed");
  const nos = ours.map(({ no }) => no);
  const batch = newBatch(deps, caller, {}, { lastNo: NAMED, expected: nos.length });
  return { batch, joining: { nos, filledTo: null }, failures };
}

async function planFor(deps: Deps, caller: Caller, given: BatchFilter): Promise<Plan> {
  const filter = ownFilter(caller, given);
  // Checked again in the transaction; here it saves the search.
  await refuseTooMany(deps.store, caller);
  if (isCounted(filter))
    return planToFill(deps, caller, filter, await lastNumber(deps.store, caller));
  const { nos, next } = await nextMatching(deps, caller, filter, { now: SETTLED });
  const lastNo = nos[0] ?? 0;
  if (next !== null) return planToFill(deps, caller, filter, lastNo);
  const batch = newBatch(deps, caller, filter, { lastNo, expected: nos.length });
  return { batch, joining: { nos, filledTo: null }, failures: [] };
}

/** The first links join at once, the others in the background. */
async function planToFill(
  deps: Deps,
  caller: Caller,
  filter: BatchFilter,
  lastNo: number,
): Promise<Plan> {
  const query = { ...filter, page: 1, per_page: 1 };
  const { total: expected } = await findLinks(deps, caller, query, SETTLED);
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
  filterSite: filter.site || null,
  filterReason: filter.reason ?? null,
  filterMore: moreOf(filter),
});

/** The conditions that have no columns of their own, as JSON. */
function moreOf(filter: BatchFilter): string | null {
  const { group_id: _g, status: _s, service: _v, search: _t, ...others } = filter;
  const { check_frequency: _f, site: _i, reason: _r, ...more } = others;
  return JSON.stringify(more) === "{}" ? null : JSON.stringify(more);
}

/** Links created later do not join. */
async function lastNumber(store: Store, { accountNo }: Caller): Promise<number> {
  const [row] = await store
    .select({ no: max(links.no) })
    .from(links)
    .where(eq(links.accountNo, accountNo));
  return Number(row?.no ?? 0);
}
