import * as z from "zod";
import type { ImportItemRow } from "../../ground/db/tables.ts";
import { flag, oneOf, optionalText, paging, queryFlag, text } from "../../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import {
  FREQUENCIES,
  IMPORT_STATUSES,
  type ImportStatus,
  ITEM_OUTCOMES,
  type ItemOutcome,
  LINK_STATUSES,
} from "../../ground/lib/vocabulary.ts";
import { FORMAT_NAMES } from "../../read/lists/formats.ts";
import type { Item } from "../../read/lists/reading.ts";
import { statusAt } from "../model.ts";
import { countsOf, type ShownImport, type ShownItem, totalOf } from "./items.ts";

/** How a list is read. Its text is the body. */
export const ImportQuery = z.object({
  name: optionalText(255)
    .meta({ description: "The name of its file.", example: "bookmarks.html" })
    .optional(),
  format: oneOf(FORMAT_NAMES)
    .meta({ description: "Detected from the content by default." })
    .optional(),
  updates: queryFlag()
    .meta({
      description:
        "Whether a link that has the `external_id` of a row is changed. Otherwise the row is refused.",
    })
    .optional(),
});
export type ImportQuery = z.output<typeof ImportQuery>;

/** What is done with the links of a list. */
export const ImportStart = z
  .object(
    {
      group: text(100)
        .nullable()
        .meta({
          description:
            "Name or id of the group for links of no other; it is made if there is none.",
          example: "Docs",
        })
        .optional(),
      check_frequency: oneOf(FREQUENCIES)
        .meta({ description: "For links of which the list says nothing. Default: `daily`." })
        .optional(),
      use_groups: flag()
        .meta({ description: "Whether the groups count that the list names. Default: `true`." })
        .optional(),
      overrides: flag()
        .meta({ description: "Whether `group` and `check_frequency` count more than the list." })
        .optional(),
    },
    "must be a JSON object",
  )
  .optional()
  .default({})
  .meta({ example: { group: "Docs", check_frequency: "weekly" } });
export type ImportStart = z.output<typeof ImportStart>;

const counts = Object.fromEntries(ITEM_OUTCOMES.map((outcome) => [outcome, z.int()])) as Record<
  ItemOutcome,
  z.ZodInt
>;

export const Import = z
  .object({
    id: z.uuid(),
    status: z.enum(IMPORT_STATUSES).meta({ example: "ready" }),
    name: z.string().nullable(),
    format: z.string().meta({ example: "csv" }),
    counts: z
      .object({ total: z.int(), ...counts })
      .meta({ description: "How many rows of the list have each outcome." }),
    checks: z
      .object({ active: z.int(), dead: z.int(), unknown: z.int(), skipped: z.int() })
      .meta({ description: "The first checks of the links that were created." }),
    groups: z
      .object({ existing: z.array(z.string()), missing: z.array(z.string()) })
      .meta({ description: "While it is `ready`: the groups that the list names for new links." }),
    group: z.string().nullable().meta({ description: "Name or id, as it was given." }),
    check_frequency: z.enum(FREQUENCIES).nullable(),
    notes: z.array(z.string()).meta({ description: "Remarks about the list, in sentences." }),
    sitemaps: z.array(z.string()).meta({ description: "What an index of sitemaps names." }),
    problem: z.string().nullable().meta({ description: "Why it was stopped, if not by request." }),
    created_by: z.string().meta({ example: "ada@example.org" }),
    created_at: z.string(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
  })
  .meta({
    id: "Import",
    example: {
      name: "links.csv",
      counts: {
        total: 3,
        waiting: 0,
        new: 2,
        created: 0,
        changed: 0,
        already_there: 1,
        duplicate: 0,
        refused: 0,
      },
      checks: { active: 0, dead: 0, unknown: 0, skipped: 0 },
      groups: { existing: ["Docs"], missing: [] },
      group: null,
      check_frequency: null,
      notes: [],
      sitemaps: [],
      problem: null,
      started_at: null,
      completed_at: null,
    },
  });

export function toImport({ checked, namedGroups, ...row }: ShownImport): z.infer<typeof Import> {
  const own = countsOf(row);
  const options = JSON.parse(row.options);
  return {
    id: row.id,
    status: row.status as ImportStatus,
    name: row.name,
    format: row.format,
    counts: { total: totalOf(own), ...own },
    checks: checked,
    groups: namedGroups,
    group: options.group,
    check_frequency: options.frequency,
    notes: JSON.parse(row.notes),
    sitemaps: JSON.parse(row.sitemaps),
    problem: row.problem,
    created_by: row.actorName,
    created_at: toIso(row.createdAt),
    started_at: toIsoOrNull(row.startedAt),
    completed_at: toIsoOrNull(row.completedAt),
  };
}

/** A comma-separated list. */
const outcomes = z
  .string()
  .transform((given, context) => {
    const names = given.split(",").map((name) => name.trim() as ItemOutcome);
    const unknown = names.find((name) => !ITEM_OUTCOMES.includes(name));
    if (unknown === undefined) return names;
    context.addIssue(`must be one or more of: ${ITEM_OUTCOMES.join(", ")}`);
    return z.NEVER;
  })
  .meta({
    description: `Only rows with one of these outcomes, separated by commas: ${ITEM_OUTCOMES.map((name) => `\`${name}\``).join(", ")}.`,
    example: "refused,duplicate",
  });

export const ImportItemQuery = z.object({
  outcome: outcomes.optional(),
  not_kept: queryFlag()
    .meta({ description: "Only rows of which something is not kept, or is." })
    .optional(),
  sort: oneOf(["line", "dead_first"])
    .meta({
      description:
        "In the order of the list, or by the first checks: dead links, unknown ones, those not checked yet, active ones.",
    })
    .optional()
    .default("line"),
  ...paging(),
});
export type ImportItemQuery = z.output<typeof ImportItemQuery>;

export const ImportItem = z
  .object({
    line: z.int().meta({ example: 2 }),
    url: z.string().meta({ example: "https://example.com/a" }),
    outcome: z.enum(ITEM_OUTCOMES).meta({ example: "created" }),
    reason: z.string().nullable().meta({ description: "Why it was refused, in a sentence." }),
    duplicate_of: z.int().nullable().meta({ description: "The line with the same URL." }),
    link_id: z.uuid().nullable(),
    not_kept: z
      .array(z.object({ field: z.string(), reason: z.string() }))
      .meta({ example: [{ field: "title", reason: "must be at most 200 characters" }] }),
    group: z.string().meta({ description: "As the list has it.", example: "Docs" }),
    check_frequency: z.string().meta({ description: "As the list has it.", example: "weekly" }),
    noted: z.record(z.string(), z.unknown()).meta({
      description: "The other fields of the link.",
      example: { title: "Handbook" },
    }),
    check: z
      .object({
        status: z.enum(LINK_STATUSES).nullable(),
        reason: z.string().nullable(),
        status_code: z.int().nullable(),
        response_time_ms: z.int().nullable(),
      })
      .nullable()
      .meta({
        description:
          "The latest check of the link since it was added; its `status` is null before the first, and `checking` during a check. Null without a link.",
      }),
  })
  .meta({
    id: "ImportItem",
    example: {
      reason: null,
      duplicate_of: null,
      check: { status: "active", reason: "ok", status_code: 200, response_time_ms: 182 },
    },
  });

export function toImportItem(
  { since, ...row }: ShownItem,
  now: number,
): z.infer<typeof ImportItem> {
  const { url, group, frequency, noted = {}, notKept = [] } = itemOf(row);
  const isDuplicate = row.outcome === "duplicate";
  return {
    line: row.line,
    url,
    outcome: row.outcome,
    reason: isDuplicate ? null : row.detail,
    duplicate_of: isDuplicate ? Number(row.detail) : null,
    link_id: row.linkId,
    not_kept: notKept.map(({ field, why }) => ({ field, reason: why })),
    group,
    check_frequency: frequency,
    noted,
    check: row.link && checkOf(row.link, now, since),
  };
}

const itemOf = ({ item }: ImportItemRow): Item => JSON.parse(item);

function checkOf(link: NonNullable<ShownItem["link"]>, now: number, since: number) {
  if ((link.lastCheckedAt ?? 0) >= since) {
    return {
      status: link.status,
      reason: link.lastReason,
      status_code: link.lastStatusCode,
      response_time_ms: link.lastResponseTimeMs,
    };
  }
  const isChecking = statusAt(now, link) === "checking";
  return {
    status: isChecking ? ("checking" as const) : null,
    reason: null,
    status_code: null,
    response_time_ms: null,
  };
}
