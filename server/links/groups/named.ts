import { asc, eq } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { type GroupRow, groups } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { createGroup } from "./groups.ts";
import { NewGroup } from "./model.ts";

/** An account's groups, to be found by what a list or a file calls them. */
export type GroupBook = {
  /** By its name in letters of either case, or by its id; of several with the name, the oldest. */
  find(wanted: string): GroupRow | undefined;
  /** Oldest first. */
  all(): GroupRow[];
  /** How many have the name. */
  count(name: string): number;
  /** Makes a group with the name, and nothing else said of it. */
  make(input: { name: string } & Partial<NewGroup>): Promise<GroupRow>;
};

/** All groups of the account as they are now, of which there are never very many. */
export async function openGroupBook(deps: Deps, caller: Caller): Promise<GroupBook> {
  const rows = await deps.store
    .select()
    .from(groups)
    .where(eq(groups.accountId, caller.accountId))
    .orderBy(asc(groups.createdAt), asc(groups.id));
  const known = new Map<string, GroupRow[]>();
  const add = (key: string, row: GroupRow) => known.set(key, [...(known.get(key) ?? []), row]);
  const keep = (row: GroupRow) => {
    add(keyOf(row.name), row);
    if (keyOf(row.name) !== row.id) add(row.id, row);
  };
  for (const row of rows) keep(row);
  return {
    find: (wanted) => known.get(keyOf(wanted))?.[0],
    all: () => rows,
    count: (name) => known.get(keyOf(name))?.length ?? 0,
    async make(input) {
      const { counts: _, ...row } = await createGroup(deps, caller, NewGroup.parse(input));
      keep(row);
      return row;
    },
  };
}

const keyOf = (name: string) => name.trim().toLowerCase();

/** Why a group cannot be named so, as the end of a sentence; null when it can. */
export const problemOfName = (name: string): string | null =>
  NewGroup.safeParse({ name }).error?.issues[0]?.message ?? null;
