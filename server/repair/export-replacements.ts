import { sql } from "drizzle-orm";
import * as z from "zod";
import { numbersOf } from "../ground/db/store.ts";
import { id, oneOf } from "../ground/lib/fields.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import { type Cell, toCsv } from "../ground/lib/text.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";

export const ReplacementExportQuery = z.object({
  source_id: id().optional(),
  format: oneOf(["csv", "ndjson"]).optional().default("csv"),
});
type ReplacementExportQuery = z.output<typeof ReplacementExportQuery>;

export const PLACE_COLUMNS = [
  "source",
  "page_url",
  "line",
  "column",
  "url",
  "fragment",
  "accepted_url",
];

export const PLACES_EXAMPLE = toCsv([
  PLACE_COLUMNS,
  ["Docs", "https://docs.example.org/setup", "40", "7", "https://example.com/manual"].concat([
    "install",
    "https://example.com/guide",
  ]),
]);

const PAGES_AT_ONCE = 50;

/** Reads the places of the account's links that have an accepted URL, page by page. */
export async function* placesToEdit(
  { store }: Deps,
  { accountId, accountNo }: Caller,
  { source_id: sourceId }: ReplacementExportQuery,
): AsyncGenerator<Cell[][], void> {
  const accepted = sql`select link_no from link_details
    where account_no = ${accountNo} and accepted_url is not null`;
  const ofSource = sourceId === undefined ? sql`` : sql`and sources.id = ${sourceId}`;
  // Places lead to links, and to pages that are read and have links of their own.
  const pages = await store.readPool.all<[number]>(sql`
    select distinct place.page_no from occurrences place
      join source_pages page on page.no = place.page_no join sources on sources.no = page.source_no
    where place.target_no in (${accepted} union all select no from source_pages where link_no in (${accepted}))
      and sources.account_id = ${accountId} and sources.deleted_at is null ${ofSource}
    order by place.page_no`);
  const nos = pages.map(([no]) => Number(no));
  for (const some of chunksOf(PAGES_AT_ONCE, nos)) {
    const rows = await store.readPool.all<Cell[]>(sql`
      select sources.name, page.url, place.line + page.line_offset, place.col, links.url, place.fragment, details.accepted_url
      from occurrences place join source_pages page on page.no = place.page_no
        join sources on sources.no = page.source_no
        left join source_pages target on target.no = place.target_no
        join watched_links as links on links.no = coalesce(target.link_no, place.target_no)
        join link_details details on details.link_no = links.no
      where place.page_no in ${numbersOf(store, some)} and details.accepted_url is not null
      order by sources.no, page.no, place.line, place.col, links.url`);
    if (rows.length > 0) yield rows.map(withNumbers);
  }
}

/** PostgreSQL returns sums as texts. */
function withNumbers([source, page, line, column, ...more]: Cell[]): Cell[] {
  return [source!, page!, line == null ? null : Number(line), column!, ...more];
}
