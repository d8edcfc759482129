import type { SourceKind } from "../../ground/lib/vocabulary.ts";
import type { Credential } from "./credentials.ts";
import type { SourceReason } from "./fetching.ts";
import type { Place } from "./places.ts";
import type { SettingsOf } from "./settings.ts";

/**
 * One step of reading a source: some of its pages, or the next answer of its API. It knows neither the store nor links,
 * runs in a checker process, and can be repeated. Everything in it is JSON.
 */
export type ReadJob = JobOf<ReadKind>;

/** The kinds that are read; others push to their source. */
export type ReadKind = Exclude<SourceKind, "push">;

/** The jobs of some kinds, each with the settings of its kind. */
export type JobOf<Kinds extends ReadKind> = {
  [Kind in Kinds]: Step & { kind: Kind; settings: SettingsOf<Kind> };
}[Kinds];

/** What a job of any kind has. */
type Step = {
  url: string;
  credential: Credential | null;
  /** Of the run: steps of one run may share what was read for all of them, such as a robots.txt. */
  runId: string;
  /** The pages to read, of kinds whose pages lead to each other; the first step has the source itself. */
  targets: Target[];
  /** Where to go on, as an earlier step of the run said; null at the beginning. */
  cursor: Cursor | null;
  /** What the last complete run ended with, if nothing has to be read again. */
  mark: string | null;
};

/** @param settings of the kind, which the compiler cannot see where the kind is a variable */
export const jobOf = (kind: ReadKind, settings: SettingsOf<ReadKind>, step: Step): ReadJob =>
  ({ ...step, kind, settings }) as ReadJob;

/** Where a step ended, as JSON. Only its reader knows what it means. */
export type Cursor = unknown;

/** A page that is to be read, and what is known of it. */
export type Target = {
  url: string;
  /** By which the source knows the page. */
  key: string;
  /** Links from the beginning. */
  depth: number;
  /** How many times the run has asked for it already. */
  isSecond: boolean;
  etag: string | null;
  lastModified: string | null;
  /** By part: what the places of the page hashed to when they were read last. */
  hashes: Record<string, string>;
};

/** A page that the run may read as well. */
export type FoundPage = {
  url: string;
  key: string;
  depth: number;
  /** Why it is not read; null if it is. */
  skipped: string | null;
};

/** Why a page is not read that only links marked nofollow lead to. It is checked as a link instead. */
export const NOFOLLOW = "nofollow";

/** What reading a page, or a part of one, has brought. */
export type PageReading = {
  url: string;
  key: string;
  /** The name of the part, whose places count as one page; empty for a page that is not divided. */
  part: string;
  /** The number of lines before the part. Lines of its places count from there. */
  lineOffset: number;
  title: string | null;
  /**
   * `read`: the page is there. `unchanged`: with all its parts it is as before. `gone`: it does not exist (any more).
   * `failed`: nothing is known of it. `moved`: it redirects to another page. `skipped`: it must not be read.
   */
  outcome: "read" | "unchanged" | "gone" | "failed" | "moved" | "skipped";
  statusCode: number | null;
  /** Why it is not `read`. */
  reason: string | null;
  etag: string | null;
  lastModified: string | null;
  hash: string | null;
  /** Null if they are as before. Those that lead to pages inside the site name them. */
  places: (Place & { page?: FoundPage })[] | null;
  /** From `packAnchors`. */
  anchors: string | null;
  /** How many of its links the settings leave out. */
  leftOut?: number;
};

/** What is written together. */
export type Batch = {
  pages: PageReading[];
  /** Pages to read that stand nowhere, such as the parts of an index of sitemaps. */
  found: FoundPage[];
  /** Where to go on after this batch. */
  cursor: Cursor | null;
  /** Remarks for people, in sentences. */
  notes: string[];
};

/** How a step ended. */
export type ReadEnd =
  /** All that the job named was read. `isMismatch`: the program has another number of entries than were read. */
  | { kind: "done"; mark?: string | null; isUnchanged?: boolean; isMismatch?: boolean }
  /** There is more, from the cursor on. */
  | { kind: "more"; cursor: Cursor }
  | { kind: "failed"; reason: SourceReason; message: string }
  /** The server wants no requests for a while. */
  | { kind: "held"; forMs: number }
  | { kind: "aborted" };

/** Takes a batch; the next one is read when the promise resolves. */
export type Emit = (batch: Batch) => Promise<void>;

/** Runs a job. The next batch is read when the promise of `emit` resolves. */
export type ReadSource = (job: ReadJob, emit: Emit, signal: AbortSignal) => Promise<ReadEnd>;
