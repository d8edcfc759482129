import { and, count, desc, eq, inArray } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { type Deps, noReceipt, type Receipt } from "../deps.ts";
import { foreign, notFound } from "../lib/errors.ts";
import { giveWay } from "../lib/give-way.ts";
import { newId, parseId } from "../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import { holdAccounts, holdLinks } from "../store/hold.ts";
import { takeNumbers } from "../store/numbers.ts";
import type { Store } from "../store/store.ts";
import { doomed, type GroupRow, groups, linkCounts, links } from "../store/tables.ts";
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
  return { items: await withCounts(store, store.beside, rows), total: counted!.total };
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
    no: await takeNumbers(store, 1),
  };
  const group = { ...row, counts: NO_LINKS };
  await store.write([store.insert(groups).values(row), ...receipt(group)]);
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
  const columns = { name, color, description: description || null, updatedAt: deps.clock.now() };
  const [changed] = await deps.store
    .update(groups)
    .set(columns)
    .where(isGroup(caller, group.id))
    .returning();
  if (!changed) throw notFound("group");
  return { ...changed, counts: group.counts };
}

/**
 * Its links stay and become ungrouped. Its history goes in the background. A deletion that is cut off
 * leaves a smaller group, to be deleted again.
 */
export async function deleteGroup(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { store } = deps;
  const group = await findGroup(deps, caller, id);
  await emptyGroup(store, caller, group.id);
  await store.write([
    store.delete(groups).where(isGroup(caller, group.id)),
    store.delete(linkCounts).where(eq(linkCounts.subject, group.no)),
    store.insert(doomed).values({ no: group.no, id: null, url: null }).onConflictDoNothing(),
  ]);
}

/** In steps: the links of a large group are more than one statement could free in time for others. */
async function emptyGroup(store: Store, { accountNo }: Caller, groupId: string): Promise<void> {
  const inGroup = eq(links.groupId, groupId);
  for (;;) {
    const some = await store
      .select({ no: links.no })
      .from(links)
      .where(inGroup)
      .orderBy(desc(links.no))
      .limit(FREED_AT_ONCE);
    if (some.length === 0) return;
    const numbers = some.map(({ no }) => no);
    await store.write([
      ...holdAccounts(store, [accountNo]),
      ...holdLinks(store, numbers),
      store
        .update(links)
        .set({ groupId: null })
        .where(and(inGroup, inArray(links.no, numbers))),
    ]);
    await giveWay();
  }
}

const isGroup = ({ accountId }: Caller, id: string) =>
  and(eq(groups.id, id), eq(groups.accountId, accountId));
