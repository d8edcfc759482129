import type { Batch, PageReading, Target } from "./job.ts";
import { batchOf, createParts, readingWithout } from "./parts.ts";
import type { Place } from "./places.ts";

/** Written together. */
const MOST_PAGES = 20;
const MOST_PLACES = 500;
/** Changes with the readers, so that everything is read once more. */
const VERSION = 1;

/** A page, and what its places hashed to when they were read last. */
export type KnownPage = Pick<Target, "url" | "key" | "hashes">;

type About = Pick<PageReading, "title" | "statusCode" | "etag" | "lastModified"> & {
  anchors?: string | null;
  leftOut?: number;
};

/** Of a page that is not fetched from its own URL. */
export const titled = (title: string | null): About => ({
  title,
  statusCode: null,
  etag: null,
  lastModified: null,
});

/** A page of which nothing is known. */
export const newPage = (url: string): KnownPage => ({ url, key: url, hashes: {} });

/** Collects pages, and writes those together that a batch has room for. Long pages are written in parts. */
export function createBatches(write: (batch: Batch) => Promise<void>) {
  let writing = Promise.resolve();
  const emit = (batch: Batch) => {
    writing = writing.then(() => write(batch));
    return writing;
  };
  let pages: PageReading[] = [];
  let places = 0;
  async function flush(more: Partial<Batch> = {}): Promise<void> {
    const batch = batchOf(pages, more);
    [pages, places] = [[], 0];
    if (batch.pages.length + batch.notes.length + batch.found.length > 0) await emit(batch);
  }
  async function add(reading: PageReading): Promise<void> {
    const more = reading.places?.length ?? 0;
    if (pages.length >= MOST_PAGES || (pages.length > 0 && places + more > MOST_PLACES)) {
      await flush();
    }
    pages.push(reading);
    places += more;
  }
  async function addLong({ url, key, hashes }: KnownPage, about: About, all: Place[]) {
    await flush();
    const parts = createParts({ url, key, hashes }, (some) => emit(batchOf(some)));
    for (const place of all) await parts.add(place);
    await parts.end(about);
  }
  return {
    /** Adds a page that was read as a whole, or what became of another. */
    add,
    addPage(page: KnownPage, about: About, all: Place[]): Promise<void> {
      if (all.length > MOST_PLACES) return addLong(page, about, all);
      const hash = Bun.hash(
        JSON.stringify([VERSION, about.title, about.anchors ?? null, all]),
      ).toString(36);
      const changed = page.hashes[""] === hash ? null : all;
      return add({ ...readingWithout(page, "read", about), hash, places: changed });
    },
    /** Writes what is left. */
    flush,
  };
}
