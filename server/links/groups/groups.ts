import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { auditChange, fieldsOf, groupTarget } from "../../accounts/audit.ts";
import { lockLinks, takeNumbers } from "../../ground/db/queries.ts";
import { contains, numbersOf, rowsOf, type Store } from "../../ground/db/store.ts";
import {
  type GroupRow,
  groups,
  linkCounts,
  links,
  pendingDeletions,
  statusDays,
} from "../../ground/db/tables.ts";
import { foreign, limitReached, notFound } from "../../ground/lib/errors.ts";
import { newId, parseId } from "../../ground/lib/ids.ts";
import { type Page, windowOf } from "../../ground/lib/paging.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { GroupSort } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import { type Deps, type SaveReply, saveNoReply } from "../../work/deps.ts";
import { makeChange, type Unit } from "../../work/unit.ts";
import { type Change, changeLinks } from "../change.ts";
import { withListedDetails } from "../fields/details.ts";
import { rescheduleGroup, rescheduleLinks } from "../reschedule.ts";
import { findMutes, inheritAll, inheritMutes, refuseMute, setMute } from "../triage/inherit.ts";
import {
  type CountedGroup,
  type GroupChange,
  type GroupQuery,
  type LinkCounts,
  NewGroup,
} from "./model.ts";

/**
 * Lists that offer an account's groups read all of them. A browser with twenty years of bookmarks has some hundred
 * folders.
 */
const MOST_GROUPS = 5000;
/** Takes SQLite about 6 ms. */
const UNGROUPED_AT_ONCE = 500;

export async function listGroups(
  { store }: Deps,
  caller: Caller,
  { search, sort, ...page }: GroupQuery,
): Promise<Page<CountedGroup>> {
  const { limit, offset } = windowOf(page);
  const ours = and(
    eq(groups.accountId, caller.accountId),
    search ? contains(groups.name, search) : undefined,
  );
  const [rows, [counted]] = await store.batch([
    store
      .select()
      .from(groups)
      .where(ours)
      .orderBy(...ORDERS[sort], desc(groups.createdAt), desc(groups.id))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(groups).where(ours),
  ]);
  // A hundred groups may have a hundred thousand rows of counts.
  return { items: await withCounts(store, caller, store.readPool, rows), total: counted!.total };
}

const countOf = (what: string) =>
  sql.raw(`(select coalesce(sum(${what}), 0) from link_counts where subject = groups.no) desc`);

const ORDERS: Record<GroupSort, SQL[]> = {
  "-created_at": [],
  name: [sql`lower(${groups.name})`],
  "-links": [countOf("active + dead + unknown")],
  "-dead": [countOf("dead")],
};

/** @throws NOT_FOUND, or FORBIDDEN for a group of another account */
export async function findGroup(
  { store }: Pick<Deps, "store">,
  caller: Caller,
  id: string,
): Promise<CountedGroup> {
  const [group] = await store
    .select()
    .from(groups)
    .where(eq(groups.id, parseId(id) ?? ""));
  if (!group) throw notFound("group");
  if (group.accountId !== caller.accountId) throw foreign("group");
  const [counted] = await withCounts(store, caller, store, [group]);
  return counted!;
}

/** @throws CONFLICT when the account has as many as it can have */
export async function createGroup(
  unit: Unit,
  caller: Caller,
  input: NewGroup,
): Promise<CountedGroup> {
  await refuseAtLimit(unit.store, caller);
  const now = unit.clock.now();
  const row: GroupRow = {
    id: newId(),
    accountId: caller.accountId,
    name: input.name,
    description: input.description || null,
    color: input.color,
    createdAt: now,
    updatedAt: now,
    no: await takeNumbers(unit.store, 1),
    cron: input.check_schedule?.cron ?? null,
    timeZone: input.check_schedule?.time_zone ?? null,
  };
  await unit.store.insert(groups).values(row);
  await auditChange(unit, caller, { action: "group.created", target: groupTarget(row) });
  return { ...row, counts: NO_LINKS, mute: null };
}

async function refuseAtLimit(tx: Store, { accountId }: Caller): Promise<void> {
  const [used] = await tx
    .select({ count: count() })
    .from(groups)
    .where(eq(groups.accountId, accountId));
  if (used!.count < MOST_GROUPS) return;
  const advice = "Delete groups that you no longer need, or use tags.";
  throw limitReached("groups", MOST_GROUPS, used!.count, advice);
}

export async function changeGroup(
  deps: Deps,
  caller: Caller,
  id: string,
  change: GroupChange,
): Promise<CountedGroup> {
  refuseMute(deps, change.muted_until);
  const group = await makeChange(deps, caller, (unit) => changeOnly(unit, caller, id, change));
  if (change.check_schedule !== undefined) await rescheduleGroup(deps, caller, group.id);
  if (change.muted_until !== undefined)
    await inheritAll(deps, caller, { kind: "group", subject: group.id });
  return group;
}

async function changeOnly(
  unit: Unit,
  caller: Caller,
  id: string,
  change: GroupChange,
): Promise<CountedGroup> {
  const group = await findGroup(unit, caller, id);
  if (Object.values(change).every((value) => value === undefined)) return group;
  const { name = group.name, color = group.color, description = group.description } = change;
  const { check_schedule: schedule, muted_until: until } = change;
  const wanted = {
    name,
    color,
    description: description || null,
    cron: schedule === undefined ? group.cron : (schedule?.cron ?? null),
    timeZone: schedule === undefined ? group.timeZone : (schedule?.time_zone ?? null),
  };
  const updatedAt = unit.clock.now();
  await unit.store
    .update(groups)
    .set({ ...wanted, updatedAt })
    .where(eq(groups.id, group.id));
  const mute =
    until === undefined
      ? undefined
      : await setMute(unit, caller, { kind: "group", subject: group.id }, until);
  const { cron, timeZone, ...shown } = wanted;
  const isRescheduled = cron !== group.cron || timeZone !== group.timeZone;
  const fields = [
    ...fieldsOf(shown, group),
    ...(isRescheduled ? ["check_schedule"] : []),
    ...(until === undefined || until === (group.mute?.until ?? null) ? [] : ["muted_until"]),
  ];
  await auditChange(unit, caller, { action: "group.changed", target: groupTarget(group), fields });
  return { ...group, ...wanted, updatedAt, ...(mute !== undefined && { mute }) };
}

/**
 * Deletes a group; its links become ungrouped and its history is deleted in the background. A large group is emptied
 * in several transactions. If that is interrupted, the rest of the group stays and can be deleted again.
 */
export async function deleteGroup(deps: Deps, caller: Caller, id: string): Promise<void> {
  const group = await findGroup(deps, caller, id);
  for (;;) {
    const isDeleted = await makeChange(deps, caller, async (unit) => {
      if ((await ungroupSome(unit, group)) === UNGROUPED_AT_ONCE) return false;
      await deleteEmptyGroup(unit, caller, group);
      return true;
    });
    if (isDeleted) return;
    await yieldToEventLoop();
  }
}

/** @returns how many links left the group, at most `UNGROUPED_AT_ONCE` */
async function ungroupSome(unit: Unit, { id, cron }: GroupRow): Promise<number> {
  const { store: tx } = unit;
  const some = await tx
    .select({ no: links.no, checkFrequency: links.checkFrequency })
    .from(links)
    .where(eq(links.groupId, id))
    .orderBy(desc(links.no))
    .limit(UNGROUPED_AT_ONCE);
  const nos = some.map(({ no }) => no);
  await lockLinks(tx, nos);
  const before = cron === null ? [] : await withListedDetails(tx, some);
  await tx
    .update(links)
    .set({ groupId: null })
    .where(and(eq(links.groupId, id), inArray(links.no, sql`${numbersOf(tx, nos)}`)));
  await rescheduleLinks(unit, before);
  await inheritMutes(tx, nos, unit.clock.now());
  return nos.length;
}

/** Records the deletion unless another request has deleted the group meanwhile. */
async function deleteEmptyGroup(unit: Unit, caller: Caller, group: GroupRow): Promise<void> {
  const { store: tx } = unit;
  const { id, no } = group;
  const deleted = await tx.delete(groups).where(eq(groups.id, id)).returning({ id: groups.id });
  if (deleted.length === 0) return;
  await setMute(unit, caller, { kind: "group", subject: id }, null);
  await auditChange(unit, caller, { action: "group.deleted", target: groupTarget(group) });
  await tx.delete(linkCounts).where(eq(linkCounts.subject, no));
  await tx
    .delete(statusDays)
    .where(and(eq(statusDays.accountNo, caller.accountNo), eq(statusDays.groupNo, no)));
  await tx.insert(pendingDeletions).values({ no, id: null, url: null }).onConflictDoNothing();
}

export type MoveResult = { groupId: string; results: Change[] };

/** Moves the account's links into the group and reports why the others were not moved. Repeated ids count once. */
export async function moveLinks(
  deps: Deps,
  caller: Caller,
  groupId: string,
  ids: string[],
  saveReply: SaveReply<MoveResult> = saveNoReply,
): Promise<MoveResult> {
  const group = await findGroup(deps, caller, groupId);
  const toResult = (results: Change[]) => ({ groupId: group.id, results });
  const results = await changeLinks(
    deps,
    caller,
    ids,
    { group_id: group.id },
    (tx, changes) => saveReply(tx, toResult(changes)),
    { action: "link.moved", target: groupTarget(group) },
  );
  return toResult(results);
}

const NO_LINKS: LinkCounts = { active: 0, dead: 0, unknown: 0 };

const sumOf = (column: AnySQLiteColumn) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

const { active, dead, unknown, subject } = linkCounts;
const SUMS = { active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) };

/** @param reader sums the counts: a row for each thousand numbers in which the group has links */
async function withCounts(
  store: Store,
  caller: Caller,
  reader: Pick<Store, "select">,
  rows: GroupRow[],
): Promise<CountedGroup[]> {
  if (rows.length === 0) return [];
  const numbers = rowsOf(
    store,
    { no: "bigint" },
    rows.map(({ no }) => [no]),
  );
  const sums = await reader
    .select({ subject, ...SUMS })
    .from(linkCounts)
    .where(inArray(subject, sql`${numbers}`))
    .groupBy(subject);
  const byNumber = new Map(sums.map(({ subject: no, ...counts }) => [no, counts]));
  const muted = await findMutes(
    store,
    caller,
    "group",
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    counts: byNumber.get(row.no) ?? NO_LINKS,
    mute: muted.get(row.id) ?? null,
  }));
}

/** Counts the account's links that are in no group. */
export async function countUngrouped({ store }: Deps, caller: Caller): Promise<LinkCounts> {
  const ours = store
    .select({ no: groups.no })
    .from(groups)
    .where(eq(groups.accountId, caller.accountId));
  const [counts] = await store.readPool
    .select({
      active: sumOfRest("active"),
      dead: sumOfRest("dead"),
      unknown: sumOfRest("unknown"),
    })
    .from(sql`(
      select active, dead, unknown from link_counts where subject = ${caller.accountNo}
      union all select -active, -dead, -unknown from link_counts where subject in ${ours}
    ) as rest`);
  return counts!;
}

const sumOfRest = (name: string) => sql.raw(`coalesce(sum(${name}), 0)`).mapWith(Number);

/** An account's groups by name or id, as lists and files refer to them. */
export type GroupBook = {
  /** By name, ignoring case, or by id. Of several groups with the name, the oldest. */
  find(wanted: string): GroupRow | undefined;
  /** Oldest first. */
  all(): GroupRow[];
  /** The number of groups with the name. */
  count(name: string): number;
  make(input: { name: string } & Partial<NewGroup>): Promise<GroupRow>;
};

/** Reads all groups of the account, of which there are never many. */
export async function openGroupBook(deps: Deps, caller: Caller): Promise<GroupBook> {
  const rows = await deps.store
    .select()
    .from(groups)
    .where(eq(groups.accountId, caller.accountId))
    .orderBy(asc(groups.createdAt), asc(groups.id));
  const known = new Map<string, GroupRow[]>();
  const add = (key: string, row: GroupRow) => known.set(key, [...(known.get(key) ?? []), row]);
  const addRow = (row: GroupRow) => {
    add(keyOf(row.name), row);
    if (keyOf(row.name) !== row.id) add(row.id, row);
  };
  for (const row of rows) addRow(row);
  return {
    find: (wanted) => known.get(keyOf(wanted))?.[0],
    all: () => rows,
    count: (name) => known.get(keyOf(name))?.length ?? 0,
    async make(input) {
      const { counts: _, ...row } = await makeChange(deps, caller, (unit) =>
        createGroup(unit, caller, NewGroup.parse(input)),
      );
      addRow(row);
      return row;
    },
  };
}

const keyOf = (name: string) => name.trim().toLowerCase();

/** Why a group cannot have the name, as the end of a sentence; null when it can. */
export const problemOfName = (name: string): string | null =>
  NewGroup.safeParse({ name }).error?.issues[0]?.message ?? null;
