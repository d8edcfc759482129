import * as z from "zod";
import type { CheckRow, checkKinds } from "../ground/db/tables.ts";
import { id, moment, oneOf, paging, queryFlag } from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { TRIGGERS, VERDICTS, type Verdict } from "../ground/lib/vocabulary.ts";
import { Evidence, toEvidence } from "../judge/probe/conclusion.ts";
import { messageOf, type Reason } from "../judge/reasons/reasons.ts";
import type { Extremes } from "./extremes.ts";
import type { Tally } from "./roll-ups.ts";

/** A check with its kind and its link. */
type HistoryRow = Omit<typeof checkKinds.$inferSelect, "no" | "code"> &
  Pick<CheckRow, "checkedAt" | "responseTimeMs" | "finalUrl"> & {
    id: string;
    linkId: string;
    url: string;
  };

export type LinkHistoryRow = HistoryRow & Pick<CheckRow, "evidence">;

/** A check that changed its link's status, as a link shows it. */
export type StatusChange = Pick<
  LinkHistoryRow,
  "status" | "previousStatus" | "reason" | "statusCode" | "cause" | "checkedAt" | "evidence"
>;

/** A time during which a link kept its status. */
export type Run = Extremes & {
  status: Verdict;
  reason: string | null;
  cause: string | null;
  statusCode: number | null;
  /** Null if the check that began the run is deleted. */
  startedAt: number | null;
  /** Null while it lasts. */
  endedAt: number | null;
  checks: number;
};

export const HistoryEntry = z
  .object({
    id: z.string().meta({ example: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00" }),
    link_id: z.uuid(),
    url: z.string().meta({ example: "https://example.com/a" }),
    status: z.enum(VERDICTS).meta({ example: "dead" }),
    previous_status: z.enum(VERDICTS),
    status_changed: z.boolean(),
    status_code: z.int().meta({ example: 404 }).nullable(),
    response_time_ms: z.int().meta({ example: 182 }).nullable(),
    reason: z.string().meta({ example: "http_404" }),
    message: z.string().meta({ example: "The server returned 404: there is no such page." }),
    final_url: z.string().meta({ example: "https://example.com/a" }).nullable(),
    redirect_count: z.int().meta({ example: 0 }),
    trigger: z.enum(TRIGGERS),
    checked_at: z.string(),
  })
  .meta({ id: "HistoryEntry" });

/** A check in the history of its link. Checks that changed the link's status have their evidence. */
export const LinkHistoryEntry = HistoryEntry.extend({ evidence: Evidence.nullable() }).meta({
  id: "LinkHistoryEntry",
  example: {
    status: "active",
    previous_status: "dead",
    status_code: 200,
    reason: "ok",
    message: "The page is there.",
  },
});

/** A time during which a link kept its status. */
export const LinkRun = z
  .object({
    status: z.enum(VERDICTS).meta({ example: "active" }),
    reason: z.string().meta({ example: "ok" }).nullable(),
    message: z.string().meta({ example: "The page is there." }).nullable(),
    status_code: z.int().meta({ example: 200 }).nullable(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable().meta({ example: null }),
    checks: z.int().meta({ example: 122 }),
    fastest_ms: z.int().meta({ example: 84 }).nullable(),
    slowest_ms: z.int().meta({ example: 612 }).nullable(),
  })
  .meta({ id: "LinkRun" });

export const LinkRunQuery = z.object(paging());

export const HistoryStats = z
  .object({
    totalChecks: z.int().meta({ example: 1764 }),
    aliveCount: z.int().meta({ example: 1590 }),
    deadCount: z.int().meta({ example: 141 }),
    unknownCount: z.int().meta({ example: 33 }),
    statusChanges: z.int().meta({ example: 9 }),
    avgResponseTimeMs: z.int().meta({ example: 231 }),
  })
  .meta({ id: "HistoryStats" });

export const LinkStats = HistoryStats.extend({
  uptimePercent: z.number().meta({ example: 91.85 }).nullable(),
}).meta({
  id: "LinkStats",
});

const BUCKETS = ["hour", "day"] as const;
export type Bucket = (typeof BUCKETS)[number];

export const HistorySeries = z
  .object({
    bucket: z.enum(BUCKETS),
    points: z.array(
      HistoryStats.extend({
        start: z.string().meta({ format: "date-time" }),
        fastestMs: z.int().meta({ example: 84 }).nullable(),
        slowestMs: z.int().meta({ example: 612 }).nullable(),
      }),
    ),
  })
  .meta({ id: "HistorySeries" });

const range = {
  start_date: moment("start").meta({ description: "From this time or day, inclusive." }).optional(),
  end_date: moment("end").meta({ description: "Until this time or day, inclusive." }).optional(),
};

type Dates = { start_date?: number | undefined; end_date?: number | undefined };
export const inOrder = ({ start_date, end_date }: Dates) =>
  (start_date ?? Number.NEGATIVE_INFINITY) <= (end_date ?? Number.POSITIVE_INFINITY);
export const OUT_OF_ORDER = { message: "must not be after end_date", path: ["start_date"] };

export const DateRange = z.object(range).refine(inOrder, OUT_OF_ORDER);
export type DateRange = z.output<typeof DateRange>;

/** The checks to count; without either, those of the account. */
const subject = {
  link_id: id().meta({ description: "Only checks of this link." }).optional(),
  group_id: id().meta({ description: "Only checks of links in this group." }).optional(),
};
type Ids = { link_id?: string | undefined; group_id?: string | undefined };
const atMostOne = ({ link_id, group_id }: Ids) => link_id === undefined || group_id === undefined;
const BOTH = { message: "must not be given with link_id", path: ["group_id"] };

export const StatsQuery = z
  .object({ ...range, ...subject })
  .refine(inOrder, OUT_OF_ORDER)
  .refine(atMostOne, BOTH);
export type StatsQuery = z.output<typeof StatsQuery>;

export const SeriesQuery = z
  .object({
    bucket: oneOf(BUCKETS)
      .meta({ description: "The length of each point." })
      .optional()
      .default("day"),
    ...range,
    ...subject,
  })
  .refine(inOrder, OUT_OF_ORDER)
  .refine(atMostOne, BOTH);
export type SeriesQuery = z.output<typeof SeriesQuery>;

const filters = {
  status: oneOf(VERDICTS).meta({ description: "Only checks with this result." }).optional(),
  changed: queryFlag()
    .meta({
      description: "Only checks that changed their link's status, or only those that did not.",
    })
    .optional(),
};

/** The filter of a list of checks. */
export type CheckFilter = { status?: Verdict | undefined; changed?: boolean | undefined };

export const LinkHistoryQuery = z
  .object({ ...filters, ...range, ...paging() })
  .refine(inOrder, OUT_OF_ORDER);
export type LinkHistoryQuery = z.output<typeof LinkHistoryQuery>;

/** Roll-ups do not count changes by their new status, and only the checks of one link are few enough to read. */
const isCountable = ({ link_id, status, changed }: CheckFilter & Ids) =>
  !(status && changed) || link_id !== undefined;
const NOT_COUNTABLE = {
  message: "must not be true together with status, unless you give link_id as well",
  path: ["changed"],
};

export const HistoryQuery = z
  .object({ link_id: subject.link_id, ...filters, ...range, ...paging() })
  .refine(inOrder, OUT_OF_ORDER)
  .refine(isCountable, NOT_COUNTABLE);
export type HistoryQuery = z.output<typeof HistoryQuery>;

export const toHistoryEntry = (row: HistoryRow): z.infer<typeof HistoryEntry> => ({
  id: row.id,
  link_id: row.linkId,
  url: row.url,
  status: row.status,
  previous_status: row.previousStatus,
  status_changed: row.statusChanged,
  status_code: row.statusCode,
  response_time_ms: row.responseTimeMs,
  reason: row.reason,
  message: messageOf(row.reason as Reason, row.statusCode, row.cause as Reason | null),
  final_url: row.finalUrl,
  redirect_count: row.redirectCount,
  trigger: row.trigger,
  checked_at: toIso(row.checkedAt),
});

export const toLinkHistoryEntry = (row: LinkHistoryRow): z.infer<typeof LinkHistoryEntry> => ({
  ...toHistoryEntry(row),
  evidence: toEvidence(row.evidence),
});

/** The average is over the checks that were answered, and 0 when there are none. */
export const toStats = (counts: Tally): z.infer<typeof HistoryStats> => ({
  totalChecks: counts.active + counts.dead + counts.unknown,
  aliveCount: counts.active,
  deadCount: counts.dead,
  unknownCount: counts.unknown,
  statusChanges: counts.changes,
  avgResponseTimeMs: counts.answered === 0 ? 0 : Math.round(counts.totalMs / counts.answered),
});

/** The uptime leaves out unknown results; null when there is no other. */
export const toLinkStats = (counts: Tally): z.infer<typeof LinkStats> => ({
  ...toStats(counts),
  uptimePercent: percentOf(counts.active, counts.active + counts.dead),
});

/** With two decimals. */
const percentOf = (share: number, whole: number) =>
  whole === 0 ? null : Math.round((share / whole) * 10_000) / 100;

export const toPoint = ({
  from,
  fastestMs,
  slowestMs,
  ...counts
}: Tally & Extremes & { from: number }) => ({
  start: toIso(from),
  ...toStats(counts),
  fastestMs,
  slowestMs,
});

export const toLinkRun = (run: Run): z.infer<typeof LinkRun> => ({
  status: run.status,
  reason: run.reason,
  message:
    run.reason && messageOf(run.reason as Reason, run.statusCode, run.cause as Reason | null),
  status_code: run.statusCode,
  started_at: toIsoOrNull(run.startedAt),
  ended_at: toIsoOrNull(run.endedAt),
  checks: run.checks,
  fastest_ms: run.fastestMs,
  slowest_ms: run.slowestMs,
});
