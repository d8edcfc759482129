import { and, eq, gt, inArray, isNotNull, lte, sql } from "drizzle-orm";
import { numbersOf, type Store } from "../ground/db/store.ts";
import {
  occurrences,
  type SourceRow,
  sourceLinks,
  sourcePages,
  sources,
} from "../ground/db/tables.ts";
import { type AppError, conflict, invalid } from "../ground/lib/errors.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import { batchOf, readingWithout } from "../read/crawl/parts.ts";
import { type Place, placeAt, placesOf } from "../read/crawl/places.ts";
import { type DocumentFormat, formatOfName } from "../read/documents/formats.ts";
import { createDocumentReader, UnreadableDocument } from "../read/documents/reader.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import type { PushedItem, PushResult } from "./model.ts";
import { removePlaces } from "./places.ts";
import { PUSH_RUN } from "./runs.ts";
import { detachLinks } from "./settle.ts";
import { findSource } from "./sources.ts";
import { writeBatch } from "./write.ts";

/** Changes with what is stored of a page, so that everything is stored once more. */
const VERSION = 1;
/** Written together. */
const PAGES_AT_ONCE = 20;
/** Links of a source that is pushed to leave after so long without a place, since it has no runs. */
export const MISSING_MS = 7 * 86_400_000;

type Page = { url: string; title: string | null; places: Place[]; hash: string };

const documents = createDocumentReader();

/**
 * Replaces what stands on pages. Sent twice, the same changes nothing.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT `wrong_kind` for a source that is read
 */
export async function pushItems(
  deps: Deps,
  caller: Caller,
  id: string,
  items: PushedItem[],
  saveReply: SaveReply<PushResult[]> = saveNoReply,
): Promise<PushResult[]> {
  await findPushed(deps, caller, id);
  const read = await Promise.all(items.map(readItem));
  const results = new Map<Page | AppError, PushResult>();
  const pages: Page[] = [];
  read.forEach((page, i) => {
    if ("code" in page) results.set(page, { kind: "failed", url: items[i]!.page_url, error: page });
    else pages.push(page);
  });
  const inOrder = () => read.map((page) => results.get(page)!);
  const some = chunksOf(PAGES_AT_ONCE, pages);
  for (const [i, chunk] of (some.length > 0 ? some : [[]]).entries()) {
    await makeChange(deps, caller, async (unit) => {
      const source = await findPushed(unit, caller, id);
      for (const [page, result] of await storePages(unit, source, chunk)) results.set(page, result);
      await noteWritten(unit, source);
      if (i >= some.length - 1) await saveReply(unit.store, inOrder());
    });
  }
  return inOrder();
}

/** Removes pages with what stood on them. @throws as `pushItems` */
export async function deletePushed(
  unit: Unit,
  caller: Caller,
  id: string,
  urls: string[],
): Promise<PushResult[]> {
  const source = await findPushed(unit, caller, id);
  const { store: tx } = unit;
  const keys = urls.map(keyOf);
  const rows = await tx
    .select({ no: sourcePages.no, key: sourcePages.urlKey })
    .from(sourcePages)
    .where(and(eq(sourcePages.sourceNo, source.no), inArray(sourcePages.urlKey, keys)));
  const nos = rows.map(({ no }) => no);
  await removeFrom(unit, source, nos);
  await tx.delete(sourcePages).where(inArray(sourcePages.no, sql`${numbersOf(tx, nos)}`));
  await addToCounts(tx, source, -rows.length);
  await noteWritten(unit, source);
  const gone = new Set(rows.map(({ key }) => key));
  return urls.map((url, i) => ({ kind: gone.has(keys[i]!) ? "deleted" : "missing", url }));
}

async function findPushed(deps: Deps, caller: Caller, id: string): Promise<SourceRow> {
  const source = await findSource(deps, caller, id);
  if (source.kind !== "push") {
    throw conflict("This source is read; only sources of the kind push take items.", {
      reason: "wrong_kind",
    });
  }
  return source;
}

/** Ends a change of what stands on pages. */
async function noteWritten(unit: Unit, source: SourceRow): Promise<void> {
  await noteMissing(unit, source);
  unit.afterCommit(({ topics }) => topics.counted(new Set([source.accountId])));
}

const keyOf = (url: string): string => URL.parse(url)?.href ?? url;

async function readItem(item: PushedItem): Promise<Page | AppError> {
  const url = URL.parse(item.page_url);
  if (!url || !/^https?:$/.test(url.protocol)) {
    return invalid({ page_url: ["must be an http or https URL"] });
  }
  try {
    const { title, places } = await placesIn(item, url.href);
    const hash = Bun.hash(JSON.stringify([VERSION, title, places])).toString(36);
    return { url: url.href, title, places, hash };
  } catch (error) {
    if (error instanceof UnreadableDocument) return invalid({ content: [error.message] });
    throw error;
  }
}

async function placesIn(
  { title = null, links, content, content_type: type }: PushedItem,
  url: string,
): Promise<Pick<Page, "title" | "places">> {
  if (content === undefined) {
    const places = (links ?? []).flatMap(({ url: href, text = null, line = null, column = null }) =>
      placeAt(href, url, { text, line }).map((place) => ({ ...place, column })),
    );
    return { title, places };
  }
  const read = await documents.read({ text: content, name: url, format: formatOf(type, url) });
  const base = URL.parse(read.base ?? "", url)?.href ?? url;
  const { places } = placesOf(read.links, base, ["links", "images", "media", "frames"]);
  return {
    title: title ?? read.title,
    places: places.map(({ isNofollow, ...place }): Place => place),
  };
}

const FORMATS: Record<string, DocumentFormat> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
  "text/mdx": "mdx",
  "text/x-rst": "rst",
  "text/asciidoc": "asciidoc",
  "application/x-ipynb+json": "notebook",
  "text/plain": "text",
};

const formatOf = (type: string | undefined, url: string): DocumentFormat =>
  FORMATS[(type ?? "").split(";")[0]!.trim().toLowerCase()] ??
  formatOfName(new URL(url).pathname.split("/").at(-1) || "index.html") ??
  "html";

/** @returns what became of each page; the last of several items for one page counts */
async function storePages(
  deps: Deps,
  source: SourceRow,
  pages: Page[],
): Promise<Map<Page, PushResult>> {
  const { store: tx } = deps;
  const known = await readKnown(tx, source, pages);
  const last = new Map(pages.map((page) => [page.url, page]));
  const changed = [...last.values()].filter(({ url, hash }) => {
    const before = known.get(url);
    // Since then the URL of a link on the page may have changed, see `compareAgain`.
    const isOlder = (before?.readAt ?? 0) < source.updatedAt;
    return !before || isOlder || before.hash !== hash || before.refused > 0;
  });
  const readings = changed.map(({ url, title, places, hash }) => ({
    ...readingWithout({ url, key: url }, "read", { title, hash }),
    places,
  }));
  const counts = { ...PUSH_RUN.counts, places: source.places };
  const place = { ...PUSH_RUN.place, rereads: true };
  await writeBatch(deps, source, { run: { ...PUSH_RUN, place, counts } }, batchOf(readings));
  const stored = await readKnown(tx, source, changed);
  await removeFrom(
    deps,
    source,
    [...stored.values()].flatMap(({ no, flagged }) => (flagged > 0 ? [no] : [])),
    { flagged: true },
  );
  await addToCounts(tx, source, changed.filter(({ url }) => !known.has(url)).length);
  const isChanged = new Set(changed);
  return new Map(
    pages.map((page): [Page, PushResult] => {
      const { url } = page;
      const { refused = 0 } = stored.get(url) ?? {};
      return [
        page,
        isChanged.has(last.get(url)!)
          ? { kind: "stored", url, refused }
          : { kind: "unchanged", url },
      ];
    }),
  );
}

async function readKnown(tx: Store, { no }: SourceRow, pages: Page[]) {
  const keys = pages.map(({ url }) => url);
  const { urlKey: key, listHash: hash, refused, flagged, readAt } = sourcePages;
  const rows = await tx
    .select({ no: sourcePages.no, key, hash, refused, flagged, readAt })
    .from(sourcePages)
    .where(and(eq(sourcePages.sourceNo, no), inArray(key, keys)));
  return new Map(rows.map((row) => [row.key, row]));
}

/** Takes all places of pages away, or those that are flagged. */
async function removeFrom(
  { store: tx }: Deps,
  source: SourceRow,
  nos: number[],
  { flagged = false } = {},
): Promise<void> {
  if (nos.length === 0) return;
  const { pageNo, targetNo, place, flaggedRun } = occurrences;
  const keys = await tx
    .select({ pageNo, targetNo, place })
    .from(occurrences)
    .where(
      and(inArray(pageNo, sql`${numbersOf(tx, nos)}`), flagged ? isNotNull(flaggedRun) : undefined),
    );
  await removePlaces(tx, source, keys);
  if (flagged) {
    await tx
      .update(sourcePages)
      .set({ places: sql`places - flagged`, flagged: 0 })
      .where(inArray(sourcePages.no, sql`${numbersOf(tx, nos)}`));
  }
}

/** @param more pages than before */
async function addToCounts(tx: Store, { no }: SourceRow, more: number): Promise<void> {
  const places = sql`(select coalesce(sum(places), 0) from source_links where source_no = ${no})`;
  await tx
    .update(sources)
    .set({ pages: sql`${sources.pages} + ${more}`, places })
    .where(eq(sources.no, no));
}

/** Notes since when links have no place, and when the first of them leaves. */
async function noteMissing({ store: tx, clock }: Deps, { no }: SourceRow): Promise<void> {
  const isMissing = and(eq(sourceLinks.sourceNo, no), sql`${sourceLinks.places} = 0`);
  await tx
    .update(sourceLinks)
    .set({ missingAt: clock.now() })
    .where(and(isMissing, sql`${sourceLinks.missingAt} is null`));
  const [first] = await tx
    .select({ at: sql`min(${sourceLinks.missingAt})`.mapWith((at) => at as number | null) })
    .from(sourceLinks)
    .where(isMissing);
  const dueAt = first?.at == null ? null : first.at + MISSING_MS;
  await tx.update(sources).set({ dueAt }).where(eq(sources.no, no));
}

const LEAVING_AT_ONCE = 100;

/** Lets links go that had no place for long enough, in a transaction. @returns whether that were all */
export async function retireMissing(deps: Deps, source: SourceRow): Promise<boolean> {
  const { store: tx, clock } = deps;
  const left = await tx
    .select({ no: sourceLinks.linkNo })
    .from(sourceLinks)
    .where(
      and(
        eq(sourceLinks.sourceNo, source.no),
        sql`${sourceLinks.places} = 0`,
        gt(sourceLinks.missingAt, 0),
        lte(sourceLinks.missingAt, clock.now() - MISSING_MS),
      ),
    )
    .limit(LEAVING_AT_ONCE);
  await detachLinks(deps, source, left);
  if (left.length === LEAVING_AT_ONCE) return false;
  await tx.update(sources).set({ lease: null }).where(eq(sources.no, source.no));
  await noteMissing(deps, source);
  return true;
}
