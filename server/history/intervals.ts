import { type SQL, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { CheckFilter } from "./model.ts";
import {
  COUNTS_OF_CHECK,
  HOUR_MS,
  number,
  parts,
  type Span,
  SUMS,
  selectSpans,
  type Tally,
  talliesByDay,
  talliesByHour,
} from "./roll-ups.ts";
import { floorTo, ownerOf, type Piece, type Subject } from "./subject.ts";

/** An interval of history: how many checks it has, and how many of them match the filter. */
export type Interval = Span & {
  of: "days" | "hours" | "parts" | "rows";
  count: number;
  checks: number;
};

/** Days or hours that are refined without a pause. */
const REFINED_AT_ONCE = 2;
const SPANS_AT_ONCE = 20;

export const isNarrowed = ({ status, changed }: CheckFilter) => status !== undefined || !!changed;

/** The condition on a check, as the end of a list of others: its kind matches. There are a few hundred kinds. */
export function ofMatchingKind({ status, changed }: CheckFilter): SQL {
  if (!status && changed === undefined) return sql``;
  const hasStatus = status ? sql`and status = ${status}` : sql``;
  const isChange = changed === undefined ? sql`` : sql`and status_changed = ${changed ? 1 : 0}`;
  return sql`and kind_no in (select no from check_kinds where true ${hasStatus} ${isChange})`;
}

/** Reads the days and hours of the pieces one by one, newest first, without those that have no matching check. */
export async function intervalsOf(
  store: Store,
  subject: Subject,
  pieces: Piece[],
  filter: CheckFilter,
): Promise<Interval[]> {
  const read = await Promise.all(
    pieces.map(async (piece) => {
      if (piece.of === "parts") return hoursIn(store, subject, [piece], filter);
      if (piece.of === "rows") return rowsIn(store, subject, [piece], filter);
      const days = counted("days", await talliesByDay(store, subject.no, piece), filter);
      // Roll-ups do not have the number of changes to a status.
      const isExact = !(filter.status && filter.changed);
      return isExact ? days : rowsIn(store, subject, days, filter);
    }),
  );
  return read.flat();
}

/** Replaces an account's days by their hours, or its hours by their parts. Other intervals stay as they are. */
export async function refine(
  store: Store,
  subject: Subject,
  { of, intervals, filter }: { of: "days" | "hours"; intervals: Interval[]; filter: CheckFilter },
): Promise<Interval[]> {
  const coarse = intervals.filter((interval) => interval.of === of);
  if (coarse.length === 0 || subject.of !== "account") return intervals;
  const finer = of === "days" ? hoursIn : partsIn;
  const found = intervals.filter((interval) => interval.of !== of);
  // A page of rare checks takes many days, each of which may have thousands of parts.
  for (const some of chunksOf(REFINED_AT_ONCE, coarse)) {
    found.push(...(await finer(store, subject, some, filter)));
    if (coarse.length > REFINED_AT_ONCE) await yieldToEventLoop();
  }
  return found.sort(newestFirst);
}

const newestFirst = (a: Span, b: Span) => b.from - a.from;

const hoursIn = async (store: Store, { no }: Subject, spans: Span[], filter: CheckFilter) =>
  counted("hours", await talliesByHour(store, no, spans.flatMap(cutByHours)), filter);

const partsIn = async (store: Store, { no }: Subject, hours: Span[], filter: CheckFilter) =>
  counted("parts", await parts(store, no, hours), filter);

function cutByHours({ from, until }: Span): Span[] {
  const hours: Span[] = [];
  for (let at = from; at < until; ) {
    const end = Math.min(floorTo(HOUR_MS, at) + HOUR_MS, until);
    hours.push({ from: at, until: end });
    at = end;
  }
  return hours;
}

/** Counts the matching checks of each span by reading them. */
async function rowsIn(
  store: Store,
  { of, no }: Subject,
  spans: Span[],
  filter: CheckFilter,
): Promise<Interval[]> {
  const found: Interval[] = [];
  for (const some of chunksOf(SPANS_AT_ONCE, spans)) {
    if (found.length > 0) await yieldToEventLoop();
    const tallies = await selectSpans(
      store,
      some,
      ({ from, until }) => sql`
        select ${number(from)} as since, ${number(until)} as last, ${SUMS} from (
          select ${COUNTS_OF_CHECK} from checks c join check_kinds k on k.no = c.kind_no
          where c.${ownerOf(of)} = ${no} and c.checked_at >= ${from} and c.checked_at < ${until} ${ofMatchingKind(filter)}
        ) as counted`,
    );
    found.push(...counted("rows", tallies, {}));
  }
  return found;
}

function counted(of: Interval["of"], tallies: (Tally & Span)[], filter: CheckFilter): Interval[] {
  return tallies
    .map((tally) => ({
      of,
      from: tally.from,
      until: tally.until,
      count: matchingIn(tally, filter),
      checks: matchingIn(tally, {}),
    }))
    .filter(({ count }) => count > 0)
    .sort(newestFirst);
}

/** The number of matching checks. For a status together with changes it is an upper bound. */
function matchingIn(tally: Tally, { status, changed }: CheckFilter): number {
  if (status && changed) return Math.min(tally.changes, tally[status]);
  if (changed) return tally.changes;
  return status ? tally[status] : tally.active + tally.dead + tally.unknown;
}
