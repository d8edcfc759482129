import { and, asc, eq, lt, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { changes } from "../ground/db/tables.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { ChangeKind, Verdict } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";

/** A change of a link. `lastedMs`: how long it had the previous status, or how long it was dead. */
export type Change = {
  linkNo: number;
  at: number;
  kind: ChangeKind;
  previousStatus: Verdict;
  lastedMs: number;
  reason: string;
  cause: string | null;
  finalUrl: string | null;
};

/** Inserts changes, in the transaction that changes the links. */
export const insertChanges = (tx: Store, some: Change[]): Promise<unknown> =>
  insert(
    tx,
    some.map((change) => [
      change.linkNo,
      change.at,
      change.kind,
      change.previousStatus,
      change.lastedMs,
      change.reason,
      change.cause,
      change.finalUrl,
    ]),
  );

const insert = onRows(
  {
    link_no: "bigint",
    changed_at: "bigint",
    kind: "text",
    previous_status: "text",
    lasted_ms: "bigint",
    new_reason: "text",
    cause: "text",
    final_url: "text",
  },
  (rows) => sql`
    insert into changes (account_no, changed_at, link_no, kind, group_no, site, previous_status, lasted_ms, reason,
      cause, final_url)
    select l.account_no, done.changed_at, l.no, done.kind, g.no, l.site, done.previous_status, done.lasted_ms,
      done.new_reason, done.cause, done.final_url
    from ${rows} as done join watched_links l on l.no = done.link_no left join groups g on g.id = l.group_id
  `,
);

/** Deletes the account's changes before `since`, in steps, until the signal. */
export const deleteOldChanges = (
  { store, clock }: Deps,
  { no, since }: { no: number; since: number },
  signal?: AbortSignal,
) => inSteps(clock, (rows) => deleteOldest(store, { no, since }, rows), { signal });

/** @returns how many were deleted, at most `rows` */
async function deleteOldest(
  store: Store,
  { no, since }: { no: number; since: number },
  rows: number,
): Promise<number> {
  const { accountNo, changedAt, linkNo } = changes;
  const oldest = await store
    .select({ at: changedAt, linkNo })
    .from(changes)
    .where(and(eq(accountNo, no), lt(changedAt, since)))
    .orderBy(asc(changedAt), asc(linkNo))
    .limit(rows);
  const last = oldest.at(-1);
  if (!last) return 0;
  const isOldest = sql`(${changedAt}, ${linkNo}) <= (${last.at}, ${last.linkNo})`;
  await store.delete(changes).where(and(eq(accountNo, no), isOldest));
  return oldest.length;
}
