import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import type { LinkRow } from "../db/tables.ts";
import { type Page, type PageQuery, segmentsOnPage, windowOf } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import type {
  CheckFilter,
  DateRange,
  HistoryQuery,
  LinkHistoryQuery,
  LinkHistoryRow,
} from "./model.ts";
import { readChecks } from "./read-checks.ts";
import { spanOf } from "./span.ts";
import { piecesWithCounts, refine, type Stretch } from "./stretches.ts";
import { ofLink, piecesFor, type Subject, subjectOf } from "./subject.ts";

/** Checks of the account, newest first. A stranger's link gives an empty list. */
export async function listHistory(
  { store }: Deps,
  caller: Caller,
  query: HistoryQuery,
): Promise<Page<LinkHistoryRow>> {
  const subject = await subjectOf(store, caller, query);
  return subject ? listChecks(store, subject, query) : { items: [], total: 0 };
}

/** The same of one link. */
export const listLinkHistory = async (
  { store }: Deps,
  link: Pick<LinkRow, "no" | "accountNo">,
  query: LinkHistoryQuery,
): Promise<Page<LinkHistoryRow>> => listChecks(store, await ofLink(store, link), query);

/** Checks that may be passed over one by one, rather than to ask where in their day or hour the page is. */
const READ_AT_ONCE = 250;

/**
 * Roll-ups know how many checks each day holds, each hour and each part of an hour. They lead to the few
 * checks that hold the page, however far back it is, and add up to the total.
 */
async function listChecks(
  store: Store,
  subject: Subject,
  query: DateRange & PageQuery & CheckFilter,
): Promise<Page<LinkHistoryRow>> {
  const asked = spanOf(query);
  const span = { from: Math.max(asked.from, subject.since), until: asked.until };
  const pieces = await piecesFor(store, subject, span);
  let stretches = await piecesWithCounts(store, subject, pieces, query);
  const total = stretches.reduce((sum, { count }) => sum + count, 0);
  let window = windowOf(query);
  for (const of of ["days", "hours"] as const) {
    ({ stretches, window } = narrowed(stretches, window));
    if (readsOf(stretches) <= READ_AT_ONCE) break;
    stretches = await refine(store, subject, { of, stretches, filter: query });
  }
  ({ stretches, window } = narrowed(stretches, window));
  const items = await readChecks(store, subject, { stretches, filter: query, ...window });
  return { items, total };
}

type Window = { limit: number; offset: number };

/** The stretches that hold the page, and where in them it lies. */
function narrowed(stretches: Stretch[], window: Window) {
  const taken = segmentsOnPage(stretches, window);
  return {
    stretches: taken.map(({ segment }) => segment),
    window: {
      limit: taken.reduce((sum, { take }) => sum + take, 0),
      offset: taken[0]?.skip ?? 0,
    },
  };
}

const readsOf = (stretches: Stretch[]) => stretches.reduce((sum, { checks }) => sum + checks, 0);
