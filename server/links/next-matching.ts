import { and, desc, lt } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { links } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { isCounted, type LinkFilter, matching } from "./filter.ts";
import { isSmall } from "./find.ts";
import { toSearch } from "./search.ts";

/** What one request changes at most. */
const MOST_AT_ONCE = 1000;

/** Below any number. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** Newest first. */
const NEWEST_FIRST = { by: "no", isDown: true } as const;

/** Links by their numbers, and the number below which there may be more: null when there are none. */
type NextLinks = { nos: number[]; next: number | null };

/**
 * The newest links that fit with numbers below `before`. What is made after the first of several such
 * questions is never among them.
 * @param now decides which of them are being checked
 * @param large how many links an account has that is searched beside the event loop
 */
export async function nextMatching(
  deps: Deps,
  caller: Caller,
  filter: LinkFilter,
  {
    before = NEWEST,
    now = deps.clock.now(),
    most = MOST_AT_ONCE,
    large,
  }: { before?: number | undefined; now?: number; most?: number; large?: number } = {},
): Promise<NextLinks> {
  const { findLinks: findBeside } = deps.store.engine;
  const isSearched = findBeside && !isCounted(filter) && !(await isSmall(deps, caller, large));
  const window = { limit: most, offset: 0, order: NEWEST_FIRST, before };
  const { nos } = isSearched
    ? await findBeside({ ...toSearch(caller, filter, now), ...window })
    : await findBelow(deps, caller, filter, { before, now, most });
  return { nos, next: nos.length < most ? null : nos.at(-1)! };
}

async function findBelow(
  { store }: Deps,
  caller: Caller,
  filter: LinkFilter,
  { before, now, most }: { before: number; now: number; most: number },
): Promise<{ nos: number[] }> {
  const rows = await store.readPool
    .select({ no: links.no })
    .from(links)
    .where(and(matching(caller, filter, now), lt(links.no, before)))
    .orderBy(desc(links.no))
    .limit(most);
  return { nos: rows.map(({ no }) => no) };
}
