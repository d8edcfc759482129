import { asc, eq, gt, sql } from "drizzle-orm";
import { lockAccounts, lockLinks } from "../ground/db/queries.ts";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { classification, type LinkRow, links } from "../ground/db/tables.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { type Catalogue, fingerprintOf, serviceIdOf } from "../judge/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";

/** Few enough that other requests do not wait. */
const LINKS_AT_ONCE = 500;
const THE_ROW = 1;
/** Increased when the same catalogue classifies links differently, as by the bucket of their site. */
const VERSION = 3;

type Parts = Pick<Deps, "store" | "catalogue">;
type Classified = Pick<LinkRow, "no" | "id" | "accountNo" | "url" | "service" | "bucket" | "site">;
type Move = Omit<Classified, "id" | "url"> & { isNewService: boolean };

/**
 * Assigns every link to its service by the catalogue of this program, to its site and to the bucket, unless that
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
  return row?.fingerprint === fingerprint(catalogue) ? row.lastLinkId : "";
}

async function writePosition({ store: tx, catalogue }: Parts, lastLinkId: string | null) {
  const row = { id: THE_ROW, fingerprint: fingerprint(catalogue), lastLinkId };
  await tx.delete(classification).where(eq(classification.id, THE_ROW));
  await tx.insert(classification).values(row).onConflictDoNothing();
}

const fingerprint = (catalogue: Catalogue) => `${fingerprintOf(catalogue)}.${VERSION}`;

const linksAfter = (store: Store, id: string): Promise<Classified[]> =>
  store
    .select({
      no: links.no,
      id: links.id,
      accountNo: links.accountNo,
      url: links.url,
      service: links.service,
      bucket: links.bucket,
      site: links.site,
    })
    .from(links)
    .where(gt(links.id, id))
    .orderBy(asc(links.id))
    .limit(LINKS_AT_ONCE);

function moveOf({ store, catalogue }: Parts, link: Classified): Move[] {
  const service = serviceIdOf(catalogue, new URL(link.url));
  // Only processes that share the work use buckets.
  const bucket = store.engine.isShared ? bucketOfUrl(link.url) : link.bucket;
  const site = siteOfUrl(link.url);
  const isNewService = service !== link.service;
  if (!isNewService && bucket === link.bucket && site === link.site) return [];
  return [{ no: link.no, accountNo: link.accountNo, service, bucket, site, isNewService }];
}

async function writeMoves(tx: Store, moves: Move[]): Promise<void> {
  if (moves.length === 0) return;
  await lockAccounts(
    tx,
    moves.map(({ accountNo }) => accountNo),
  );
  await lockLinks(
    tx,
    moves.map(({ no }) => no),
  );
  const columns = {
    link_no: "bigint",
    new_service: "text",
    new_bucket: "bigint",
    new_site: "text",
  } as const;
  const rows = moves.map(({ no, service, bucket, site }) => [no, service, bucket, site]);
  await tx.run(sql`
    update links set service = new_service, bucket = new_bucket, site = new_site
    from ${rowsOf(tx, columns, rows)} as moved where links.no = link_no
  `);
}
