import { and, desc, eq, sql } from "drizzle-orm";
import type { Actor, Caller } from "../../api/caller.ts";
import type { Store } from "../../db/store.ts";
import { type AuditRow, audit } from "../../db/tables.ts";
import { newIdAt } from "../../lib/ids.ts";
import type { Deps } from "../../work/deps.ts";
import type { Action } from "./model.ts";

/** A change to record: never a value, only names of fields, and no URL with a password in it. */
export type Change = {
  action: Action;
  by: Actor;
  /** The account that was changed; null for the whole installation. */
  accountId: string | null;
  target?: { id: string; name: string | null } | undefined;
  /** The API's names of the changed fields. An empty list means that nothing changed: no entry is written. */
  fields?: string[];
  /** How many records were changed, 1 by default. With 0 no entry is written. */
  count?: number;
};

type Recorder = Pick<Deps, "store" | "clock">;

/** Writes an audit entry; `deps.store` is the transaction that makes the change. */
export async function recordChange(deps: Recorder, change: Change): Promise<void> {
  if (change.count === 0 || change.fields?.length === 0) return;
  await deps.store.insert(audit).values(entryOf(deps, change));
}

/** Writes an audit entry for a change in the caller's account. */
export const auditChange = (
  deps: Recorder,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  change: Omit<Change, "by" | "accountId">,
): Promise<void> => recordChange(deps, { ...change, accountId, by });

/** Returns the names of those wanted fields that differ from the present ones, for `fields`. */
export const fieldsOf = <T extends object>(wanted: T, present: { [Name in keyof T]: unknown }) =>
  Object.entries(wanted)
    .filter(([name, value]) => {
      return value !== undefined && !Bun.deepEquals(value, present[name as keyof T]);
    })
    .map(([name]) => name);

function entryOf({ clock }: Recorder, change: Change): AuditRow {
  const { action, by, accountId, target, fields = [], count = 1 } = change;
  const createdAt = clock.now();
  return {
    id: newIdAt(createdAt),
    accountId,
    createdAt,
    actorKind: kindOf(by, accountId),
    actorId: by.id,
    actorName: by.name,
    address: by.address(),
    action,
    targetId: target?.id ?? null,
    targetName: target?.name ?? null,
    fields: JSON.stringify(fields),
    count,
  };
}

/** Only administrators of the installation change anything in another account. */
const kindOf = (by: Actor, accountId: string | null): Actor["kind"] =>
  by.accountId && accountId && by.accountId !== accountId ? "administrator" : by.kind;

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

/** Few enough to be searched in no time. */
const LAST_ENTRIES = 1000;
