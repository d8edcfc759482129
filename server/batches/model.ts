import * as z from "zod";
import { id, list, oneOf } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";
import { ItemError } from "../links/model.ts";
import { type BatchRow, VERDICTS } from "../store/tables.ts";

const MOST_IDS = 1000;

/** Which links to check now: those that are named, or all that fit. */
export const NewBatch = z
  .object(
    {
      link_ids: list(id(), MOST_IDS).optional(),
      group_id: id().optional(),
      status: oneOf(VERDICTS).optional(),
    },
    "must be a JSON object",
  )
  .refine(
    ({ link_ids, group_id, status }) => link_ids || group_id || status,
    "must have link_ids, or else group_id, status or both",
  )
  .refine(({ link_ids, group_id, status }) => !link_ids || !(group_id || status), {
    path: ["link_ids"],
    error: "cannot be given together with group_id or status",
  });
export type NewBatch = z.output<typeof NewBatch>;

export const BatchStarted = z
  .object({
    batch_id: z.uuid().nullable(),
    summary: z.object({ total: z.int(), started: z.int(), failed: z.int() }),
    failures: z.array(z.object({ id: z.uuid(), error: ItemError })),
  })
  .meta({ id: "BatchStarted" });

export const Batch = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "complete"]),
    total: z.int(),
    checked: z.int(),
    active: z.int(),
    dead: z.int(),
    unknown: z.int(),
    skipped: z.int(),
    started_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({ id: "Batch" });

export const toBatch = (row: BatchRow): z.infer<typeof Batch> => ({
  id: row.id,
  status: row.completedAt === null ? "running" : "complete",
  total: totalOf(row),
  checked: row.active + row.dead + row.unknown,
  active: row.active,
  dead: row.dead,
  unknown: row.unknown,
  skipped: row.skipped,
  started_at: toIso(row.startedAt),
  completed_at: toIsoOrNull(row.completedAt),
});

/** Until all links have joined it is what was expected, so that it does not grow before one's eyes. */
const totalOf = ({ filledTo, total, expected }: BatchRow) =>
  filledTo === null ? total : Math.max(total, expected);
