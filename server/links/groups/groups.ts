import { and, count, desc, eq, inArray } from "drizzle-orm";
import { fieldsOf, isNotTold, isThere, makeChange, onRecord } from "../../accounts/audit/record.ts";
import { groupTarget } from "../../accounts/audit/targets.ts";
import type { Caller } from "../../api/caller.ts";
import { holdAccounts, holdLinks } from "../../db/hold.ts";
import { takeNumbers } from "../../db/numbers.ts";
import type { Statement, Store } from "../../db/store.ts";
import { doomed, type GroupRow, groups, linkCounts, links } from "../../db/tables.ts";
import { oneAtATime } from "../../lib/concurrency.ts";
import { foreign, notFound } from "../../lib/errors.ts";
import { newId, parseId } from "../../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../../lib/paging.ts";
import { yieldToEventLoop } from "../../lib/steps.ts";
import { type Deps, noReceipt, type Receipt } from "../../work/deps.ts";
import { NO_LINKS, withCounts } from "./counts.ts";
import type { CountedGroup, GroupChange, NewGroup } from "./model.ts";

/** Takes SQLite about 6 ms. */
const FREED_AT_ONCE = 500;

export async function listGroups(
  { store }: Deps,
  caller: Caller,
  page: PageQuery,
): Promise<Page<CountedGroup>> {
  const { limit, offset } = windowOf(page);
  const ours = eq(groups.accountId, caller.accountId);
  const [rows, [counted]] = await store.batch([
    store
      .select()
      .from(groups)
      .where(ours)
      .orderBy(desc(groups.createdAt), desc(groups.id))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(groups).where(ours),
  ]);
  // A hundred groups have counts by the hundred thousand.
  return { items: await withCounts(store, store.readPool, rows), total: counted!.total };
}

export async function createGroup(
  deps: Deps,
  caller: Caller,
  input: NewGroup,
  receipt: Receipt<CountedGroup> = noReceipt,
): Promise<CountedGroup> {
  const { store, clock } = deps;
  const now = clock.now();
  const row: GroupRow = {
    id: newId(),
    accountId: caller.accountId,
    name: input.name,
    description: input.description || null,
    color: input.color,
    createdAt: now,
    updatedAt: now,
    no: await takeNumbers(store, 1),
  };
  const group = { ...row, counts: NO_LINKS };
  await store.write([
    ...onRecord(deps, caller, { action: "group.created", target: groupTarget(row) }),
    store.insert(groups).values(row),
    ...receipt(group),
  ]);
  return group;
}

/** @throws NOT_FOUND, or FORBIDDEN for a group of another account */
export async function findGroup(
  { store }: Deps,
  caller: Caller,
  id: string,
): Promise<CountedGroup> {
  const [group] = await store
    .select()
    .from(groups)
    .where(eq(groups.id, parseId(id) ?? ""));
  if (!group) throw notFound("group");
  if (group.accountId !== caller.accountId) throw foreign("group");
  const [counted] = await withCounts(store, store, [group]);
  return counted!;
}

export async function changeGroup(
  deps: Deps,
  caller: Caller,
  id: string,
  change: GroupChange,
): Promise<CountedGroup> {
  const group = await findGroup(deps, caller, id);
  if (Object.values(change).every((value) => value === undefined)) return group;
  const { name = group.name, color = group.color, description = group.description } = change;
  const wanted = { name, color, description: description || null };
  const [changed] = await makeChange(
    deps,
    onRecord(deps, caller, {
      action: "group.changed",
      target: groupTarget(group),
      fields: fieldsOf(wanted, group),
      onlyIf: isThere(deps.store, groups, isGroup(caller, group.id)),
    }),
    deps.store
      .update(groups)
      .set({ ...wanted, updatedAt: deps.clock.now() })
      .where(isGroup(caller, group.id))
      .returning(),
  );
  if (!changed) throw notFound("group");
  return { ...changed, counts: group.counts };
}

/**
 * Its links stay and become ungrouped. Its history goes in the background. A deletion that is cut off
 * leaves a smaller group, to be deleted again.
 */
export async function deleteGroup(deps: Deps, caller: Caller, id: string): Promise<void> {
  const group = await findGroup(deps, caller, id);
  await oneAtATime(`delete ${group.id}`, () => deleteInSteps(deps, caller, group));
}

/** The links of a large group are more than one statement could free in time for others. */
async function deleteInSteps(deps: Deps, caller: Caller, group: GroupRow): Promise<void> {
  const { store } = deps;
  const action = "group.deleted";
  let before = onRecord(deps, caller, {
    action,
    target: groupTarget(group),
    onlyIf: and(
      isThere(store, groups, isGroup(caller, group.id)),
      isNotTold(store, caller.accountId, { action, id: group.id }),
    ),
  });
  for (;;) {
    const numbers = await someIn(store, group.id);
    const isLast = numbers.length < FREED_AT_ONCE;
    await store.write([
      ...before,
      ...freeing(store, caller, group.id, numbers),
      ...(isLast ? deletion(store, caller, group) : []),
    ]);
    if (isLast) return;
    before = [];
    await yieldToEventLoop();
  }
}

async function someIn(store: Store, groupId: string): Promise<number[]> {
  const some = await store
    .select({ no: links.no })
    .from(links)
    .where(eq(links.groupId, groupId))
    .orderBy(desc(links.no))
    .limit(FREED_AT_ONCE);
  return some.map(({ no }) => no);
}

const freeing = (store: Store, { accountNo }: Caller, groupId: string, numbers: number[]) => [
  ...holdAccounts(store, [accountNo]),
  ...holdLinks(store, numbers),
  store
    .update(links)
    .set({ groupId: null })
    .where(and(eq(links.groupId, groupId), inArray(links.no, numbers))),
];

const deletion = (store: Store, caller: Caller, { id, no }: GroupRow): Statement[] => [
  store.delete(groups).where(isGroup(caller, id)),
  store.delete(linkCounts).where(eq(linkCounts.subject, no)),
  store.insert(doomed).values({ no, id: null, url: null }).onConflictDoNothing(),
];

const isGroup = ({ accountId }: Caller, id: string) =>
  and(eq(groups.id, id), eq(groups.accountId, accountId));
