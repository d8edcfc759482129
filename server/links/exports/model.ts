import * as z from "zod";
import type { LinkSummary } from "../../db/tables.ts";
import {
  DateRange,
  HistoryQuery,
  type LinkHistoryRow,
  toHistoryEntry,
} from "../../history/model.ts";
import { id, list, oneOf } from "../../lib/fields.ts";
import { toIso } from "../../lib/moments.ts";
import { type Cell, toCsv } from "../../lib/text.ts";
import { LinkQuery, toLink } from "../model.ts";

const MOST_IDS = 100;

const ids = z
  .string()
  .transform((text) => text.split(",").map((each) => each.trim()))
  .pipe(list(id(), MOST_IDS))
  .meta({ description: `Only these links: up to ${MOST_IDS} ids, separated by commas.` });

const { status, service, search, group_id, check_frequency } = LinkQuery.shape;

/** What narrows a list of links does so here, or else their ids do. */
export const LinkExportQuery = z
  .object({
    ...{ status, service, search, group_id, check_frequency },
    ids: ids.optional(),
  })
  .refine(({ ids, ...filter }) => !ids || Object.values(filter).every((each) => !each), {
    path: ["ids"],
    error: "cannot be given together with filters",
  });
export type LinkExportQuery = z.output<typeof LinkExportQuery>;

/** What narrows the list of checks does so here. */
export const HistoryExportQuery = z
  .object({
    ...DateRange.shape,
    link_id: HistoryQuery.shape.link_id,
    status: HistoryQuery.shape.status,
    changed: oneOf(["true", "false"])
      .meta({ description: HistoryQuery.shape.changed.description })
      .optional(),
  })
  .refine(
    ({ start_date, end_date }) =>
      start_date === undefined || end_date === undefined || start_date <= end_date,
    { message: "must not be after end_date", path: ["start_date"] },
  );
export type HistoryExportQuery = z.output<typeof HistoryExportQuery>;

/** A link with the name of its group. */
export type ExportedLink = LinkSummary & { group: string | null };

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
];

export const LINKS_EXAMPLE = toCsv([
  LINK_COLUMNS,
  ["0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b", "https://example.com/a", "active", "ok"].concat(
    ["The page is there.", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "200"],
    ["182", "generic", "Docs", "daily", "2026-01-01T00:00:00.000Z"],
  ),
]);

/** @param now decides which links are being checked */
export const toLinkCells =
  (now: number) =>
  (row: ExportedLink): Cell[] => {
    const link = toLink(now)(row);
    const last = link.last_check;
    return [
      link.id,
      link.url,
      link.status,
      link.reason,
      last?.message ?? null,
      link.status_changed_at,
      last?.checked_at ?? null,
      last?.status_code ?? null,
      last?.response_time_ms ?? null,
      link.service,
      row.group,
      link.check_frequency,
      toIso(row.createdAt),
    ];
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

/** How rows become text: what stands before all of them, and each. */
export type RowFormat = { head: string; linesOf(rows: Cell[][]): string };

/** As the API exports: a head and a row a line. */
export const csvFormat = (columns: readonly string[]): RowFormat => ({
  head: toCsv([[...columns]]),
  linesOf: toCsv,
});

/** One JSON object a line, named as the columns of the table are. */
export const ndjsonFormat = (columns: readonly string[]): RowFormat => ({
  head: "",
  linesOf: (rows) => rows.map((row) => `${JSON.stringify(recordOf(columns, row))}\n`).join(""),
});

const recordOf = (columns: readonly string[], row: Cell[]) =>
  Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null]));
