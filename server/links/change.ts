import { sql } from "drizzle-orm";
import { auditChange, fieldsOf, linkTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { rowsOf } from "../db/store.ts";
import { type LinkRow, links } from "../db/tables.ts";
import { type FieldProblems, findForChange, invalid, notFound } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { followUpAt, nextCheckAt } from "../work/schedule.ts";
import { existingGroups, groupIdIn, refuseUnknownGroup } from "./create.ts";
import { findLink, type LinkFilter } from "./links.ts";
import { nextMatching } from "./list.ts";
import { LinkChange, toLink } from "./model.ts";
import { hasNumber, judgeNamed, lockSome, type Outcome, writeInPieces } from "./selection.ts";

/** Takes SQLite about 8 ms. */
const CHANGED_AT_ONCE = 250;

/** A link is `unchanged` if it already had the wanted values. */
export type Change = Outcome<"changed" | "unchanged">;

/** `next` is where the next step starts; null when no link is left. */
export type StepOfChange = { changed: number; unchanged: number; next: number | null };

const FOUND = {
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
  checkingUntil: links.checkingUntil,
};
type Found = Pick<LinkRow, keyof typeof FOUND>;

/** What the audit log shows of a change of links. */
type Entry = {
  action: "link.changed" | "link.moved";
  target?: { id: string; name: string | null } | undefined;
  fields?: string[];
};

/** @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed */
export async function changeLink(
  deps: Deps,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<LinkRow> {
  const link = await findForChange(findLink(deps, caller, id), () => readShape(input));
  const change = await readChange(deps, link, input);
  if (change.group_id === undefined && change.check_frequency === undefined) return link;
  const changed = await deps.store.transaction(async (tx) => {
    const within = { ...deps, store: tx };
    if ((await changeSome(within, caller, change, [link])) === 0) throw notFound("link");
    await auditChange(within, caller, {
      target: linkTarget([link]),
      ...entryOf(change, [link]),
    });
    return findLink(within, caller, link.id);
  });
  deps.loops.wake();
  return changed;
}

/**
 * Changes the account's links and reports why the others were not changed. Repeated ids count once.
 * @throws VALIDATION_ERROR when there is no such group
 */
export async function changeLinks(
  deps: Deps,
  caller: Caller,
  ids: string[],
  change: LinkChange,
  saveReply: SaveReply<Change[]> = saveNoReply,
  entry?: Entry,
): Promise<Change[]> {
  await refuseUnknownGroup(deps, caller, change.group_id, "change.group_id");
  const { outcomes, ours } = await judgeNamed(
    caller,
    ids,
    (isNamed) => deps.store.select(FOUND).from(links).where(isNamed),
    (link) => (differs(link, change) ? "changed" : "unchanged"),
  );
  const chosen = ours.filter((link) => differs(link, change));
  await changeInPieces(deps, caller, change, {
    chosen,
    entry: entry ?? entryOf(change, chosen),
    saveReply: (tx) => saveReply(tx, outcomes),
  });
  return outcomes;
}

/**
 * Changes the next links that match, newest first.
 * @throws VALIDATION_ERROR when there is no such group
 */
export async function changeMatching(
  deps: Deps,
  caller: Caller,
  { filter, before }: { filter: LinkFilter; before: number | undefined },
  change: LinkChange,
  saveReply: SaveReply<StepOfChange> = saveNoReply,
): Promise<StepOfChange> {
  await refuseUnknownGroup(deps, caller, change.group_id, "change.group_id");
  const { nos, next } = await nextMatching(deps, caller, filter, { before });
  const rows = await findByNumbers(deps, nos);
  const chosen = rows.filter((link) => differs(link, change));
  const step = { changed: chosen.length, unchanged: rows.length - chosen.length, next };
  await changeInPieces(deps, caller, change, {
    chosen,
    entry: entryOf(change, chosen),
    saveReply: (tx) => saveReply(tx, step),
  });
  return step;
}

async function changeInPieces(
  deps: Deps,
  caller: Caller,
  change: LinkChange,
  work: { chosen: Found[]; entry: Entry; saveReply: SaveReply<void> },
): Promise<void> {
  await writeInPieces(deps, caller, {
    ...work,
    atOnce: CHANGED_AT_ONCE,
    write: (within, some) => changeSome(within, caller, change, some),
  });
  deps.loops.wake();
}

/** One entry for all links, with the fields that change in any of them. */
function entryOf(
  change: LinkChange,
  chosen: Pick<Found, "id" | "url" | "groupId" | "checkFrequency">[],
): Entry {
  const fields = chosen.flatMap(({ groupId, checkFrequency }) =>
    fieldsOf(change, { group_id: groupId, check_frequency: checkFrequency }),
  );
  return {
    action: "link.changed",
    fields: [...new Set(fields)],
  };
}

const differs = (
  link: Found,
  { group_id: groupId, check_frequency: frequency }: LinkChange,
): boolean =>
  (groupId !== undefined && link.groupId !== groupId) ||
  (frequency !== undefined && link.checkFrequency !== frequency);

const findByNumbers = ({ store }: Deps, nos: number[]) =>
  store
    .select({ ...FOUND, isInBatch: IS_IN_BATCH })
    .from(links)
    .where(hasNumber(store, nos));

const IS_IN_BATCH = sql`exists (select 1 from batch_links where link_no = ${links.no})`.mapWith(
  Boolean,
);

/**
 * Locks the links and changes those that are still there.
 * @returns how many there were
 */
async function changeSome(
  deps: Deps,
  caller: Caller,
  change: LinkChange,
  some: { no: number }[],
): Promise<number> {
  const { store: tx, clock } = deps;
  const { accountNo } = caller;
  const found = await findByNumbers(deps, await lockSome(tx, caller, some));
  if (found.length === 0) return 0;
  const { group_id: groupId, check_frequency: frequency } = change;
  const columns = { no: "bigint", account_no: "bigint", next_at: "bigint" } as const;
  const rows = found.map((link) => [link.no, accountNo, nextCheckOf(deps, link, change)]);
  const assignments = [
    sql`updated_at = ${clock.now()}`,
    ...(groupId === undefined ? [] : [sql`group_id = ${groupId}`]),
    ...(frequency === undefined ? [] : [sql`check_frequency = ${frequency}, ${RESCHEDULED}`]),
  ];
  // SQLite would scan all links of the account if the account's number were not in each row.
  await tx.run(sql`
    update links set ${sql.join(assignments, sql`, `)}
    from ${rowsOf(tx, columns, rows)} as named
    where links.no = named.no and links.account_no = named.account_no
  `);
  return found.length;
}

const RESCHEDULED = sql`
  next_check_at = coalesce(named.next_at, next_check_at),
  next_trigger = case when named.next_at is null then next_trigger else 'scheduled' end`;

/**
 * When a link is checked next under a new frequency, which counts from its last check, in milliseconds since 1970.
 * Null when its next check stays as it is: its first check is due, or a check is running, or a batch waits for it.
 */
function nextCheckOf(
  { config, clock }: Deps,
  link: Found & { isInBatch: boolean },
  { check_frequency: frequency }: LinkChange,
): number | null {
  const now = clock.now();
  const { lastCheckedAt } = link;
  if (frequency === undefined || frequency === link.checkFrequency) return null;
  if (lastCheckedAt === null || link.isInBatch || (link.checkingUntil ?? 0) > now) return null;
  const frequencySeconds = config.frequencySeconds[frequency];
  const regular = nextCheckAt({ linkId: link.id, frequencySeconds, from: lastCheckedAt });
  return Math.max(now, Math.min(regular, confirmationAt(link, lastCheckedAt) ?? regular));
}

/** When a link that may be dying is checked again, whatever its frequency. */
function confirmationAt(link: Found, lastCheckedAt: number): number | null {
  if (link.unconfirmedSince !== null) return link.nextCheckAt;
  if (link.failingSince === null) return null;
  return followUpAt({ linkId: link.id, since: link.failingSince, after: lastCheckedAt });
}

function readShape(input: unknown): LinkChange {
  const shape = LinkChange.safeParse(input);
  if (!shape.success) throw invalid(problemsOf(shape.error));
  return shape.data;
}

async function readChange(deps: Deps, link: LinkRow, input: unknown): Promise<LinkChange> {
  const shape = LinkChange.safeParse(input);
  const problems = {
    ...(shape.success ? {} : problemsOf(shape.error)),
    ...unchangeable(toLink(deps.clock.now())(link), input),
  };
  const groupId = groupIdIn(input);
  if (groupId && !(await existingGroups(deps, link.accountId, [groupId])).has(groupId)) {
    problems.group_id = ["no such group"];
  }
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return shape.data;
}

/** Refuses a different value for a field that cannot be changed, which would be lost silently otherwise. */
function unchangeable(
  shown: { id: string; url: string; status: string },
  input: unknown,
): FieldProblems {
  const given = Object.entries((input ?? {}) as object);
  const lost = given.filter(
    ([name, value]) =>
      (name === "id" || name === "url" || name === "status") && shown[name] !== value,
  );
  return Object.fromEntries(lost.map(([name]) => [name, ["cannot be changed"]]));
}
