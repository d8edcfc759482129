import { asc, eq, gt, sql } from "drizzle-orm";
import { lockLinks } from "../db/queries.ts";
import { rowsOf, type Store } from "../db/store.ts";
import { classification, links } from "../db/tables.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { type Catalogue, fingerprintOf, serviceIdOf } from "../verdict/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";

/** Few enough that other requests do not wait. */
const LINKS_AT_ONCE = 500;
const THE_ROW = 1;
/** Increased when the same catalogue classifies links differently, as by the bucket of their site. */
const VERSION = 2;

type Parts = Pick<Deps, "store" | "catalogue">;
type Classified = { no: number; id: string; url: string; service: string; bucket: number };
type Move = { no: number; service: string; bucket: number; isNewService: boolean };

/**
 * Assigns every link to its service by the catalogue of this program, and to the bucket of its site, unless that
 * was done before or another process is doing it. Each step stores its position, so that an interrupted run continues.
 * @returns how many links changed their service
 */
export async function reclassify(deps: Parts, signal?: AbortSignal): Promise<number> {
  const changed = await deps.store.engine.alone("file links", (lost) =>
    reclassifyAll(deps, () => lost.aborted || signal?.aborted === true),
  );
  return changed ?? 0;
}

async function reclassifyAll(deps: Parts, isEnded: () => boolean): Promise<number> {
  const { store } = deps;
  let changed = 0;
  let last = await readPosition(deps);
  while (last !== null && !isEnded()) {
    const some = await linksAfter(store, last);
    const moves = some.flatMap((link) => moveOf(deps, link));
    const position = some.length < LINKS_AT_ONCE ? null : some.at(-1)!.id;
    await store.transaction(async (tx) => {
      await writeMoves(tx, moves);
      await writePosition({ ...deps, store: tx }, position);
    });
    last = position;
    changed += moves.filter(({ isNewService }) => isNewService).length;
    await yieldToEventLoop();
  }
  return changed;
}

/** The id after which links are still to be classified; null when all are. */
async function readPosition({ store, catalogue }: Parts): Promise<string | null> {
  const [row] = await store.select().from(classification);
  return row?.fingerprint === fingerprint(store, catalogue) ? row.lastLinkId : "";
}

async function writePosition({ store: tx, catalogue }: Parts, lastLinkId: string | null) {
  const row = { id: THE_ROW, fingerprint: fingerprint(tx, catalogue), lastLinkId };
  await tx.delete(classification).where(eq(classification.id, THE_ROW));
  await tx.insert(classification).values(row).onConflictDoNothing();
}

const fingerprint = ({ engine }: Store, catalogue: Catalogue) =>
  engine.isShared ? `${fingerprintOf(catalogue)}.${VERSION}` : fingerprintOf(catalogue);

const linksAfter = (store: Store, id: string): Promise<Classified[]> =>
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

function moveOf({ store, catalogue }: Parts, link: Classified): Move[] {
  const service = serviceIdOf(catalogue, new URL(link.url));
  // Only processes that share the work use buckets.
  const bucket = store.engine.isShared ? bucketOfUrl(link.url) : link.bucket;
  const isNewService = service !== link.service;
  if (!isNewService && bucket === link.bucket) return [];
  return [{ no: link.no, service, bucket, isNewService }];
}

async function writeMoves(tx: Store, moves: Move[]): Promise<void> {
  if (moves.length === 0) return;
  await lockLinks(
    tx,
    moves.map(({ no }) => no),
  );
  const columns = { link_no: "bigint", new_service: "text", new_bucket: "bigint" } as const;
  const rows = moves.map(({ no, service, bucket }) => [no, service, bucket]);
  await tx.run(sql`
    update links set service = new_service, bucket = new_bucket
    from ${rowsOf(tx, columns, rows)} as moved where links.no = link_no
  `);
}
