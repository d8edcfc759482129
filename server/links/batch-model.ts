import * as z from "zod";
import type { BatchRow } from "../ground/db/tables.ts";
import { id, list, oneOf } from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { VERDICTS } from "../ground/lib/vocabulary.ts";
import { filterOf, ItemError, NARROWING } from "./model.ts";

const MOST_IDS = 1000;

/** The links to check now: those with the ids, or all that match. */
export const NewBatch = z
  .object(
    {
      link_ids: list(id(), MOST_IDS).optional(),
      group_id: id().optional(),
      status: oneOf(VERDICTS).optional(),
      filter: filterOf({ ...NARROWING, status: oneOf(VERDICTS).optional() }).optional(),
    },
    "must be a JSON object",
  )
  .refine(
    ({ link_ids, group_id, status, filter }) => link_ids || group_id || status || filter,
    "must have link_ids, or group_id, status or both, or filter",
  )
  .refine(
    ({ link_ids, group_id, status, filter }) => !link_ids || !(group_id || status || filter),
    {
      path: ["link_ids"],
      error: "cannot be given together with group_id, status or filter",
    },
  )
  .refine(
    ({ link_ids, group_id, status, filter }) => link_ids || !filter || !(group_id || status),
    {
      path: ["filter"],
      error: "cannot be given together with group_id or status; they have their places in it",
    },
  )
  .meta({ example: { group_id: "0197a1b2-0000-7abc-9def-001122334455", status: "dead" } });
export type NewBatch = z.output<typeof NewBatch>;
export type BatchFilter = NonNullable<NewBatch["filter"]>;

export const BatchStarted = z
  .object({
    batch_id: z.uuid().nullable(),
    summary: z
      .object({ total: z.int(), started: z.int(), failed: z.int() })
      .meta({ example: { total: 2, started: 1, failed: 1 } }),
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
  .meta({
    id: "Batch",
    example: {
      status: "complete",
      total: 1000,
      checked: 998,
      active: 940,
      dead: 41,
      unknown: 17,
      skipped: 2,
      completed_at: "2026-01-01T00:07:12.000Z",
    },
  });

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

/** The expected number until all links have joined, so that the total does not grow. */
const totalOf = ({ filledTo, total, expected }: BatchRow) =>
  filledTo === null ? total : Math.max(total, expected);
