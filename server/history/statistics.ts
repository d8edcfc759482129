import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import type { LinkRow } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { goneHours } from "./link-hours.ts";
import type { DateRange, StatsQuery } from "./model.ts";
import { type Piece, roundedToDays, type Span, spanOf } from "./span.ts";
import { ofLink, piecesFor, type Subject, subjectOf } from "./subject.ts";
import { NO_CHECKS, plus, type Tally, tallyOf } from "./tally.ts";

/** What the checks of a time came to: the account's, or those of the link or the group that is asked for. */
export async function historyStatistics(
  { store }: Deps,
  caller: Caller,
  query: StatsQuery,
): Promise<Tally> {
  const subject = await subjectOf(store, caller, query);
  return subject ? countChecks(store, subject, query) : NO_CHECKS;
}

/** The same of one link. */
export const linkStatistics = async (
  { store }: Deps,
  link: Pick<LinkRow, "no" | "accountNo">,
  range: DateRange,
): Promise<Tally> => countChecks(store, await ofLink(store, link), range);

async function countChecks(store: Store, subject: Subject, range: DateRange): Promise<Tally> {
  const pieces = await piecesToCount(store, subject, spanOf(range));
  const tally = await tallyOf(store, subject, pieces);
  if (subject.of !== "link") return tally;
  const edges = pieces.filter(({ of, from }) => of === "rows" && from < subject.since);
  const gone = await Promise.all(edges.map((edge) => goneHours(store, subject.no, edge)));
  return gone.flat().reduce(plus, tally);
}

/** A busy day of an account has thousands of parts, so most of a day is the day less the rest. */
async function piecesToCount(store: Store, subject: Subject, span: Span): Promise<Piece[]> {
  if (subject.of !== "account") return piecesFor(store, subject, span);
  const wide = roundedToDays(span);
  const outside = [
    { from: wide.from, until: span.from },
    { from: span.until, until: wide.until },
  ].filter(({ from, until }) => from < until);
  const [counted, ...off] = await Promise.all(
    [wide, ...outside].map((each) => piecesFor(store, subject, each)),
  );
  return [...counted!, ...off.flat().map((piece) => ({ ...piece, isTakenOff: true }))];
}
