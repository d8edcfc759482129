import { inArray, sql } from "drizzle-orm";
import { preparedOnce, type Statement, type Store } from "../db/store.ts";
import { checkKinds } from "../db/tables.ts";

/** What a check has in common with many others. */
export type CheckKind = Omit<typeof checkKinds.$inferSelect, "no" | "code">;

/** Several processes may give the same number to several kinds, of which all but one are refused. */
const ATTEMPTS = 50;

/**
 * The numbers of these kinds, by their codes (`codeOf`). New ones are written down first; there are some
 * hundreds as a rule, so that they are kept in memory.
 */
export async function numbersOfKinds(
  store: Store,
  kinds: CheckKind[],
): Promise<ReadonlyMap<string, number>> {
  const known = knownKinds(store);
  for (let attempt = 1; ; attempt++) {
    const unknown = new Map(
      kinds.map((kind) => [codeOf(kind), kind] as const).filter(([code]) => !known.has(code)),
    );
    if (unknown.size === 0) return known;
    if (attempt > ATTEMPTS) throw new Error("The kinds of checks could not be numbered.");
    await store.write([...unknown].map(([code, kind]) => insertKind(store, code, kind)));
    const rows = await store
      .select({ no: checkKinds.no, code: checkKinds.code })
      .from(checkKinds)
      .where(inArray(checkKinds.code, [...unknown.keys()]));
    for (const { no, code } of rows) known.set(code, no);
  }
}

/** All of a kind in one text. */
export const codeOf = (kind: CheckKind): string =>
  [
    kind.status,
    kind.previousStatus,
    kind.statusChanged ? 1 : 0,
    kind.statusCode ?? "",
    kind.reason,
    kind.cause ?? "",
    kind.trigger,
    kind.redirectCount,
  ].join("|");

const knownKinds = preparedOnce(() => new Map<string, number>());

const insertKind = (store: Store, code: string, kind: CheckKind): Statement =>
  store.run(sql`
    insert into check_kinds (no, status, previous_status, status_changed, status_code, reason, cause,
      trigger_kind, redirect_count, code)
    select coalesce(max(no), 0) + 1, cast(${kind.status} as text), cast(${kind.previousStatus} as text),
      cast(${kind.statusChanged ? 1 : 0} as bigint), cast(${kind.statusCode} as bigint),
      cast(${kind.reason} as text), cast(${kind.cause} as text), cast(${kind.trigger} as text),
      cast(${kind.redirectCount} as bigint), cast(${code} as text)
    from check_kinds where true
    on conflict do nothing
  `);
