import { inArray, sql } from "drizzle-orm";
import { preparedOnce, type Store } from "../ground/db/store.ts";
import { checkKinds } from "../ground/db/tables.ts";

/** The part of a check that many others share. */
export type CheckKind = Omit<typeof checkKinds.$inferSelect, "no" | "code">;

/** Several processes may give the same number to several kinds, of which all but one are refused. */
const ATTEMPTS = 50;

/** Returns the numbers of kinds by their codes, and inserts new kinds. They are kept in memory: there are some hundreds. */
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
    if (attempt > ATTEMPTS) throw new Error("Failed to number the kinds of checks.");
    await store.transaction(async (tx) => {
      for (const [code, kind] of unknown) await insertKind(tx, code, kind);
    });
    const rows = await store
      .select({ no: checkKinds.no, code: checkKinds.code })
      .from(checkKinds)
      .where(inArray(checkKinds.code, [...unknown.keys()]));
    for (const { no, code } of rows) known.set(code, no);
  }
}

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

const insertKind = (store: Store, code: string, kind: CheckKind): Promise<unknown> =>
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
