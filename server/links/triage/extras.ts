import { sql } from "drizzle-orm";
import { onRows, type Store } from "../../db/store.ts";
import type { Handling } from "../../lib/vocabulary.ts";
import type { Expect } from "../../verdict/expectations.ts";
import type { CheckSchedule } from "../../work/schedule.ts";
import type { Override } from "./override-model.ts";

/** What people have decided about a link and noted about it, as lists show it. */
export type LinkExtras = {
  title: string | null;
  externalId: string | null;
  /** In alphabetical order. */
  tags: string[];
  assignee: { id: string; email: string } | null;
  handling: Handling;
  handledAt: number | null;
  handledBy: string | null;
  mutedUntil: number | null;
  overrideUntil: number | null;
  /** The link's own, or else its group's. */
  schedule: (CheckSchedule & { from: "link" | "group" }) | null;
  /** Whether it stays when its sources no longer have it. */
  isPinned: boolean;
  /** How many sources have it, and in how many places. */
  sources: number;
  places: number;
};

/** All of it, as the record of one link shows it. */
export type AllLinkExtras = LinkExtras & {
  note: string | null;
  metadata: Record<string, string>;
  override: Override | null;
  expect: Expect | null;
  silentDeathAt: number | null;
};

/** The extras of a link without decisions and notes. */
export const NO_EXTRAS: AllLinkExtras = {
  title: null,
  externalId: null,
  tags: [],
  assignee: null,
  handling: "open",
  handledAt: null,
  handledBy: null,
  mutedUntil: null,
  overrideUntil: null,
  schedule: null,
  ...{ isPinned: true, sources: 0, places: 0 },
  note: null,
  metadata: {},
  override: null,
  expect: null,
  silentDeathAt: null,
};

const LISTED = `
  triage.handling, triage.handled_at, triage.handled_by, triage.muted_until, triage.override_until,
  triage.assignee_id, users.email, texts.title, texts.external_id,
  settings.cron, settings.time_zone, groups.cron, groups.time_zone,
  origins.is_pinned, origins.sources, origins.places,
  (select string_agg(tags.name, ',') from link_tags join tags on tags.no = tag_no where link_no = given.no)`;
const REST = "triage.silent_death_at, triage.override, texts.note, texts.metadata, settings.expect";

const select = (columns: string) =>
  onRows(
    { no: "bigint" },
    (rows) => sql`
      select given.no, ${sql.raw(columns)}
      from ${rows} as given left join links on links.no = given.no
      left join link_triage triage on triage.link_no = given.no
      left join users on users.id = triage.assignee_id
      left join link_texts texts on texts.link_no = given.no
      left join link_settings settings on settings.link_no = given.no
      left join groups on groups.id = links.group_id
      left join link_origins origins on origins.link_no = given.no
    `,
  );

const selectListed = select(LISTED);
const selectAll = select(`${LISTED}, ${REST}`);

type Cell = string | number | null | undefined;
type Cells = (string | number | null)[];

/** Adds to each row what lists show of its link. */
export async function withExtras<Row extends { no: number }>(
  store: Store,
  rows: Row[],
): Promise<(Row & { extras: LinkExtras })[]> {
  const found = await selectListed(store, rows.map(numberOf));
  return attach(rows, found as Cells[], toExtras);
}

/** Adds to each row all that is known of its link. */
export async function withAllExtras<Row extends { no: number }>(
  store: Store,
  rows: Row[],
): Promise<(Row & { extras: AllLinkExtras })[]> {
  const found = await selectAll(store, rows.map(numberOf));
  return attach(rows, found as Cells[], toAllExtras);
}

const numberOf = ({ no }: { no: number }) => [no];

function attach<Row extends { no: number }, Extras>(
  rows: Row[],
  found: Cells[],
  toExtras: (cells: Cells) => Extras,
) {
  const byNo = new Map(found.map(([no, ...cells]) => [no as number, cells]));
  return rows.map((row) => {
    const cells = byNo.get(row.no);
    return { ...row, extras: cells ? toExtras(cells) : ({ ...NO_EXTRAS } as Extras) };
  });
}

function toExtras(cells: Cells): LinkExtras {
  const [handling, handledAt, handledBy, mutedUntil, overrideUntil, ...rest] = cells;
  const [assigneeId, email, title, externalId, cron, timeZone, groupCron, groupZone, ...last] =
    rest;
  const [isPinned, sources, places, tags] = last;
  return {
    title: title as string | null,
    externalId: externalId as string | null,
    tags: tags == null ? [] : (tags as string).split(",").sort(),
    assignee: email === null ? null : { id: assigneeId as string, email: email as string },
    handling: (handling ?? "open") as Handling,
    handledAt: handledAt as number | null,
    handledBy: handledBy as string | null,
    mutedUntil: mutedUntil as number | null,
    overrideUntil: overrideUntil as number | null,
    schedule: scheduleOf(cron, timeZone, "link") ?? scheduleOf(groupCron, groupZone, "group"),
    // Only links that sources have or had have a row.
    ...{ isPinned: isPinned !== 0, sources: Number(sources ?? 0), places: Number(places ?? 0) },
  };
}

const scheduleOf = <From>(cron: Cell, timeZone: Cell, from: From) =>
  cron == null ? null : { cron: cron as string, timeZone: timeZone as string, from };

function toAllExtras(cells: Cells): AllLinkExtras {
  const [silentDeathAt, override, note, metadata, expect] = cells.slice(-5);
  return {
    ...toExtras(cells.slice(0, -5)),
    note: note as string | null,
    metadata: parsed(metadata) ?? {},
    override: parsed(override),
    expect: parsed(expect),
    silentDeathAt: silentDeathAt as number | null,
  };
}

const parsed = <T>(json: Cell) => (json == null ? null : (JSON.parse(json as string) as T));

/** How many links have each assignee, by their ids. */
export function countByAssignee(all: Pick<LinkExtras, "assignee">[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { assignee } of all)
    if (assignee) counts.set(assignee.id, (counts.get(assignee.id) ?? 0) + 1);
  return counts;
}
