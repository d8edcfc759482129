import * as z from "zod";
import type { SourcePageRow, SourceRow } from "../ground/db/tables.ts";
import { id, oneOf, optionalText, paging } from "../ground/lib/fields.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import { type Cell, toCsv } from "../ground/lib/text.ts";
import { ELEMENT_KINDS, PAGE_STATES, VERDICTS } from "../ground/lib/vocabulary.ts";

export const SourcePageQuery = z.object({
  state: oneOf(PAGE_STATES).optional(),
  has: oneOf(["dead", "fragments"]).optional(),
  search: optionalText(255).optional(),
  ...paging(),
});
export type SourcePageQuery = z.output<typeof SourcePageQuery>;

export const OccurrenceQuery = z.object({ source_id: id().optional(), ...paging() });
export type OccurrenceQuery = z.output<typeof OccurrenceQuery>;

export const OccurrenceExportQuery = z.object({
  source_id: id().optional(),
  status: oneOf(VERDICTS).optional(),
  format: oneOf(["csv", "ndjson"]).optional().default("csv"),
});
export type OccurrenceExportQuery = z.output<typeof OccurrenceExportQuery>;

export const PageRecord = z
  .object({
    id: z.string().meta({ example: "4711" }),
    url: z.string(),
    title: z.string().nullable(),
    state: z.enum(PAGE_STATES),
    depth: z.int(),
    status_code: z.int().nullable(),
    reason: z.string().nullable(),
    read_at: z.string().nullable(),
    counts: z.object({ places: z.int(), dead: z.int(), fragments_missing: z.int() }),
  })
  .meta({ id: "SourcePage" });

export const OccurrenceRecord = z
  .object({
    source_id: z.uuid(),
    source_name: z.string(),
    page_id: z.string(),
    page_url: z.string(),
    page_title: z.string().nullable(),
    line: z.int().nullable(),
    column: z.int().nullable(),
    element: z.enum(ELEMENT_KINDS),
    text: z.string().nullable(),
    url: z.string(),
    fragment: z.string().nullable(),
    fragment_missing: z.boolean(),
    fragment_alike: z
      .array(z.string())
      .meta({ description: "Ids of the page that look like a fragment that is missing." }),
    flagged: z.boolean(),
    link: z
      .object({
        id: z.uuid(),
        url: z.string(),
        status: z.enum(VERDICTS),
        reason: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "Occurrence" });

export const PageDetail = PageRecord.extend({ places: z.array(OccurrenceRecord) }).meta({
  id: "SourcePageDetail",
});

/** A page, and how many of its places lead to dead links, or to anchors that are missing. */
export type ShownPage = SourcePageRow & { dead: number; fragments: number };

/** A place where a link stands, with its page and its link. `link` is null for a page of the site that answers. */
export type ShownPlace = {
  source: Pick<SourceRow, "id" | "name">;
  page: Pick<SourcePageRow, "no" | "url" | "title">;
  line: number | null;
  column: number | null;
  element: (typeof ELEMENT_KINDS)[number];
  text: string | null;
  url: string;
  fragment: string | null;
  isFragmentMissing: boolean;
  fragmentAlike: string[];
  isFlagged: boolean;
  link: { id: string; url: string; status: string; reason: string | null } | null;
};

export const toPageRecord = (page: ShownPage): z.infer<typeof PageRecord> => ({
  id: String(page.no),
  url: page.url,
  title: page.title,
  state: page.state,
  // Pages that are read once more have waited at the end of the run.
  depth: page.depth,
  status_code: page.statusCode,
  reason: page.reason,
  read_at: toIsoOrNull(page.readAt),
  counts: { places: page.places, dead: page.dead, fragments_missing: page.fragments },
});

export const toOccurrence = (place: ShownPlace): z.infer<typeof OccurrenceRecord> => ({
  source_id: place.source.id,
  source_name: place.source.name,
  page_id: String(place.page.no),
  page_url: place.page.url,
  page_title: place.page.title,
  line: place.line,
  column: place.column,
  element: place.element,
  text: place.text,
  url: place.url,
  fragment: place.fragment,
  fragment_missing: place.isFragmentMissing,
  fragment_alike: place.fragmentAlike,
  flagged: place.isFlagged,
  link: place.link as z.infer<typeof OccurrenceRecord>["link"],
});

export const toPageDetail = (
  page: ShownPage & { found: ShownPlace[] },
): z.infer<typeof PageDetail> => ({
  ...toPageRecord(page),
  places: page.found.map(toOccurrence),
});

export const OCCURRENCE_COLUMNS = [
  "source",
  "page_url",
  "page_title",
  "line",
  "column",
  "element",
  "text",
  "url",
  "fragment",
  "status",
  "reason",
];

export const toOccurrenceCells = (place: ShownPlace): Cell[] => [
  place.source.name,
  place.page.url,
  place.page.title,
  place.line,
  place.column,
  place.element,
  place.text,
  place.url,
  place.fragment,
  place.link?.status ?? null,
  place.link?.reason ?? null,
];

export const OCCURRENCES_EXAMPLE = toCsv([
  OCCURRENCE_COLUMNS,
  ["Docs", "https://docs.example.org/setup", "Setup", "40", "7", "link", "the manual"].concat([
    "https://example.com/manual",
    "",
    "dead",
    "http_404",
  ]),
]);
