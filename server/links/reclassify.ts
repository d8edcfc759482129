import { asc, eq, gt, inArray } from "drizzle-orm";
import { type Catalogue, fingerprintOf, serviceIdOf } from "../checker/services/catalogue.ts";
import type { Deps } from "../deps.ts";
import { giveWay } from "../lib/give-way.ts";
import type { Statement, Store } from "../store/store.ts";
import { classification, links } from "../store/tables.ts";

/** Few enough that nobody waits for them. */
const LINKS_AT_ONCE = 500;
const THE_ROW = 1;

type Filed = { id: string; url: string; service: string };

/**
 * Files every link under the service that owns it by the catalogue of this program, unless that was done
 * before. In steps that remember how far they came, so that it goes on where a stop cut it short.
 * @returns how many links changed their service
 */
export async function reclassify(
  { store, catalogue }: Pick<Deps, "store" | "catalogue">,
  signal?: AbortSignal,
): Promise<number> {
  let changed = 0;
  let last = await whereToBegin(store, catalogue);
  while (last !== null && !signal?.aborted) {
    const some = await linksAfter(store, last);
    const moved = some.flatMap((link) => movedBy(catalogue, link));
    last = some.length < LINKS_AT_ONCE ? null : some.at(-1)!.id;
    await store.write([...movesOf(store, moved), ...cameTo(store, catalogue, last)]);
    changed += moved.length;
    await giveWay();
  }
  return changed;
}

/** The id after which links are still to be filed; null when all are. */
async function whereToBegin(store: Store, catalogue: Catalogue): Promise<string | null> {
  const [row] = await store.select().from(classification);
  return row?.fingerprint === fingerprintOf(catalogue) ? row.lastLinkId : "";
}

const linksAfter = (store: Store, id: string): Promise<Filed[]> =>
  store
    .select({ id: links.id, url: links.url, service: links.service })
    .from(links)
    .where(gt(links.id, id))
    .orderBy(asc(links.id))
    .limit(LINKS_AT_ONCE);

type Move = { id: string; service: string };

function movedBy(catalogue: Catalogue, { id, url, service }: Filed): Move[] {
  const owner = serviceIdOf(catalogue, new URL(url));
  return owner === service ? [] : [{ id, service: owner }];
}

function movesOf(store: Store, moves: Move[]): Statement[] {
  const byService = Map.groupBy(moves, ({ service }) => service);
  return [...byService].map(([service, some]) =>
    store
      .update(links)
      .set({ service })
      .where(
        inArray(
          links.id,
          some.map(({ id }) => id),
        ),
      ),
  );
}

function cameTo(store: Store, catalogue: Catalogue, lastLinkId: string | null): Statement[] {
  const row = { fingerprint: fingerprintOf(catalogue), lastLinkId };
  return [
    store.delete(classification).where(eq(classification.id, THE_ROW)),
    store
      .insert(classification)
      .values({ id: THE_ROW, ...row })
      .onConflictDoNothing(),
  ];
}
