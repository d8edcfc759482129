import * as z from "zod";
import { id, list, oneOf } from "../../ground/lib/fields.ts";
import { type Cell, toCsv } from "../../ground/lib/text.ts";
import {
  DateRange,
  HistoryQuery,
  inOrder,
  type LinkHistoryRow,
  OUT_OF_ORDER,
  toHistoryEntry,
} from "../../history/model.ts";
import {
  EXPORTED_EXAMPLE,
  EXPORTED_NAMES,
  exportedCells,
  type LinkDetails,
} from "../fields/registry.ts";
import { NARROWING, type ShownLink, toLink } from "../model.ts";

const MOST_IDS = 100;

const ids = z
  .string()
  .transform((text) => text.split(",").map((each) => each.trim()))
  .pipe(list(id(), MOST_IDS))
  .meta({ description: `Only these links: up to ${MOST_IDS} ids, separated by commas.` });

/** The filters of a list of links, or ids. */
export const LinkExportQuery = z
  .object({
    ...NARROWING,
    ids: ids.optional(),
  })
  .refine(({ ids, ...filter }) => !ids || Object.values(filter).every((each) => !each), {
    path: ["ids"],
    error: "cannot be given together with filters",
  });
export type LinkExportQuery = z.output<typeof LinkExportQuery>;

export const HistoryExportQuery = z
  .object({
    ...DateRange.shape,
    link_id: HistoryQuery.shape.link_id,
    status: HistoryQuery.shape.status,
    changed: oneOf(["true", "false"])
      .meta({ description: HistoryQuery.shape.changed.description })
      .optional(),
  })
  .refine(inOrder, OUT_OF_ORDER);
export type HistoryExportQuery = z.output<typeof HistoryExportQuery>;

/** A link with the name of its group, and its URL before the last change of that. */
export type ExportedLink = ShownLink & {
  details: LinkDetails;
  group: string | null;
  previousUrl: string | null;
};

export const LINK_COLUMNS = [
  "id",
  "url",
  "status",
  "reason",
  "message",
  "status_changed_at",
  "last_checked_at",
  "status_code",
  "response_time_ms",
  "service",
  "group",
  "check_frequency",
  "created_at",
  ...EXPORTED_NAMES,
  "previous_url",
];

export const LINKS_EXAMPLE = toCsv([
  [...LINK_COLUMNS],
  ["0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b", "https://example.com/a", "active", "ok"].concat(
    ["The page is there.", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "200"],
    ["182", "generic", "Docs", "daily", "2026-01-01T00:00:00.000Z"],
    EXPORTED_EXAMPLE,
    [""],
  ),
]);

/** @param now decides which links are being checked */
export const toLinkCells =
  (now: number) =>
  (row: ExportedLink): Cell[] => {
    const link = toLink(row, now);
    const last: Partial<NonNullable<typeof link.last_check>> = link.last_check ?? {};
    const cells: Record<string, unknown> = {
      ...link,
      message: last.message ?? null,
      last_checked_at: last.checked_at ?? null,
      status_code: last.status_code ?? null,
      response_time_ms: last.response_time_ms ?? null,
      group: row.group,
      ...exportedCells(row.details),
      previous_url: row.previousUrl,
    };
    return LINK_COLUMNS.map((column) => cells[column] as Cell);
  };

export const HISTORY_COLUMNS = [
  "id",
  "checked_at",
  "url",
  "link_id",
  "status",
  "previous_status",
  "status_changed",
  "reason",
  "message",
  "status_code",
  "response_time_ms",
  "final_url",
  "redirect_count",
  "trigger",
] as const;

export const HISTORY_EXAMPLE = toCsv([
  [...HISTORY_COLUMNS],
  ["0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00", "2026-01-01T00:00:00.000Z"].concat(
    ["https://example.com/a", "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b", "active", "active", "false"],
    ["ok", "The page is there.", "200", "182", "https://example.com/a", "0", "scheduled"],
  ),
]);

export function toHistoryCells(row: LinkHistoryRow): Cell[] {
  const entry = toHistoryEntry(row);
  return HISTORY_COLUMNS.map((column) => entry[column]);
}
