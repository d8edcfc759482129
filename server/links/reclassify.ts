import { asc, eq, gt, sql } from "drizzle-orm";
import { holdLinks } from "../db/hold.ts";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import { classification, links } from "../db/tables.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { type Catalogue, fingerprintOf, serviceIdOf } from "../verdict/services/catalogue.ts";
import { bucketOfUrl } from "../work/buckets.ts";
import type { Deps } from "../work/deps.ts";

/** Few enough that nobody waits for them. */
const LINKS_AT_ONCE = 500;
const THE_ROW = 1;
/** Goes up when links are filed under something else by the same catalogue, as under their site's bucket. */
const FILING = 2;

type Filed = { no: number; id: string; url: string; service: string; bucket: number };

/**
 * Files every link under the service that owns it by the catalogue of this program, and under the bucket of
 * its site, unless that was done before or another process is at it. In steps that remember how far they
 * came, so that it goes on where a stop cut it short.
 * @returns how many links changed their service
 */
export async function reclassify(
  deps: Pick<Deps, "store" | "catalogue">,
  signal?: AbortSignal,
): Promise<number> {
  const changed = await deps.store.engine.alone("file links", (lost) =>
    fileAll(deps, () => lost.aborted || signal?.aborted === true),
  );
  return changed ?? 0;
}

async function fileAll(
  { store, catalogue }: Pick<Deps, "store" | "catalogue">,
  isEnded: () => boolean,
): Promise<number> {
  let changed = 0;
  let last = await whereToBegin(store, catalogue);
  while (last !== null && !isEnded()) {
    const some = await linksAfter(store, last);
    const moved = some.flatMap((link) => movedBy(store, catalogue, link));
    last = some.length < LINKS_AT_ONCE ? null : some.at(-1)!.id;
    await store.write([...movesOf(store, moved), ...cameTo(store, catalogue, last)]);
    changed += moved.filter(({ from, to }) => from.service !== to.service).length;
    await yieldToEventLoop();
  }
  return changed;
}

/** The id after which links are still to be filed; null when all are. */
async function whereToBegin(store: Store, catalogue: Catalogue): Promise<string | null> {
  const [row] = await store.select().from(classification);
  return row?.fingerprint === filingBy(store, catalogue) ? row.lastLinkId : "";
}

const filingBy = ({ engine }: Store, catalogue: Catalogue) =>
  engine.isShared ? `${fingerprintOf(catalogue)}.${FILING}` : fingerprintOf(catalogue);

const linksAfter = (store: Store, id: string): Promise<Filed[]> =>
  store
    .select({
      no: links.no,
      id: links.id,
      url: links.url,
      service: links.service,
      bucket: links.bucket,
    })
    .from(links)
    .where(gt(links.id, id))
    .orderBy(asc(links.id))
    .limit(LINKS_AT_ONCE);

type Place = Pick<Filed, "service" | "bucket">;
type Move = { no: number; from: Place; to: Place };

function movedBy({ engine }: Store, catalogue: Catalogue, { no, url, ...from }: Filed): Move[] {
  const service = serviceIdOf(catalogue, new URL(url));
  // Nobody goes by it where one process does all.
  const to = { service, bucket: engine.isShared ? bucketOfUrl(url) : from.bucket };
  const stays = to.service === from.service && to.bucket === from.bucket;
  return stays ? [] : [{ no, from, to }];
}

function movesOf(store: Store, moves: Move[]): Statement[] {
  if (moves.length === 0) return [];
  const columns = { link_no: "bigint", new_service: "text", new_bucket: "bigint" } as const;
  const rows = moves.map(({ no, to }) => [no, to.service, to.bucket]);
  return [
    ...holdLinks(
      store,
      moves.map(({ no }) => no),
    ),
    store.run(sql`
      update links set service = new_service, bucket = new_bucket
      from ${rowsOf(store, columns, rows)} as moved where links.no = link_no
    `),
  ];
}

function cameTo(store: Store, catalogue: Catalogue, lastLinkId: string | null): Statement[] {
  const row = { fingerprint: filingBy(store, catalogue), lastLinkId };
  return [
    store.delete(classification).where(eq(classification.id, THE_ROW)),
    store
      .insert(classification)
      .values({ id: THE_ROW, ...row })
      .onConflictDoNothing(),
  ];
}
