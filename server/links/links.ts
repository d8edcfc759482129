import { and, eq, getTableColumns, not, sql } from "drizzle-orm";
import { fieldsOf, isThere, makeChange, onRecord } from "../accounts/audit/record.ts";
import { linkTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { holdLinks } from "../db/hold.ts";
import { pointRead } from "../db/point-read.ts";
import { type Frequency, type LinkRow, links } from "../db/tables.ts";
import { changeAt } from "../history/change-at.ts";
import { type FieldProblems, findForChange, foreign, invalid, notFound } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { parseId } from "../lib/ids.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import { LEASE_MS } from "../work/lease.ts";
import { existingGroups } from "./exist.ts";
import { notChecking } from "./filter.ts";
import { groupIdIn } from "./group-id.ts";
import { LinkChange, type LinkDetailRow, toLink } from "./model.ts";
import { nextCheckStays, nextCheckUnder } from "./next-check.ts";

export async function findLink({ store }: Deps, caller: Caller, id: string): Promise<LinkRow> {
  const link = await linkById(store, { id: parseId(id) ?? "" });
  if (!link) throw notFound("link");
  if (link.accountId !== caller.accountId) throw foreign("link");
  return link;
}

/**
 * A link with the check that last changed its status, if there was one and it is still kept. Two point
 * reads, since SQLite takes longer for one that joins.
 */
export async function findLinkDetail(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<LinkDetailRow> {
  const link = await findLink(deps, caller, id);
  if (link.lastCheckedAt === null) return { ...link, lastChange: null };
  const { no: linkNo, statusChangedAt: at } = link;
  return { ...link, lastChange: (await changeAt(deps.store, { linkNo, at })) ?? null };
}

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
  const now = deps.clock.now();
  const isIt = and(eq(links.id, link.id), eq(links.accountId, caller.accountId));
  const update = deps.store
    .update(links)
    .set({ ...columnsOf(deps, link, change, now), updatedAt: now })
    .where(isIt)
    .returning();
  const { groupId, checkFrequency } = link;
  const entry = onRecord(deps, caller, {
    action: "link.changed",
    target: linkTarget(link),
    fields: fieldsOf(change, { group_id: groupId, check_frequency: checkFrequency }),
    onlyIf: isThere(deps.store, links, isIt),
  });
  // Held first, so that the update sees the batches that wait for the link by then.
  const before = [...entry, ...holdLinks(deps.store, [link.no])];
  const [changed] = await makeChange(deps, before, update);
  if (!changed) throw notFound("link");
  deps.loops.wake();
  return changed;
}

/** What a request for a check came to: it was not `started` where one is running already. */
export type CheckStart = { id: string; started: boolean };

export async function startCheck(
  deps: Deps,
  caller: Caller,
  id: string,
  receipt: Receipt<CheckStart> = noReceipt,
): Promise<CheckStart> {
  const { no, id: linkId } = await findLink(deps, caller, id);
  const { store, clock } = deps;
  const now = clock.now();
  const isIdle = and(eq(links.id, linkId), notChecking(now));
  const willStart = isThere(store, links, isIdle);
  // The link is held first, so that the receipts see what the update sees.
  const before = [
    ...holdLinks(store, [no]),
    ...receipt({ id: linkId, started: true }, willStart),
    ...receipt({ id: linkId, started: false }, not(willStart)),
  ];
  const update = store
    .update(links)
    .set({ nextCheckAt: now, nextTrigger: "manual", checkingUntil: now + LEASE_MS })
    .where(isIdle)
    .returning({ id: links.id });
  const started = (await makeChange(deps, before, update)).length === 1;
  if (started) deps.loops.wake();
  return { id: linkId, started };
}

const linkById = pointRead(getTableColumns(links), (store, columns) =>
  store
    .select(columns)
    .from(links)
    .where(eq(links.id, sql.placeholder("id"))),
);

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

/** An intended change that would be lost without a word is refused; the present value may be repeated. */
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

function columnsOf(deps: Deps, link: LinkRow, change: LinkChange, now: number) {
  const { group_id: groupId, check_frequency: checkFrequency } = change;
  return {
    ...(groupId !== undefined && { groupId }),
    ...(checkFrequency && { checkFrequency, ...nextCheckOf(deps, link, checkFrequency, now) }),
  };
}

function nextCheckOf(deps: Deps, link: LinkRow, frequency: Frequency, now: number) {
  const next = nextCheckUnder(deps, link, frequency, now);
  if (next === null) return {};
  const stays = nextCheckStays(now);
  return {
    nextCheckAt: sql`case when ${stays} then ${links.nextCheckAt} else ${next} end`,
    nextTrigger: sql`case when ${stays} then ${links.nextTrigger} else 'scheduled' end`,
  };
}
