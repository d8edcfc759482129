import { and, count, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { type Deps, noReceipt, type Receipt } from "../deps.ts";
import { foreign, notFound } from "../lib/errors.ts";
import { newId, parseId } from "../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import type { Store } from "../store/store.ts";
import { type GroupRow, groups, linkCounts } from "../store/tables.ts";
import type { CountedGroup, GroupChange, NewGroup } from "./model.ts";

export async function listGroups(
  { store }: Deps,
  caller: Caller,
  page: PageQuery,
): Promise<Page<CountedGroup>> {
  const { limit, offset } = windowOf(page);
  const ours = eq(groups.accountId, caller.accountId);
  const [items, [counted]] = await store.batch([
    selectCounted(store)
      .where(ours)
      .groupBy(groups.id)
      .orderBy(desc(groups.createdAt), desc(groups.id))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(groups).where(ours),
  ]);
  return { items, total: counted!.total };
}

export async function createGroup(
  { store, clock }: Deps,
  caller: Caller,
  input: NewGroup,
  receipt: Receipt<CountedGroup> = noReceipt,
): Promise<CountedGroup> {
  const now = clock.now();
  const row: GroupRow = {
    id: newId(),
    accountId: caller.accountId,
    name: input.name,
    description: input.description || null,
    color: input.color,
    createdAt: now,
    updatedAt: now,
  };
  const group = { ...row, linkCount: 0 };
  await store.write([store.insert(groups).values(row), ...receipt(group)]);
  return group;
}

/** @throws NOT_FOUND, or FORBIDDEN for a group of another account */
export async function findGroup(
  { store }: Deps,
  caller: Caller,
  id: string,
): Promise<CountedGroup> {
  const [group] = await selectCounted(store)
    .where(eq(groups.id, parseId(id) ?? ""))
    .groupBy(groups.id);
  if (!group) throw notFound("group");
  if (group.accountId !== caller.accountId) throw foreign("group");
  return group;
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
  const columns = { name, color, description: description || null, updatedAt: deps.clock.now() };
  const [changed] = await deps.store
    .update(groups)
    .set(columns)
    .where(isGroup(caller, group.id))
    .returning();
  if (!changed) throw notFound("group");
  return { ...changed, linkCount: group.linkCount };
}

/** Its links stay and become ungrouped; the counts that it leaves behind are empty and go with it. */
export async function deleteGroup(deps: Deps, caller: Caller, id: string): Promise<void> {
  const group = await findGroup(deps, caller, id);
  await deps.store.write([
    deps.store.delete(groups).where(isGroup(caller, group.id)),
    deps.store
      .delete(linkCounts)
      .where(and(eq(linkCounts.accountId, caller.accountId), eq(linkCounts.groupId, group.id))),
  ]);
}

const isGroup = ({ accountId }: Caller, id: string) =>
  and(eq(groups.id, id), eq(groups.accountId, accountId));

/** Groups with the number of their links, to be narrowed and grouped by id. */
const selectCounted = (store: Store) =>
  store
    .select({
      ...getTableColumns(groups),
      linkCount: sql`coalesce(sum(${linkCounts.count}), 0)`.mapWith(Number),
    })
    .from(groups)
    .leftJoin(
      linkCounts,
      and(eq(linkCounts.accountId, groups.accountId), eq(linkCounts.groupId, groups.id)),
    );
