import { and, desc, eq, exists, notExists, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Actor, Caller } from "../../api/caller.ts";
import { holdAccounts } from "../../db/hold.ts";
import { rowsOf, type Statement, type Store } from "../../db/store.ts";
import { audit } from "../../db/tables.ts";
import { newIdAt } from "../../lib/ids.ts";
import type { Deps } from "../../work/deps.ts";
import type { Action } from "./actions.ts";

/** One change, as it is told of. Never a value: names of fields only, and no URL with a password inside. */
export type Change = {
  action: Action;
  by: Actor;
  /** Whose account it concerns; null for the whole installation. */
  accountId: string | null;
  target?: { id: string; name: string | null } | undefined;
  /** What was changed of it, by its names in the API. An empty list says that nothing was: no entry is left. */
  fields?: string[];
  /** How many it concerns; 1 where it is not said, and with none no entry is left. */
  count?: number;
  /** It happened only if this holds when the statement runs. */
  onlyIf?: SQL | undefined;
};

/** Who changes something in which account. */
type Worker = Pick<Caller, "accountId" | "accountNo" | "by">;

/**
 * The statement that records a change. It is not run here: the caller puts it into the batch of the change
 * itself, before the statements that make its condition untrue, so that neither is there without the other.
 */
export function recordChange(
  { store, clock }: Pick<Deps, "store" | "clock">,
  change: Change,
): Statement {
  const { action, by, accountId, target, fields, count = 1, onlyIf = ALWAYS } = change;
  const { id, name } = by;
  const now = clock.now();
  const row = [
    newIdAt(now),
    accountId,
    now,
    kindOf(by, accountId),
    id,
    name,
    by.address(),
    action,
  ].concat([target?.id ?? null, target?.name ?? null, JSON.stringify(fields ?? []), count]);
  const isAny = count > 0 && fields?.length !== 0;
  const entry = rowsOf(store, COLUMNS, isAny ? [row] : []);
  return store.run(sql`insert into ${audit} select entry.* from ${entry} as entry where ${onlyIf}`);
}

/** Records a change in the caller's account; `deps.store` is the transaction that makes it. */
export async function auditChange(
  deps: Pick<Deps, "store" | "clock">,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  change: Omit<Change, "by" | "accountId" | "onlyIf">,
): Promise<void> {
  await recordChange(deps, { ...change, accountId, by });
}

/**
 * The same for a change in the caller's account, which is held first: of two who make the same change at once,
 * only the one who makes it is recorded.
 */
export const onRecord = (
  deps: Deps,
  { accountId, accountNo, by }: Worker,
  change: Omit<Change, "by" | "accountId">,
): Statement[] => [
  ...holdAccounts(deps.store, [accountNo]),
  recordChange(deps, { ...change, accountId, by }),
];

/**
 * Runs a change in one batch with what comes before it and after it.
 * @returns the rows that the change gives back
 */
export async function makeChange<Row>(
  { store }: Deps,
  before: Statement[],
  change: Statement & PromiseLike<Row[]>,
  after: Statement[] = [],
): Promise<Row[]> {
  const [first = change, ...rest] = [...before, change, ...after];
  const results = await store.batch([first, ...rest]);
  return rowsGivenBy<Row>(results[before.length]);
}

/** For `onlyIf`: whether the table still has such a row. */
export const isThere = (store: Store, table: SQLiteTable, which: SQL | undefined): SQL =>
  exists(store.select({ one: sql`1` }).from(table).where(which));

/** For `onlyIf` of what takes several batches: whether nobody else has begun with it, as the last entries tell. */
export function isNotTold(
  store: Store,
  accountId: string,
  { action, id }: { action: Action; id: string },
): SQL {
  const last = store
    .select({ action: audit.action, targetId: audit.targetId })
    .from(audit)
    .where(eq(audit.accountId, accountId))
    .orderBy(desc(audit.id))
    .limit(LAST_ENTRIES)
    .as("last_entries");
  const isIt = and(eq(last.action, action), eq(last.targetId, id));
  return notExists(store.select({ one: sql`1` }).from(last).where(isIt));
}

/** Whether the latest entries of the account include this action on this target; for changes of several transactions. */
export async function isRecorded(
  store: Store,
  accountId: string,
  { action, id }: { action: Action; id: string },
): Promise<boolean> {
  const last = store
    .select({ action: audit.action, targetId: audit.targetId })
    .from(audit)
    .where(eq(audit.accountId, accountId))
    .orderBy(desc(audit.id))
    .limit(LAST_ENTRIES)
    .as("last_entries");
  const rows = await store
    .select({ one: sql`1` })
    .from(last)
    .where(and(eq(last.action, action), eq(last.targetId, id)))
    .limit(1);
  return rows.length > 0;
}

/** The names of those fields that are to be other than they are, for `fields`. */
export const fieldsOf = <T extends object>(wanted: T, present: { [Name in keyof T]: unknown }) =>
  Object.entries(wanted)
    .filter(([name, value]) => {
      return value !== undefined && !Bun.deepEquals(value, present[name as keyof T]);
    })
    .map(([name]) => name);

/** Only an administrator of the installation changes anything in another account. */
const kindOf = (by: Actor, accountId: string | null): Actor["kind"] =>
  by.accountId && accountId && by.accountId !== accountId ? "administrator" : by.kind;

/** Few enough to be looked through in no time. */
const LAST_ENTRIES = 1000;

const ALWAYS = sql`1 = 1`;

/** What a batch gives stands in the places of its statements, which the compiler cannot count. */
const rowsGivenBy = <Row>(result: unknown) => result as Row[];

/** In the order of the table. */
const COLUMNS = {
  id: "text",
  account_id: "text",
  created_at: "bigint",
  actor_kind: "text",
  actor_id: "text",
  actor_name: "text",
  address: "text",
  action: "text",
  target_id: "text",
  target_name: "text",
  fields: "text",
  count: "bigint",
} as const;
