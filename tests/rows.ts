import { eq, max, sql } from "drizzle-orm";
import { rowsOf } from "../server/ground/db/store.ts";
import { type CheckRow, checks, groups, links } from "../server/ground/db/tables.ts";
import { checkIdOf } from "../server/ground/lib/ids.ts";
import { type CheckKind, codeOf, numbersOfKinds } from "../server/history/kinds.ts";
import { addToRollUps, CHECKS_OF_PART, type CheckKey } from "../server/history/roll-ups.ts";
import type { Asker, TestServer } from "./harness.ts";

/** A check as a test describes it: whatever is left out is that of a usual one. */
export type Check = CheckKind &
  Pick<CheckRow, "checkedAt" | "responseTimeMs" | "finalUrl" | "evidence">;

const USUAL: Omit<Check, "checkedAt"> = {
  status: "active",
  previousStatus: "active",
  statusChanged: false,
  statusCode: 200,
  responseTimeMs: 100,
  reason: "ok",
  cause: null,
  finalUrl: null,
  redirectCount: 0,
  trigger: "scheduled",
  evidence: null,
};

/**
 * A check of the link as the checker would have recorded it, active and with an answer if not said otherwise.
 * Without a moment it is now, or right after the link's last. Returns its id.
 */
export async function addCheck(
  server: TestServer,
  _me: Asker,
  linkId: string,
  more: Partial<Check> = {},
): Promise<string> {
  const checkedAt = more.checkedAt ?? (await freeMoment(server, linkId));
  await addChecks(server, [{ ...more, linkId, checkedAt }]);
  return checkIdOf(linkId, checkedAt);
}

/** A link has one check a millisecond at most. */
async function freeMoment({ deps, clock }: TestServer, linkId: string): Promise<number> {
  const [row] = await deps.store
    .select({ last: max(checks.checkedAt) })
    .from(checks)
    .innerJoin(links, eq(links.no, checks.linkNo))
    .where(eq(links.id, linkId));
  return Math.max(clock.now(), (row?.last ?? 0) + 1);
}

export type NewCheck = Partial<Check> & { linkId: string; checkedAt: number };

/** The same of many at once, in one batch and with all they count in. Each belongs to its link's present group. */
export async function addChecks(
  { deps: { store } }: TestServer,
  rows: NewCheck[],
  checksOfPart = CHECKS_OF_PART,
): Promise<void> {
  const all = rows.map((row) => ({ ...USUAL, ...row }));
  const kinds = await numbersOfKinds(store, all);
  const cells = all.map((row) => [
    row.linkId,
    row.checkedAt,
    kinds.get(codeOf(row))!,
    row.responseTimeMs,
    row.finalUrl,
    row.evidence,
  ]);
  const columns = {
    link_id: "text",
    checked_at: "bigint",
    kind_no: "bigint",
    response_time_ms: "bigint",
    final_url: "text",
    evidence: "text",
  } as const;
  const given = rowsOf(store, columns, cells);
  await store.transaction(async (tx) => {
    await tx.run(sql`
      insert into ${checks}
      select l.account_no, given.checked_at, l.no, given.kind_no, given.response_time_ms, g.no,
        case when given.final_url = l.url then '' else given.final_url end, given.evidence
      from ${given} as given join ${links} l on l.id = given.link_id
      left join ${groups} g on g.id = l.group_id
    `);
    const keys: CheckKey[] = await tx.all(sql`
      select account_no, checked_at, no from ${given} as given join ${links} on id = link_id
    `);
    await addToRollUps(tx, keys, checksOfPart);
  });
}

/** Sets what only the checker sets. */
export const setLink = (
  { deps }: TestServer,
  id: string,
  columns: Partial<typeof links.$inferInsert>,
) => deps.store.update(links).set(columns).where(eq(links.id, id));

/** The id of a new link; every call has another URL. */
export async function addLink(me: Asker, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await me.post("/api/v1/links", { url: anyUrl(), ...more });
  return body.data.id;
}

export async function addGroup(me: Asker, name = "Docs"): Promise<string> {
  return (await me.post("/api/v1/groups", { name })).body.data.id;
}

let urls = 0;

export const anyUrl = () => `https://example.org/page-${++urls}`;
