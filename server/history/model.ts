import * as z from "zod";
import { messageOf } from "../checker/messages.ts";
import type { Reason } from "../checker/reasons.ts";
import { Evidence, toEvidence } from "../evidence/model.ts";
import { id, moment, oneOf, paging } from "../lib/fields.ts";
import { toIso } from "../lib/moments.ts";
import { type CheckRow, TRIGGERS, VERDICTS } from "../store/tables.ts";

/** A check with the URL of its link, which it does not store itself. */
export type HistoryRow = Omit<CheckRow, "evidence"> & { url: string };

export type LinkHistoryRow = HistoryRow & Pick<CheckRow, "evidence">;

export const HistoryEntry = z
  .object({
    id: z.string(),
    link_id: z.uuid(),
    url: z.string(),
    status: z.enum(VERDICTS),
    previous_status: z.enum(VERDICTS),
    status_changed: z.boolean(),
    status_code: z.int().nullable(),
    response_time_ms: z.int().nullable(),
    reason: z.string(),
    message: z.string(),
    final_url: z.string().nullable(),
    redirect_count: z.int(),
    trigger: z.enum(TRIGGERS),
    checked_at: z.string(),
  })
  .meta({ id: "HistoryEntry" });

/** A check in the history of its link. Those that changed the link's status tell what they saw. */
export const LinkHistoryEntry = HistoryEntry.extend({ evidence: Evidence.nullable() }).meta({
  id: "LinkHistoryEntry",
});

export const HistoryStats = z
  .object({
    totalChecks: z.int(),
    aliveCount: z.int(),
    deadCount: z.int(),
    unknownCount: z.int(),
    statusChanges: z.int(),
    avgResponseTimeMs: z.int(),
  })
  .meta({ id: "HistoryStats" });

const range = { start_date: moment("start").optional(), end_date: moment("end").optional() };

/** Both ends are inclusive; a date alone means its first and its last millisecond in UTC. */
const inOrder = ({
  start_date,
  end_date,
}: {
  start_date?: number | undefined;
  end_date?: number | undefined;
}) => start_date === undefined || end_date === undefined || start_date <= end_date;
const OUT_OF_ORDER = { message: "must not be after end_date", path: ["start_date"] };

export const StatsQuery = z.object(range).refine(inOrder, OUT_OF_ORDER);
export type DateRange = z.output<typeof StatsQuery>;

export const LinkHistoryQuery = z.object({ ...range, ...paging() }).refine(inOrder, OUT_OF_ORDER);

export const HistoryQuery = z
  .object({ link_id: id().optional(), status: oneOf(VERDICTS).optional(), ...range, ...paging() })
  .refine(inOrder, OUT_OF_ORDER);
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
