import { SourceFailed } from "./fetching.ts";
import type { Batch, Emit, PageReading, ReadEnd, ReadJob, Target } from "./job.ts";
import type { Place } from "./places.ts";

/** The most places of a part, and so of a document that is not divided. */
const MOST_IN_PART = 500;
/** One of so many places ends a part. */
const USUAL_IN_PART = 256;
/** Written together. */
const PLACES_AT_ONCE = 500;
const PARTS_AT_ONCE = 200;
/** Changes with the readers, so that everything is read once more. */
const VERSION = 2;

/** Collects the places of a document and passes them on in parts. */
export type Parts = {
  /** Returns a promise if the caller must wait before the next place. */
  add(place: Place): Promise<void> | void;
  /** Ends the document. What is known of it counts only now, since it might have been cut off. */
  end(
    document: Pick<PageReading, "title" | "statusCode" | "etag" | "lastModified" | "leftOut">,
  ): Promise<void>;
};

/**
 * Divides long lists. A part ends after certain places, chosen by their own hash: so a place that comes or goes changes
 * only its own part, and all others are as before.
 */
export function createParts(
  { url, key, hashes }: Pick<Target, "url" | "key" | "hashes">,
  emit: (pages: PageReading[]) => Promise<void>,
): Parts {
  /** Until it is known whether there are more places than a part has. */
  let held: Place[] | null = [];
  let part: Place[] = [];
  let ready: PageReading[] = [];
  let readyPlaces = 0;
  const names = new Map<string, number>();

  function nameFor(hash: number): string {
    const name = hash.toString(36);
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    return times === 1 ? name : `${name}.${times}`;
  }

  function push(place: Place): Promise<void> | void {
    part.push(place);
    const hash = Bun.hash.xxHash32(place.url);
    if (hash % USUAL_IN_PART !== 0 && part.length < MOST_IN_PART) return;
    return endPart(nameFor(hash));
  }

  function endPart(name: string): Promise<void> | void {
    const lineOffset = (part[0]?.line ?? 1) - 1;
    const places = part.map((place) => ({
      ...place,
      line: place.line === null ? null : place.line - lineOffset,
    }));
    part = [];
    addReading({ ...readingOf({ url, key }, name, places, hashes), lineOffset });
    if (readyPlaces >= PLACES_AT_ONCE || ready.length >= PARTS_AT_ONCE) return flush();
  }

  function addReading(reading: PageReading) {
    ready.push(reading);
    readyPlaces += reading.places?.length ?? 0;
  }

  async function flush(): Promise<void> {
    const pages = ready;
    [ready, readyPlaces] = [[], 0];
    if (pages.length > 0) await emit(pages);
  }

  async function divide(places: Place[]): Promise<void> {
    held = null;
    for (const place of places) await push(place);
  }

  return {
    add(place) {
      if (!held) return push(place);
      held.push(place);
      if (held.length > MOST_IN_PART) return divide(held);
    },
    async end(document) {
      if (part.length > 0) await endPart("end");
      addReading({ ...readingOf({ url, key }, "", held ?? [], hashes), ...document });
      await flush();
    },
  };
}

/** The reading of a part that is there. */
function readingOf(
  document: Pick<Target, "url" | "key">,
  part: string,
  places: Place[],
  hashes: Target["hashes"],
): PageReading {
  const hash = Bun.hash(JSON.stringify([VERSION, places])).toString(36);
  return {
    url: document.url,
    key: document.key,
    part,
    lineOffset: 0,
    title: null,
    outcome: "read",
    statusCode: null,
    reason: null,
    etag: null,
    lastModified: null,
    hash,
    places: hashes[part] === hash ? null : places,
    anchors: null,
  };
}

/** The reading of a document that has no places now. */
export const readingWithout = (
  { url, key }: Pick<Target, "url" | "key">,
  outcome: PageReading["outcome"],
  about: Partial<PageReading> = {},
): PageReading => ({
  url,
  key,
  part: "",
  lineOffset: 0,
  title: null,
  outcome,
  statusCode: null,
  reason: null,
  etag: null,
  lastModified: null,
  hash: null,
  places: null,
  anchors: null,
  ...about,
});

/** A batch of pages and nothing else. */
export const batchOf = (pages: PageReading[], more: Partial<Batch> = {}): Batch => ({
  pages,
  found: [],
  cursor: null,
  notes: [],
  ...more,
});

/**
 * Reads the documents of a step. Without its own document there is no source; one that it refers to is only a page of it.
 * @throws SourceFailed
 */
export async function readEach(
  { targets }: Pick<ReadJob, "targets">,
  emit: Emit,
  signal: AbortSignal,
  read: (target: Target) => Promise<void>,
): Promise<ReadEnd> {
  for (const target of targets) {
    if (signal.aborted) return { kind: "aborted" };
    try {
      await read(target);
    } catch (error) {
      if (!(error instanceof SourceFailed) || target.depth === 0) throw error;
      const { reason } = error;
      const outcome = reason === "not_found" ? "gone" : "failed";
      await emit(batchOf([readingWithout(target, outcome, { reason })]));
    }
  }
  return { kind: "done" };
}
