import {
  type Batch,
  type FoundPage,
  type JobOf,
  jobOf,
  type PageReading,
  type ReadEnd,
  type ReadKind,
  type Target,
} from "../../server/read/crawl/job.ts";
import { SETTINGS_OF, type SettingsOf } from "../../server/read/crawl/settings.ts";

/** What a run keeps for the next one. */
export type Kept = {
  depths: Map<string, number>;
  pages: Map<string, PageReading>;
  parts: Map<string, PageReading>;
  mark: string | null;
};

type Read<Kind extends ReadKind> = (
  job: JobOf<Kind>,
  emit: (batch: Batch) => Promise<void>,
  signal: AbortSignal,
) => Promise<ReadEnd>;

const PAGES_A_STEP = 20;
let runs = 0;

/** Runs a source as the server does, step by step, with everything in memory and through JSON. */
export async function runSource<Kind extends ReadKind>(
  read: Read<Kind>,
  given: {
    kind: Kind;
    url: string;
    /** The usual ones by default. */
    settings?: Partial<SettingsOf<Kind>>;
    credential?: JobOf<Kind>["credential"];
    before?: Kept | undefined;
  },
) {
  const { kind, url, credential = null, before } = given;
  const settings = SETTINGS_OF[kind].parse(given.settings ?? {}) as SettingsOf<Kind>;
  const runId = `run-${++runs}`;
  const pages = new Map<string, PageReading>();
  const parts = new Map<string, PageReading>();
  const notes: string[] = [];
  const batches: Batch[] = [];
  const depths = new Map<string, number>();
  let waiting: (FoundPage & { no: number })[] = [];
  let cursor: unknown = null;
  let end: ReadEnd | null = null;

  // A page that one link says not to read is read if another says so.
  const meet = (page: FoundPage) => {
    if (depths.has(page.key)) return;
    if (page.skipped !== null) return;
    depths.set(page.key, page.depth);
    waiting.push({ ...page, no: depths.size });
  };
  meet({ url, key: url, depth: 0, skipped: null });
  for (const { url, key, outcome } of before?.pages.values() ?? []) {
    if (kind === "site" && outcome !== "skipped")
      meet({ url, key, depth: before!.depths.get(key)!, skipped: null });
  }
  const emit = async (batch: Batch) => {
    batches.push(batch);
    for (const reading of batch.pages) {
      if (reading.part === "") pages.set(reading.key, reading);
      parts.set(`${reading.key} ${reading.part}`, reading);
      for (const { page } of reading.places ?? []) if (page) meet(page);
    }
    for (const page of batch.found) meet(page);
    notes.push(...batch.notes);
    if (batch.cursor !== null) cursor = JSON.parse(JSON.stringify(batch.cursor));
  };
  const hashesOf = (key: string) =>
    Object.fromEntries(
      [...(before?.parts.values() ?? [])]
        .filter((part) => part.key === key && part.hash !== null)
        .map((part) => [part.part, part.hash!]),
    );
  const targetOf = ({ url, key, depth }: FoundPage): Target => {
    const last = before?.pages.get(key);
    const { etag = null, lastModified = null } = last ?? {};
    return { url, key, depth, isSecond: false, etag, lastModified, hashes: hashesOf(key) };
  };

  while (waiting.length > 0 || end?.kind === "more") {
    waiting.sort((a, b) => a.depth - b.depth || a.no - b.no);
    const step = waiting.slice(0, PAGES_A_STEP);
    const job = jobOf(kind, settings, {
      url,
      credential,
      runId,
      cursor,
      mark: before?.mark ?? null,
      targets: step.map(targetOf),
    });
    end = await read(JSON.parse(JSON.stringify(job)), emit, new AbortController().signal);
    if (end.kind === "more") cursor = JSON.parse(JSON.stringify(end.cursor));
    if (end.kind !== "more" && end.kind !== "done") break;
    if (end.kind === "done") waiting = waiting.filter((page) => !step.includes(page));
  }
  const mark = end?.kind === "done" ? (end.mark ?? null) : null;
  return { end: end!, depths, pages, parts, notes, batches, mark };
}
