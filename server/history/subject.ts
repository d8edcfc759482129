import { and, eq, gte, lt, max, min, type SQL, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { accounts, allLinks, groups, historyHours, type LinkRow } from "../ground/db/tables.ts";
import type { Caller } from "../http/caller.ts";
import { DAY_MS, HOUR_MS, type Span } from "./roll-ups.ts";

/** The account, group or link whose history is read, and the time since when its checks are stored. */
export type Subject = { of: "account" | "group" | "link"; no: number; since: number };

/** A piece of a span, and its source: whole days, whole parts of hours, or the checks themselves. */
export type Piece = Span & { of: "days" | "parts" | "rows" };

/** The caller's link or group that a query names, or the account if it names none. Null for records of others. */
export async function subjectOf(
  store: Store,
  caller: Caller,
  { link_id, group_id }: { link_id?: string | undefined; group_id?: string | undefined },
): Promise<Subject | null> {
  const since = await historySince(store, caller.accountNo);
  if (!link_id && !group_id) return { of: "account", no: caller.accountNo, since };
  const table = link_id ? allLinks : groups;
  const [found] = await store
    .select({ no: table.no })
    .from(table)
    .where(and(eq(table.id, link_id || group_id || ""), eq(table.accountId, caller.accountId)));
  return found ? { of: link_id ? "link" : "group", no: found.no, since } : null;
}

export const ofLink = async (
  store: Store,
  { no, accountNo }: Pick<LinkRow, "no" | "accountNo">,
): Promise<Subject> => ({ of: "link", no, since: await historySince(store, accountNo) });

async function historySince(store: Store, accountNo: number): Promise<number> {
  const [row] = await store
    .select({ since: accounts.historySince })
    .from(accounts)
    .where(eq(accounts.no, accountNo));
  return row?.since ?? 0;
}

/** The column of checks that has the subject's number. The checks of groups are never read. */
export const ownerOf = (of: Subject["of"]): SQL =>
  sql.raw(of === "link" ? "link_no" : "account_no");

/** The latest time value of ECMA-262. */
const END_OF_TIME = DAY_MS * 100_000_000;

/** Returns the time that a query asks for. Both of its dates are inclusive and optional. */
export const spanOf = ({
  start_date: first = 0,
  end_date: last = END_OF_TIME - 1,
}: {
  start_date?: number | undefined;
  end_date?: number | undefined;
}): Span => ({ from: Math.max(first, 0), until: last + 1 });

/**
 * Cuts a span into the pieces that it is counted by, at most five and newest first. Where checks are deleted, a part or
 * an hour belongs to the span in which it begins. Groups have no smaller pieces than hours.
 */
export async function piecesFor(store: Store, subject: Subject, span: Span): Promise<Piece[]> {
  if (subject.of === "account") return piecesOf(span, await wholePartsIn(store, subject, span));
  if (subject.of === "group") {
    const hours = widenedTo(HOUR_MS, span);
    return piecesOf(hours, hours);
  }
  const hourAt = (at: number) => (at < subject.since ? ceilTo(HOUR_MS, at) : at);
  const known = { from: hourAt(span.from), until: hourAt(span.until) };
  return piecesOf(known, wholeDaysIn(known));
}

/** @param whole begins and ends where a part of an hour does, so that only what is outside is read check by check */
function piecesOf(span: Span, whole: Span): Piece[] {
  const days = wholeDaysIn(whole);
  const pieces: Piece[] =
    whole.from < whole.until
      ? [
          { of: "rows", from: whole.until, until: span.until },
          { of: "parts", from: days.until, until: whole.until },
          { of: "days", ...days },
          { of: "parts", from: whole.from, until: days.from },
          { of: "rows", from: span.from, until: whole.from },
        ]
      : [{ of: "rows", ...span }];
  return pieces.filter(({ from, until }) => from < until);
}

async function wholePartsIn(store: Store, { no, since }: Subject, span: Span): Promise<Span> {
  const [from, until] = await Promise.all([
    span.from < since ? span.from : nextPart(store, no, span.from),
    span.until < since ? span.until : lastPart(store, no, span.until),
  ]);
  return { from, until };
}

/** Where the first part begins that contains nothing before the moment. */
async function nextPart(store: Store, no: number, at: number): Promise<number> {
  const hourEnds = ceilTo(HOUR_MS, at);
  if (hourEnds === at) return at;
  const [row] = await store
    .select({ at: min(historyHours.since) })
    .from(historyHours)
    .where(partsBetween(no, { from: at, until: hourEnds }));
  return row?.at ?? hourEnds;
}

/** Where the part begins that ends at the moment, or contains it. */
async function lastPart(store: Store, no: number, at: number): Promise<number> {
  const hourBegan = floorTo(HOUR_MS, at);
  if (hourBegan === at) return at;
  const [row] = await store
    .select({ at: max(historyHours.since) })
    .from(historyHours)
    .where(partsBetween(no, { from: hourBegan, until: at + 1 }));
  return row?.at ?? hourBegan;
}

const partsBetween = (no: number, { from, until }: Span) =>
  and(eq(historyHours.subject, no), gte(historyHours.since, from), lt(historyHours.since, until));

/** Without a whole day it is empty, and lies where the span begins. */
function wholeDaysIn({ from, until }: Span): Span {
  const days = { from: ceilTo(DAY_MS, from), until: floorTo(DAY_MS, until) };
  return days.from < days.until ? days : { from, until: from };
}

export const widenedTo = (step: number, { from, until }: Span): Span => ({
  from: floorTo(step, from),
  until: ceilTo(step, until),
});

export const floorTo = (step: number, at: number) => Math.floor(at / step) * step;
const ceilTo = (step: number, at: number) => Math.ceil(at / step) * step;
