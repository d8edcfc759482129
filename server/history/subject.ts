import { and, eq, gte, lt, lte, max, min, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import { accounts, groups, historyHours, type LinkRow, links } from "../db/tables.ts";
import { HOUR_MS } from "./roll-ups.ts";
import {
  ceilTo,
  floorTo,
  type Piece,
  piecesOf,
  type Span,
  wholeDaysIn,
  widenedTo,
} from "./span.ts";

/** Whose history it is, and since when its checks are kept. */
export type Subject = { of: "account" | "group" | "link"; no: number; since: number };

/** The link or the group that a query names, or else the account; null when there is none of ours. */
export async function subjectOf(
  store: Store,
  caller: Caller,
  { link_id, group_id }: { link_id?: string | undefined; group_id?: string | undefined },
): Promise<Subject | null> {
  const since = await historySince(store, caller.accountNo);
  if (!link_id && !group_id) return { of: "account", no: caller.accountNo, since };
  const [found] = link_id
    ? await store
        .select({ no: links.no })
        .from(links)
        .where(and(eq(links.id, link_id), eq(links.accountNo, caller.accountNo)))
    : await store
        .select({ no: groups.no })
        .from(groups)
        .where(and(eq(groups.id, group_id ?? ""), eq(groups.accountId, caller.accountId)));
  return found ? { of: link_id ? "link" : "group", no: found.no, since } : null;
}

/** A link that was found to be the caller's. */
export const ofLink = async (
  store: Store,
  { no, accountNo }: Pick<LinkRow, "no" | "accountNo">,
): Promise<Subject> => ({ of: "link", no, since: await historySince(store, accountNo) });

/** The moment from which on the account's checks are kept. */
async function historySince(store: Store, accountNo: number): Promise<number> {
  const [row] = await store
    .select({ since: accounts.historySince })
    .from(accounts)
    .where(eq(accounts.no, accountNo));
  return row?.since ?? 0;
}

/**
 * The pieces that a span is counted by. Of a time whose checks are gone, a part or an hour belongs to the
 * span in which it begins; of groups there are no smaller pieces than hours anyway.
 */
export async function piecesFor(store: Store, subject: Subject, span: Span): Promise<Piece[]> {
  if (subject.of === "account") return piecesOf(span, await wholePartsIn(store, subject, span));
  if (subject.of === "group") {
    const hours = widenedTo(HOUR_MS, span);
    return piecesOf(hours, hours);
  }
  const told = {
    from: span.from < subject.since ? ceilTo(HOUR_MS, span.from) : span.from,
    until: span.until < subject.since ? ceilTo(HOUR_MS, span.until) : span.until,
  };
  return piecesOf(told, wholeDaysIn(told));
}

async function wholePartsIn(store: Store, { no, since }: Subject, span: Span): Promise<Span> {
  const [from, until] = await Promise.all([
    span.from < since ? span.from : nextPart(store, no, span.from),
    span.until < since ? span.until : lastPart(store, no, span.until),
  ]);
  return { from, until };
}

/** Where the first part begins that has nothing before the moment. */
async function nextPart(store: Store, no: number, at: number): Promise<number> {
  const hourEnds = ceilTo(HOUR_MS, at);
  if (hourEnds === at) return at;
  const { subject, since } = historyHours;
  const [row] = await store
    .select({ at: min(since) })
    .from(historyHours)
    .where(and(eq(subject, no), gte(since, at), lt(since, hourEnds)));
  return row?.at ?? hourEnds;
}

/** Where the part begins that the moment ends, or cuts. */
async function lastPart(store: Store, no: number, at: number): Promise<number> {
  const hourBegan = floorTo(HOUR_MS, at);
  if (hourBegan === at) return at;
  const { subject, since } = historyHours;
  const [row] = await store
    .select({ at: max(since) })
    .from(historyHours)
    .where(and(eq(subject, no), gte(since, hourBegan), lte(since, at)));
  return row?.at ?? hourBegan;
}

/** The column of checks that has the subject's number. Of groups no checks are read. */
export const ownerOf = (of: Subject["of"]): SQL =>
  sql.raw(of === "link" ? "link_no" : "account_no");
