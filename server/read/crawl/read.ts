import type { Clock } from "../../ground/lib/clock.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { ownRate } from "../../ground/lib/site.ts";
import type { Prober } from "../../judge/probe/probe.ts";
import { createDocumentReader } from "../documents/reader.ts";
import type { ApiKind } from "./api-lists.ts";
import { type Fetching, SourceFailed, SourceHeld } from "./fetching.ts";
import { createGet } from "./get.ts";
import type { Emit, JobOf, ReadEnd, ReadJob, ReadKind, ReadSource } from "./job.ts";
import { readLists } from "./lists.ts";

type ReadOptions = Pick<Prober, "outbound" | "politeness" | "userAgent"> & {
  clock: Clock;
  /** Until a response begins. */
  timeoutMs: number;
  /** Called before each step that may take long without a pause. */
  onStep?: (job: ReadJob) => void;
};

type Read<Kinds extends ReadKind> = (
  fetching: Fetching,
  job: JobOf<Kinds>,
  emit: Emit,
  signal: AbortSignal,
) => Promise<ReadEnd>;

type Readers = { [Kind in ReadKind]: Read<Kind> };

/** One for each kind, with what it keeps between steps. They load when they are needed. */
function createReaders(): Readers {
  const documents = createDocumentReader();
  let site: Read<"site"> | null = null;
  const api: Read<ApiKind> = async (fetching, job, emit) =>
    (await import("./apis.ts")).readApis(fetching, job, emit);
  return {
    async site(...step) {
      const { createSiteReader } = await import("./site.ts");
      site ??= createSiteReader();
      return site(...step);
    },
    sitemap: readLists,
    list: readLists,
    feed: async (...step) => (await import("./feeds.ts")).readFeeds(...step),
    git: async (fetching, job, emit) =>
      (await import("./git.ts")).readRepository(fetching, job, emit, documents),
    linkding: api,
    karakeep: api,
    linkace: api,
    wordpress: api,
  };
}

/** Reads with the reader of the job's kind. */
const readWith = <Kind extends ReadKind>(
  readers: Readers,
  fetching: Fetching,
  job: JobOf<Kind>,
  emit: Emit,
  signal: AbortSignal,
): Promise<ReadEnd> => readers[job.kind](fetching, job, emit, signal);

/** The kinds that are read; others push to their source. */
export const canRead = (kind: string): boolean => kind !== "push";

/** For a whole document. */
const RECEIVE_MS = 5 * 60_000;

/** Reads sources with the same outbound requests and the same politeness as checks. */
export function createReadSource(options: ReadOptions): ReadSource {
  const { clock, outbound, politeness, timeoutMs, onStep } = options;
  const readers = createReaders();
  return async (job, emit, signal) => {
    // Pages are as long as those that checks read; other documents may be long.
    const receiveMs = job.kind === "site" ? timeoutMs : RECEIVE_MS;
    const get = createGet(options, { timeoutMs: receiveMs, headersMs: timeoutMs, signal });
    const fetching = {
      get,
      policy: outbound.policy,
      now: clock.now,
      sleep: clock.sleep,
      isOwn: ({ host }: URL) => ownRate(host, politeness.ownSites) !== null,
      onStep: () => onStep?.(job),
    };
    try {
      return await readWith(readers, fetching, job, emit, signal);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      if (error instanceof SourceHeld) return { kind: "held", forMs: error.forMs };
      if (error instanceof SourceFailed) {
        return { kind: "failed", reason: error.reason, message: error.message };
      }
      log.error("reading a source failed: internal error", describeError(error));
      return { kind: "failed", reason: "unreadable", message: "It could not be read." };
    }
  };
}
