import { and, asc, desc, eq, notInArray, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { Caller } from "../api/caller.ts";
import type { FoundLinks } from "../db/link-search.ts";
import type { LinkOrder } from "../db/link-search-order.ts";
import { totalLinks } from "../db/numbers.ts";
import { numbersOf, type Store } from "../db/store.ts";
import { links, type Verdict } from "../db/tables.ts";
import { fromNearerEnd, type Window, windowOf } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import { isCounted } from "./filter.ts";
import { readChecking } from "./find-counted.ts";
import type { LinkQuery } from "./model.ts";

type Ordered = LinkQuery & { status?: Verdict | undefined };

/** Whether an index holds just those links in that order, and kept counts tell how many there are. */
export const isKeptInOrder = (query: LinkQuery, { by }: LinkOrder): query is Ordered =>
  isCounted(query) &&
  query.group_id === undefined &&
  (by === "status_changed_at" ? query.status !== "checking" : query.status === undefined);

/** Goes along an index, beside the event loop: a late page is far along. */
export async function findInOrder(
  deps: Deps,
  caller: Caller,
  query: Ordered,
  order: LinkOrder,
  now: number,
): Promise<FoundLinks> {
  const { accountNo } = caller;
  const { total, active, dead } = await totalLinks(deps, accountNo);
  const counts = { active, dead, unknown: total - active - dead };
  const { status } = query;
  const checking = status ? await readChecking(deps.store, caller, undefined, now) : [];
  const hidden = checking.filter((link) => link.status === status).map(({ no }) => no);
  const all = status ? counts[status] - hidden.length : total;
  const { isTurned, ...page } = fromNearerEnd(windowOf(query), all);
  const isDown = order.isDown !== isTurned;
  const rows =
    order.by === "url_key"
      ? await byUrl(deps.store, caller, page, isDown)
      : await byChange(deps.store, { accountNo, status, hidden }, page, isDown);
  const nos = rows.map(({ no }) => no);
  return { total: all, nos: isTurned ? nos.reverse() : nos };
}

const byUrl = (
  { readPool }: Store,
  { accountId }: Caller,
  { limit, offset }: Window,
  isDown: boolean,
) =>
  readPool
    .select({ no: links.no })
    .from(links)
    .where(eq(links.accountId, accountId))
    .orderBy((isDown ? desc : asc)(links.urlKey))
    .limit(limit)
    .offset(offset);

/** The index has one order for each status: those of all are merged. */
function byChange(
  store: Store,
  wanted: { accountNo: number; status: Verdict | undefined; hidden: number[] },
  { limit, offset }: Window,
  isDown: boolean,
) {
  const { no, statusChangedAt, accountNo, status } = links;
  const isShown =
    wanted.hidden.length > 0 ? notInArray(no, sql`${numbersOf(store, wanted.hidden)}`) : undefined;
  const withStatus = (verdict: Verdict) =>
    store.readPool
      .select({ no, statusChangedAt })
      .from(links)
      .where(and(eq(accountNo, wanted.accountNo), eq(status, verdict), isShown));
  const turned = isDown ? desc : asc;
  const found = wanted.status
    ? withStatus(wanted.status)
    : unionAll(withStatus("active"), withStatus("dead"), withStatus("unknown"));
  return found.orderBy(turned(statusChangedAt), turned(no)).limit(limit).offset(offset);
}
