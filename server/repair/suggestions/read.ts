import type { Store } from "../../ground/db/store.ts";
import type { LinkRow, LookupRow, SuggestionRow } from "../../ground/db/tables.ts";
import { readMemories } from "../../links/memories.ts";
import { moveIn, readLookup, readSuggestions, toRow } from "../../links/suggestions/rows.ts";

/** What a link's suggestions are concluded from. */
export type Suggesting = Pick<LinkRow, "no" | "id" | "accountNo" | "status" | "lastCheckedAt">;

/** What could stand in the place of a link, the best first. While it is alive, that is where it has moved to. */
export async function suggestionsFor(store: Store, link: Suggesting): Promise<SuggestionRow[]> {
  if (link.status !== "active") return readSuggestions(store, link.no);
  const memories = await readMemories(store, [link.no]);
  const move = moveIn(memories.get(link.no), link.lastCheckedAt ?? 0);
  return move ? [toRow(link, move)] : [];
}

/** The same with the search for them. */
export async function findSuggestions(
  store: Store,
  link: Suggesting,
): Promise<{ items: SuggestionRow[]; lookup: LookupRow | null }> {
  const [items, lookup] = await Promise.all([
    suggestionsFor(store, link),
    link.status === "active" ? null : readLookup(store, link.no),
  ]);
  return { items, lookup };
}
