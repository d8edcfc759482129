import { inArray, type SQL, sql } from "drizzle-orm";
import { fieldsOf, onRecord } from "../accounts/audit/record.ts";
import { linkTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { holdAccounts, holdLinks } from "../db/hold.ts";
import { numbersOf, rowsOf, type Statement } from "../db/store.ts";
import { type LinkRow, links } from "../db/tables.ts";
import { type AppError, foreign, invalid, notFound } from "../lib/errors.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import { existingGroups } from "./exist.ts";
import type { LinkFilter } from "./filter.ts";
import type { LinkChange } from "./model.ts";
import { nextCheckStays, nextCheckUnder } from "./next-check.ts";
import { nextMatching } from "./next-matching.ts";
import { writeInPieces } from "./pieces.ts";

/** Takes SQLite about 8 ms. */
const CHANGED_AT_ONCE = 250;

/** What became of one link: `unchanged` was as wanted before. */
export type Change = { id: string } & (
  | { status: "changed" | "unchanged" }
  | { status: "failed"; error: AppError }
);

/** What became of the next links that fit, and where to go on; null when none is left. */
export type StepOfChange = { changed: number; unchanged: number; next: number | null };

const found = {
  no: links.no,
  id: links.id,
  url: links.url,
  accountId: links.accountId,
  groupId: links.groupId,
  checkFrequency: links.checkFrequency,
  lastCheckedAt: links.lastCheckedAt,
  nextCheckAt: links.nextCheckAt,
  unconfirmedSince: links.unconfirmedSince,
  failingSince: links.failingSince,
};
type Found = Pick<LinkRow, keyof typeof found>;

/**
 * Changes what is there and ours, and tells of each of the rest why not. Repeats count once.
 * @throws VALIDATION_ERROR when there is no such group
 */
export async function changeLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  change: LinkChange,
  receipt: Receipt<Change[]> = noReceipt,
): Promise<Change[]> {
  await refuseStrangeGroup(deps, caller, change);
  const unique = [...new Set(ids)];
  const rows = await deps.store.select(found).from(links).where(inArray(links.id, unique));
  const byId = new Map(rows.map((link) => [link.id, link]));
  const results = unique.map((id) => judge(id, byId.get(id), caller, change));
  const chosen = results.flatMap(({ id, status }) => (status === "changed" ? byId.get(id)! : []));
  await changeInPieces(deps, caller, change, chosen, receipt(results));
  return results;
}

/**
 * Changes the next links that fit, newest first.
 * @throws VALIDATION_ERROR when there is no such group
 */
export async function changeMatching(
  deps: Deps,
  caller: Caller,
  { filter, before }: { filter: LinkFilter; before: number | undefined },
  change: LinkChange,
  receipt: Receipt<StepOfChange> = noReceipt,
): Promise<StepOfChange> {
  await refuseStrangeGroup(deps, caller, change);
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const rows = await deps.store
    .select(found)
    .from(links)
    .where(inArray(links.no, sql`${numbersOf(deps.store, nos)}`));
  const chosen = rows.filter((link) => isOtherwise(link, change));
  const step = { changed: chosen.length, unchanged: rows.length - chosen.length, next };
  await changeInPieces(deps, caller, change, chosen, receipt(step));
  return step;
}

async function changeInPieces(
  deps: Deps,
  caller: Caller,
  change: LinkChange,
  chosen: Found[],
  receipt: Statement[],
): Promise<void> {
  await writeInPieces(deps.store, chosen, {
    atOnce: CHANGED_AT_ONCE,
    entry: entryOf(deps, caller, change, chosen),
    writeOf: (some) => changeAll(deps, caller, change, some),
    receipt,
  });
  deps.loops.wake();
}

/** One for all of them, with those fields that any of them had otherwise. */
function entryOf(deps: Deps, caller: Caller, change: LinkChange, chosen: Found[]): Statement[] {
  const [only, ...others] = chosen;
  const fields = chosen.flatMap(({ groupId, checkFrequency }) =>
    fieldsOf(change, { group_id: groupId, check_frequency: checkFrequency }),
  );
  return onRecord(deps, caller, {
    action: "link.changed",
    target: only && others.length === 0 ? linkTarget(only) : undefined,
    fields: [...new Set(fields)],
    count: chosen.length,
  });
}

async function refuseStrangeGroup(
  deps: Deps,
  { accountId }: Caller,
  { group_id: id }: LinkChange,
): Promise<void> {
  if (!id || (await existingGroups(deps, accountId, [id])).has(id)) return;
  throw invalid({ "change.group_id": ["no such group"] });
}

function judge(
  id: string,
  link: Found | undefined,
  { accountId }: Caller,
  change: LinkChange,
): Change {
  if (!link) return { id, status: "failed", error: notFound("link") };
  if (link.accountId !== accountId) return { id, status: "failed", error: foreign("link") };
  return { id, status: isOtherwise(link, change) ? "changed" : "unchanged" };
}

const isOtherwise = (
  link: Found,
  { group_id: groupId, check_frequency: frequency }: LinkChange,
): boolean =>
  (groupId !== undefined && link.groupId !== groupId) ||
  (frequency !== undefined && link.checkFrequency !== frequency);

/**
 * Held first, so that the update sees the batches that wait for the links by then. The account stands beside
 * each number: said once for all, it would lead SQLite through all links of the account.
 */
function changeAll(
  deps: Deps,
  { accountNo }: Caller,
  change: LinkChange,
  chosen: Found[],
): Statement[] {
  if (chosen.length === 0) return [];
  const { store, clock } = deps;
  const now = clock.now();
  const columns = { no: "bigint", account_no: "bigint", next_at: "bigint" } as const;
  const rows = chosen.map((link) => [link.no, accountNo, nextCheckOf(deps, link, change, now)]);
  const nos = chosen.map(({ no }) => no);
  return [
    ...holdAccounts(store, [accountNo]),
    ...holdLinks(store, nos),
    store.run(sql`
      update links set ${sql.join(assignmentsOf(change, now), sql`, `)}
      from ${rowsOf(store, columns, rows)} as named
      where links.no = named.no and links.account_no = named.account_no
    `),
  ];
}

/** Null where it stays when it is. */
function nextCheckOf(
  deps: Deps,
  link: Found,
  { check_frequency: frequency }: LinkChange,
  now: number,
): number | null {
  const isNew = frequency !== undefined && frequency !== link.checkFrequency;
  return isNew ? nextCheckUnder(deps, link, frequency, now) : null;
}

function assignmentsOf(
  { group_id: groupId, check_frequency: frequency }: LinkChange,
  now: number,
): SQL[] {
  const stays = sql`named.next_at is null or ${nextCheckStays(now)}`;
  const regrouped = groupId === undefined ? [] : [sql`group_id = ${groupId}`];
  const rescheduled = [
    sql`check_frequency = ${frequency}`,
    sql`next_check_at = case when ${stays} then ${links.nextCheckAt} else named.next_at end`,
    sql`next_trigger = case when ${stays} then ${links.nextTrigger} else 'scheduled' end`,
  ];
  return [sql`updated_at = ${now}`, ...regrouped, ...(frequency ? rescheduled : [])];
}
