import { and, asc, count, eq, isNull, or, type SQL } from "drizzle-orm";
import * as z from "zod";
import { auditChange } from "../../accounts/audit.ts";
import type { Store } from "../../ground/db/store.ts";
import { type ViewRow, views } from "../../ground/db/tables.ts";
import { invalid, limitReached, notFound } from "../../ground/lib/errors.ts";
import { newId, parseId } from "../../ground/lib/ids.ts";
import { toIso } from "../../ground/lib/moments.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import type { Unit } from "../../work/unit.ts";

/** Of a person, and shared ones of an account. */
const MOST_VIEWS = 50;

export const ViewRecord = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ example: "Dead links of the press" }),
    filter: z.record(z.string(), z.string()).meta({ example: { attention: "true", tag: "press" } }),
    sort: z.string().nullable().meta({ example: null }),
    is_shared: z.boolean(),
    created_at: z.string(),
  })
  .meta({ id: "View" });

/** A view in a body. The filter is one of the list of links, by the names of its parameters. */
export type ViewInput = {
  name: string;
  filter: Record<string, string>;
  sort?: string | null | undefined;
  is_shared?: boolean | undefined;
};

export const toViewRecord = (row: ViewRow): z.infer<typeof ViewRecord> => ({
  id: row.id,
  name: row.name,
  filter: JSON.parse(row.filter),
  sort: row.sort,
  is_shared: row.userId === null,
  created_at: toIso(row.createdAt),
});

/** Lists a person's own views and those that everyone in the account has, oldest first; for a key the latter only. */
export const listViews = ({ store }: Deps, caller: Caller): Promise<ViewRow[]> =>
  store.select().from(views).where(isVisible(caller)).orderBy(asc(views.createdAt), asc(views.id));

const isVisible = ({ accountId, by }: Caller): SQL | undefined =>
  and(
    eq(views.accountId, accountId),
    by.kind === "user" && by.id !== null
      ? or(isNull(views.userId), eq(views.userId, by.id))
      : isNull(views.userId),
  );

/** @throws CONFLICT at the limit; VALIDATION_ERROR when a key keeps a view for itself */
export async function createView(
  unit: Unit,
  caller: Caller,
  { name, filter, sort = null, is_shared: isShared = false }: ViewInput,
): Promise<ViewRow> {
  const row: ViewRow = {
    id: newId(),
    accountId: caller.accountId,
    userId: ownerOf(caller, isShared),
    name,
    filter: JSON.stringify(filter),
    sort,
    createdAt: unit.clock.now(),
  };
  await refuseTooMany(unit.store, caller, row.userId);
  await unit.store.insert(views).values(row);
  if (isShared) await auditShared(unit, caller, row);
  return row;
}

/** @throws NOT_FOUND; CONFLICT at the limit; VALIDATION_ERROR when a key keeps a view for itself */
export async function changeView(
  unit: Unit,
  caller: Caller,
  id: string,
  change: { [K in keyof ViewInput]?: ViewInput[K] | undefined },
): Promise<ViewRow> {
  const row = await findView(unit.store, caller, id);
  const isShared = change.is_shared ?? row.userId === null;
  const wanted: ViewRow = {
    ...row,
    ...(change.name !== undefined && { name: change.name }),
    ...(change.filter !== undefined && { filter: JSON.stringify(change.filter) }),
    ...(change.sort !== undefined && { sort: change.sort }),
    ...(change.is_shared !== undefined && { userId: ownerOf(caller, isShared) }),
  };
  if ((wanted.userId === null) !== (row.userId === null))
    await refuseTooMany(unit.store, caller, wanted.userId);
  await unit.store.update(views).set(wanted).where(eq(views.id, row.id));
  if (isShared && row.userId !== null) await auditShared(unit, caller, wanted);
  return wanted;
}

/** @throws NOT_FOUND */
export async function deleteView(unit: Unit, caller: Caller, id: string): Promise<void> {
  const row = await findView(unit.store, caller, id);
  await unit.store.delete(views).where(eq(views.id, row.id));
}

/** Views of other people are treated as missing. */
async function findView(store: Store, caller: Caller, id: string): Promise<ViewRow> {
  const isIt = and(eq(views.id, parseId(id) ?? ""), isVisible(caller));
  const [row] = await store.select().from(views).where(isIt);
  if (!row) throw notFound("view");
  return row;
}

/** Null for a view that everyone has. */
function ownerOf({ by }: Caller, isShared: boolean): string | null {
  if (isShared) return null;
  if (by.kind === "user" && by.id !== null) return by.id;
  throw invalid({ is_shared: ["must be true: only a person can keep a view to themselves"] });
}

async function refuseTooMany(tx: Store, { accountId }: Caller, userId: string | null) {
  const ofOwner = userId === null ? isNull(views.userId) : eq(views.userId, userId);
  const [used] = await tx
    .select({ count: count() })
    .from(views)
    .where(and(eq(views.accountId, accountId), ofOwner));
  if (used!.count >= MOST_VIEWS) throw limitReached("views", MOST_VIEWS, used!.count);
}

const auditShared = (deps: Deps, caller: Caller, { id, name }: ViewRow) =>
  auditChange(deps, caller, { action: "view.shared", target: { id, name } });
