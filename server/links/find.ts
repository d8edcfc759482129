import { asc, count, desc } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { FoundLinks } from "../db/link-search.ts";
import { type LinkOrder, orderOf } from "../db/link-search-order.ts";
import { totalLinks } from "../db/numbers.ts";
import { links } from "../db/tables.ts";
import { windowOf } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import { isCounted, matching } from "./filter.ts";
import { findCounted } from "./find-counted.ts";
import { findInOrder, isKeptInOrder } from "./find-in-order.ts";
import type { LinkQuery } from "./model.ts";
import { toSearch } from "./search.ts";

/** SQLite looks through so many links in 6 ms when each of them is on a page of its own. */
const LARGE = 1000;

/**
 * One page of links by their numbers, and how many there are in all.
 * @param now decides which of them are being checked
 * @param large how many links an account has that is searched beside the event loop
 */
export async function findLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  { now = deps.clock.now(), large = LARGE }: { now?: number; large?: number | undefined } = {},
): Promise<FoundLinks> {
  const order = orderOf(query.sort);
  const window = windowOf(query);
  const { findLinks: findBeside } = deps.store.engine;
  const isLed = isCounted(query) && !(findBeside && isOfGroupByStatus(query));
  if (isLed && order.by === "no")
    return findCounted(deps, caller, query, { ...window, ...order }, now);
  if (findBeside && (await isSmall(deps, caller, large)))
    return findMatching(deps, caller, query, order, now);
  if (isKeptInOrder(query, order)) return findInOrder(deps, caller, query, order, now);
  return findBeside
    ? findBeside({ ...toSearch(caller, query, now), ...window, order })
    : findMatching(deps, caller, query, order, now);
}

/** No index holds the links of a group by status. */
const isOfGroupByStatus = ({ group_id: groupId, status }: LinkQuery) =>
  groupId !== undefined && status !== undefined && status !== "checking";

export async function isSmall(deps: Deps, caller: Caller, large = LARGE): Promise<boolean> {
  return (await totalLinks(deps, caller.accountNo)).total < large;
}

async function findMatching(
  { store }: Deps,
  caller: Caller,
  query: LinkQuery,
  order: LinkOrder,
  now: number,
): Promise<FoundLinks> {
  const { limit, offset } = windowOf(query);
  const matches = matching(caller, query, now);
  const [rows, [counted]] = await store.batch([
    store
      .select({ no: links.no })
      .from(links)
      .where(matches)
      .orderBy(...inOrder(order))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(links).where(matches),
  ]);
  return { nos: rows.map(({ no }) => no), total: counted!.total };
}

function inOrder({ by, isDown }: LinkOrder) {
  const turned = isDown ? desc : asc;
  if (by === "status_changed_at") return [turned(links.statusChangedAt), turned(links.no)];
  return [turned(by === "url_key" ? links.urlKey : links.no)];
}
