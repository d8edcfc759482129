import { and, eq, inArray, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { numbersOf, type Store } from "../db/store.ts";
import { LINK_SUMMARY, type LinkSummary, links } from "../db/tables.ts";
import type { Page } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import { findLinks } from "./find.ts";
import type { LinkQuery } from "./model.ts";

/**
 * Newest first unless sorted otherwise.
 * @param large how many links an account has that is searched beside the event loop
 */
export async function listLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  large?: number,
): Promise<Page<LinkSummary>> {
  const { total, nos } = await findLinks(deps, caller, query, { large });
  return { items: nos.length > 0 ? await readSummaries(deps.store, caller, nos) : [], total };
}

/** In the order of the numbers. */
async function readSummaries(
  store: Store,
  { accountNo }: Caller,
  nos: number[],
): Promise<LinkSummary[]> {
  const rows = await store
    .select(LINK_SUMMARY)
    .from(links)
    .where(and(eq(links.accountNo, accountNo), inArray(links.no, sql`${numbersOf(store, nos)}`)));
  const placeOf = new Map(nos.map((no, i) => [no, i]));
  return rows.sort((a, b) => placeOf.get(a.no)! - placeOf.get(b.no)!);
}
