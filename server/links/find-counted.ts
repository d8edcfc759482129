import { and, asc, desc, eq, gt, gte, lt, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { FoundLinks } from "../db/link-search.ts";
import { allCounted } from "../db/numbers.ts";
import type { Store } from "../db/store.ts";
import { groups, linkCounts, links, type Verdict } from "../db/tables.ts";
import { segmentsOnPage, type Window } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import { type LinkFilter, withStatus } from "./filter.ts";

/** How many numbers of links a row of counts is about. */
const PART = 1000;

/** A page of what begins with the highest numbers, or with the lowest. */
type Turned = Window & { isDown: boolean };

/**
 * Links by status, of the account or of a group. Kept counts tell how many there are, and in which
 * thousand numbers a page begins: the last one costs no more than the first.
 */
export async function findCounted(
  { store }: Deps,
  caller: Caller,
  { status, group_id: groupId }: LinkFilter,
  window: Turned,
  now: number,
): Promise<FoundLinks> {
  const subject = groupId ? await numberOfGroup(store, caller, groupId) : caller.accountNo;
  if (subject === undefined) return { total: 0, nos: [] };
  const checking = status ? await readChecking(store, caller, groupId, now) : [];
  if (status === "checking") return pageOf(checking, window);
  const hidden = checking.filter((link) => link.status === status);
  const parts = withoutThose(hidden, await readParts(store, subject, status, window));
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  const [begin] = segmentsOnPage(parts, window);
  if (!begin) return { total, nos: [] };
  const rows = await store
    .select({ no: links.no })
    .from(links)
    .where(
      and(
        // The group is the account's. Naming both would lead SQLite to the index that knows no groups.
        groupId ? eq(links.groupId, groupId) : eq(links.accountNo, caller.accountNo),
        withStatus(status, now),
        window.isDown
          ? lt(links.no, (begin.segment.part + 1) * PART)
          : gte(links.no, begin.segment.part * PART),
      ),
    )
    .orderBy(turned(window)(links.no))
    .limit(window.limit)
    .offset(begin.skip);
  return { total, nos: rows.map(({ no }) => no) };
}

const turned = ({ isDown }: Pick<Turned, "isDown">) => (isDown ? desc : asc);

async function numberOfGroup(store: Store, { accountId }: Caller, id: string) {
  const [group] = await store
    .select({ no: groups.no })
    .from(groups)
    .where(and(eq(groups.id, id), eq(groups.accountId, accountId)));
  return group?.no;
}

type Checking = { no: number; status: Verdict; groupId: string | null };

/**
 * Those that are being checked, never many. Narrowed and sorted here, since SQLite would look for them
 * among all links of the account or of the group.
 */
export async function readChecking(
  store: Store,
  { accountNo }: Caller,
  groupId: string | undefined,
  now: number,
): Promise<Checking[]> {
  const rows = await store
    .select({ no: links.no, status: links.status, groupId: links.groupId })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, now)));
  return rows.filter((row) => !groupId || row.groupId === groupId);
}

function pageOf(checking: Checking[], { limit, offset, isDown }: Turned): FoundLinks {
  const nos = checking.map(({ no }) => no).sort((a, b) => (isDown ? b - a : a - b));
  return { total: nos.length, nos: nos.slice(offset, offset + limit) };
}

type Part = { part: number; count: number };

function readParts(
  store: Store,
  subject: number,
  status: Verdict | undefined,
  window: Turned,
): Promise<Part[]> {
  const counted = status ? linkCounts[status] : allCounted;
  return store
    .select({ part: linkCounts.part, count: sql`${counted}`.mapWith(Number) })
    .from(linkCounts)
    .where(eq(linkCounts.subject, subject))
    .orderBy(turned(window)(linkCounts.part));
}

function withoutThose(hidden: Checking[], parts: Part[]): Part[] {
  if (hidden.length === 0) return parts;
  const hiddenIn = new Map<number, number>();
  for (const { no } of hidden) {
    const part = Math.floor(no / PART);
    hiddenIn.set(part, (hiddenIn.get(part) ?? 0) + 1);
  }
  return parts.map(({ part, count }) => ({ part, count: count - (hiddenIn.get(part) ?? 0) }));
}
