import { eq, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { accounts, type SourcePageRow, type SourceRow } from "../ground/db/tables.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { actorOf, type Run } from "./runs.ts";

/** What writing works with; `run` is changed. */
export type Context = { deps: Deps; tx: Store; source: SourceRow; caller: Caller; run: Run };

export async function contextOf(deps: Deps, source: SourceRow, before: Run): Promise<Context> {
  const { store: tx } = deps;
  const caller = await callerOf(tx, source);
  return { deps, tx, source, caller, run: structuredClone(before) };
}

/** Who a source's links belong to, and who changes them. */
async function callerOf(tx: Store, source: SourceRow): Promise<Caller> {
  const { accountId, accountNo } = source;
  const [account] = await tx
    .select({ tier: accounts.tier })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const permissions = { read: true, write: true };
  return { accountId, accountNo, tier: account!.tier, permissions, by: actorOf(source) };
}

/** Pages by key and part. */
export type Pages = Map<string, SourcePageRow>;

/** What has to be known of pages that others lead to, by key and part. */
export type Targets = ReadonlyMap<string, Pick<SourcePageRow, "no" | "linkNo">>;

export const nameOf = (key: string, part: string) => `${key}\n${part}`;

/** Databases take no NUL, and no half characters. */
export const clean = (text: string | null) => text?.replaceAll("\0", "").toWellFormed() ?? null;

/**
 * A statement that inserts rows, or changes those with the same keys.
 */
export function upsertOf(
  table: string,
  columns: Record<string, "bigint" | "text">,
  keys: string[],
) {
  const names = Object.keys(columns);
  const changed = names.filter((name) => !keys.includes(name));
  const list = (some: string[]) => sql.raw(some.join(", "));
  return onRows(
    columns,
    (rows) => sql`
      insert into ${sql.raw(table)} (${list(names)}) select ${list(names)} from ${rows} as given where true
      on conflict (${list(keys)}) do update set ${list(changed.map((name) => `${name} = excluded.${name}`))}
    `,
  );
}
