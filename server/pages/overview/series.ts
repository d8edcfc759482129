import { and, eq, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { totalLinks } from "../../ground/db/queries.ts";
import type { Store } from "../../ground/db/store.ts";
import { sites } from "../../ground/db/tables.ts";
import { DAY_MS } from "../../history/roll-ups.ts";
import { BUCKET_NAMES, medianTimeDead } from "../../history/status-days.ts";
import { subjectOf } from "../../history/subject.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import type { Series, SeriesDay, SeriesQuery } from "./model.ts";

/** Days with the most links that died are noted. */
const NOTES = 3;
/** Fewer links that died on a day are not worth a note. */
const LEAST_NOTED = 3;

type Row = {
  day: number;
  active: number | null;
  dead: number | null;
  unknown: number | null;
  died: number;
  cameBack: number;
  /** The histogram of the time dead of links that came back. */
  back: number[];
};

const NO_DAYS: Series = {
  days: [],
  previous: [],
  notes: [],
  median_dead_ms: null,
  previous_median_dead_ms: null,
  first_day: null,
};

type Read = Pick<Store, "all">;

/** Whose days are read: those of an account have no group (0) and no site (''). */
type Owner = { accountNo: number; groupNo: number; site: string };

/**
 * Returns the links of the account, of a group or of a site at the end of each day (UTC), oldest first. Days before the
 * first kept one are left out; for a group that the account does not have, all of them.
 */
export async function findSeries(
  deps: Deps,
  caller: Caller,
  { days, group_id, site = "" }: SeriesQuery,
): Promise<Series> {
  const subject = await subjectOf(deps.store, caller, { group_id });
  if (!subject) return NO_DAYS;
  const { accountNo } = caller;
  const owner = { accountNo, groupNo: subject.of === "group" ? subject.no : 0, site };
  const key = `series ${accountNo} ${owner.groupNo} ${days} ${site}`;
  return cached(deps, key, () => readSeries(deps, owner, days));
}

async function readSeries(deps: Deps, owner: Owner, days: number): Promise<Series> {
  const { readPool } = deps.store;
  const today = Math.floor(deps.clock.now() / DAY_MS);
  const first = today - days + 1;
  const begin = first - days;
  const [rows, before, counts] = await Promise.all([
    readRows(readPool, owner, { from: begin, to: today }),
    readLastBefore(readPool, owner, begin),
    countNow(deps, owner),
  ]);
  const all = carriedForward({ rows, before, counts, from: begin, to: today });
  const shown = all.filter(({ no }) => no >= first);
  const earlier = all.filter(({ no }) => no < first);
  const notes = await readNotes(
    readPool,
    owner,
    rows.filter(({ day }) => day >= first),
  );
  return {
    days: shown.map(({ day }) => day),
    previous: earlier.map(({ day }) => day),
    notes,
    median_dead_ms: medianOf(rows.filter(({ day }) => day >= first)),
    previous_median_dead_ms: medianOf(rows.filter(({ day }) => day < first)),
    first_day: all[0]?.day.day ?? null,
  };
}

async function countNow(deps: Deps, { accountNo, groupNo, site }: Owner): Promise<Counts> {
  if (site === "") return totalLinks(deps, groupNo || accountNo);
  const { active, dead, unknown } = sites;
  const [counts] = await deps.store
    .select({ active, dead, unknown })
    .from(sites)
    .where(and(eq(sites.accountNo, accountNo), eq(sites.site, site)));
  return counts ?? { active: 0, dead: 0, unknown: 0 };
}

const NAMES = sql.raw(
  ["day", "active", "dead", "unknown", "died", "came_back", ...BUCKET_NAMES].join(", "),
);

const isOf = ({ accountNo, groupNo, site }: Owner) =>
  sql`account_no = ${accountNo} and group_no = ${groupNo} and site = ${site}`;

async function readRows(
  store: Read,
  owner: Owner,
  { from, to }: { from: number; to: number },
): Promise<Row[]> {
  const rows = await store.all<(number | null)[]>(sql`
    select ${NAMES} from status_days
    where ${isOf(owner)} and day >= ${from} and day <= ${to} order by day`);
  return rows.map(toRow);
}

/** The counts that days without a row of their own begin with. */
async function readLastBefore(store: Read, owner: Owner, day: number): Promise<Row | undefined> {
  const rows = await store.all<(number | null)[]>(sql`
    select ${NAMES} from status_days
    where ${isOf(owner)} and day < ${day} and active is not null order by day desc limit 1`);
  return rows.map(toRow)[0];
}

const numberOrNull = (value: number | null | undefined) => (value == null ? null : Number(value));

function toRow([day, active, dead, unknown, died, cameBack, ...back]: (number | null)[]): Row {
  return {
    day: Number(day),
    active: numberOrNull(active),
    dead: numberOrNull(dead),
    unknown: numberOrNull(unknown),
    died: Number(died),
    cameBack: Number(cameBack),
    back: back.map(Number),
  };
}

type Counts = { active: number; dead: number; unknown: number };

type Given = { rows: Row[]; before: Row | undefined; counts: Counts; from: number; to: number };

/** A day without counts is like the one before; today has those of now. */
function carriedForward({
  rows,
  before,
  counts,
  from,
  to,
}: Given): { no: number; day: SeriesDay }[] {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  let latest: Counts | null = countsOf(before);
  const days: { no: number; day: SeriesDay }[] = [];
  for (let no = from; no <= to; no++) {
    const row = byDay.get(no);
    latest = no === to ? counts : (countsOf(row) ?? latest);
    if (!latest) continue;
    const { active: alive, dead, unknown } = latest;
    const died = row?.died ?? 0;
    const came_back = row?.cameBack ?? 0;
    const median_dead_ms = row ? medianTimeDead(row.back) : null;
    days.push({
      no,
      day: { day: dateOf(no), alive, dead, unknown, died, came_back, median_dead_ms },
    });
  }
  return days;
}

function countsOf(row: Row | undefined): Counts | null {
  if (!row || row.active === null || row.dead === null || row.unknown === null) return null;
  return { active: row.active, dead: row.dead, unknown: row.unknown };
}

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

const medianOf = (rows: Row[]) =>
  medianTimeDead(
    BUCKET_NAMES.map((_, index) => rows.reduce((sum, { back }) => sum + back[index]!, 0)),
  );

/** The site of which most links died on each of the worst days. */
async function readNotes(store: Read, owner: Owner, rows: Row[]) {
  const worst = rows
    .filter(({ died }) => died >= LEAST_NOTED)
    .toSorted((a, b) => b.died - a.died)
    .slice(0, NOTES);
  const notes = await Promise.all(worst.map(({ day }) => readNote(store, owner, day)));
  return notes.flat();
}

async function readNote(store: Read, { accountNo, groupNo, site: only }: Owner, day: number) {
  const [found] = await store.all<[string, number]>(sql`
    select site, count(*) from changes
    where account_no = ${accountNo} and kind = 'died'
      and changed_at >= ${day * DAY_MS} and changed_at < ${(day + 1) * DAY_MS}
      ${groupNo ? sql`and group_no = ${groupNo}` : sql``} ${only ? sql`and site = ${only}` : sql``}
    group by site order by count(*) desc, site limit 1`);
  if (!found) return [];
  const [site, died] = found;
  return [
    {
      day: dateOf(day),
      site,
      died: Number(died),
      ended_day: await endOf(store, { accountNo, groupNo: 0, site }, day),
    },
  ];
}

/** The first day on which the site had no more dead links than before; null if it has them still. */
async function endOf(store: Read, site: Owner, day: number): Promise<string | null> {
  const [end] = await store.all<[number | null]>(sql`
    select min(day) from status_days where ${isOf(site)} and day > ${day} and dead <= coalesce((
      select dead from status_days where ${isOf(site)} and day < ${day} order by day desc limit 1
    ), 0)`);
  return end?.[0] == null ? null : dateOf(Number(end[0]));
}
