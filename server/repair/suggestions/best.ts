import { and, eq, inArray, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { links, type SuggestionRow, suggestions } from "../../ground/db/tables.ts";
import { AppError } from "../../ground/lib/errors.ts";
import type { Verdict } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import { withListedDetails } from "../../links/fields/details.ts";
import { readMemories } from "../../links/memories.ts";
import { moveIn, toRow } from "../../links/suggestions/rows.ts";
import { keysOf } from "../../links/verdicts.ts";
import type { Deps } from "../../work/deps.ts";
import type { Suggesting } from "./read.ts";

/** `acceptedUrl`: what a person has put in the place of the URL, which comes before any suggestion. */
type Known = {
  linkId: string;
  status: Verdict;
  acceptedUrl: string | null;
  suggestion: SuggestionRow | null;
};

/** The best that is known for each URL, in their order: null if the account does not watch it. */
export async function findBest(
  deps: Pick<Deps, "store" | "config" | "catalogue">,
  { accountId }: Pick<Caller, "accountId">,
  urls: string[],
): Promise<(Known | AppError | null)[]> {
  const { store } = deps;
  const keys = keysOf(deps, urls);
  const wanted = [...new Set(keys.filter((key) => typeof key === "string"))];
  const isWanted = and(eq(links.accountId, accountId), inArray(links.urlKey, wanted));
  const found = wanted.length === 0 ? [] : await store.select(FOUND).from(links).where(isWanted);
  const rows = await withListedDetails(store, found);
  const best = await bestOf(store, rows);
  const byKey = new Map(
    rows.map(({ urlKey, id, no, status, details: { acceptedUrl } }) => [
      urlKey,
      { linkId: id, status, acceptedUrl, suggestion: best.get(no) ?? null },
    ]),
  );
  return keys.map((key) => (key instanceof AppError ? key : (byKey.get(key) ?? null)));
}

const FOUND = {
  no: links.no,
  id: links.id,
  accountNo: links.accountNo,
  urlKey: links.urlKey,
  status: links.status,
  lastCheckedAt: links.lastCheckedAt,
};

/** The best suggestions by the numbers of links. */
async function bestOf(store: Store, some: Suggesting[]): Promise<Map<number, SuggestionRow>> {
  const [alive, others] = [true, false].map((isAlive) =>
    some.filter(({ status }) => (status === "active") === isAlive),
  ) as [Suggesting[], Suggesting[]];
  const memories = await readMemories(
    store,
    alive.map(({ no }) => no),
  );
  const moves = alive.flatMap((link) => {
    const move = moveIn(memories.get(link.no), link.lastCheckedAt ?? 0);
    return move ? [toRow(link, move)] : [];
  });
  const ids = await selectBest(
    store,
    others.map(({ no }) => [no]),
  );
  const isBest = inArray(
    suggestions.id,
    ids.map(([id]) => id as string),
  );
  const found = ids.length === 0 ? [] : await store.select().from(suggestions).where(isBest);
  return new Map([...moves, ...found].map((row) => [row.linkNo, row]));
}

const selectBest = onRows(
  { no: "bigint" },
  (rows) => sql`
    select best.id from ${rows} as given join suggestions best on best.id = (
      select id from suggestions where link_no = given.no order by rank, id limit 1)
  `,
);
