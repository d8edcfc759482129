import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  gt,
  inArray,
  lt,
  min,
  type SQL,
  sql,
} from "drizzle-orm";
import { auditChange } from "../../accounts/audit.ts";
import { contains, rowsOf, type Store } from "../../ground/db/store.ts";
import { siteHosts, sites, statusDays } from "../../ground/db/tables.ts";
import { notFound } from "../../ground/lib/errors.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { windowOf } from "../../ground/lib/paging.ts";
import { DAY_MS, unionOf } from "../../history/roll-ups.ts";
import type { Caller } from "../../http/caller.ts";
import { showMute } from "../../links/groups/model.ts";
import { findMutes, inheritAll, refuseMute, setMute } from "../../links/triage/inherit.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange } from "../../work/unit.ts";
import { DAYS, type Site, type SiteCursor, type SiteQuery } from "./model.ts";
import { topReasons, toReason } from "./reasons.ts";

/** Links whose last response times count for their site: the newest ones. */
const TIMED_LINKS = 100;

type SiteRow = typeof sites.$inferSelect;

/** A page of sites, their number, and where the next page begins. */
export type SitePage = { items: Site[]; total: number; next: SiteCursor | null };

export async function listSites(
  deps: Deps,
  { accountNo }: Caller,
  query: SiteQuery,
): Promise<SitePage> {
  const { store, clock } = deps;
  const matches = and(eq(sites.accountNo, accountNo), ...conditionsOf(query));
  const [found, [counted]] = await Promise.all([
    query.cursor ? readAfter(store, query, matches, query.cursor) : readPage(store, query, matches),
    store.readPool.select({ total: count() }).from(sites).where(matches),
  ]);
  const rows = found.slice(0, query.per_page);
  const last = found.length > rows.length ? rows.at(-1) : undefined;
  return {
    items: await describe(store, accountNo, rows, Math.floor(clock.now() / DAY_MS)),
    total: counted!.total,
    next: last ? { value: sortedValue(query, last), site: last.site } : null,
  };
}

/** @throws NOT_FOUND for a site that has no links */
export async function findSite({ store }: Pick<Deps, "store">, caller: Caller, site: string) {
  const isIt = and(eq(sites.accountNo, caller.accountNo), eq(sites.site, site));
  if ((await store.$count(sites, isIt)) === 0) throw notFound("site");
  const mute = await findMutes(store, caller, "site", [site]);
  return { site, ...showMute(mute.get(site) ?? null) };
}

/**
 * Mutes a site until a moment, or no longer with null, and then its links.
 * @throws NOT_FOUND for a site that has no links
 */
export async function muteSite(
  deps: Deps,
  caller: Caller,
  site: string,
  until: number | null | undefined,
) {
  const known = await findSite(deps, caller, site);
  if (until === undefined) return known;
  refuseMute(deps, until);
  const muted = { kind: "site", subject: site } as const;
  const mute = await makeChange(deps, caller, async (unit) => {
    await auditChange(unit, caller, {
      action: "site.changed",
      target: { id: site, name: site },
      fields: ["muted_until"],
    });
    return setMute(unit, caller, muted, until);
  });
  await inheritAll(deps, caller, muted);
  return { site, ...showMute(mute) };
}

const conditionsOf = ({ status, search }: SiteQuery): (SQL | undefined)[] => [
  status === "dead" ? gt(sites.dead, 0) : undefined,
  status === "unknown" ? gt(sites.unknown, 0) : undefined,
  search ? contains(sites.site, search) : undefined,
];

const columnOf = ({ sort }: SiteQuery) => (sort === "-links" ? sites.links : sites.dead);

const sortedValue = ({ sort }: SiteQuery, row: SiteRow) =>
  sort === "-links" ? row.links : row.dead;

const orderOf = (query: SiteQuery) =>
  query.sort === "site" ? [asc(sites.site)] : [desc(columnOf(query)), asc(sites.site)];

/** Reads one more than a page. */
function readPage(
  { readPool }: Store,
  query: SiteQuery,
  matches: SQL | undefined,
): Promise<SiteRow[]> {
  const { limit, offset } = windowOf(query);
  const page = readPool.select().from(sites).where(matches);
  return page
    .orderBy(...orderOf(query))
    .limit(limit + 1)
    .offset(offset);
}

/** Reads one more than a page. Continues after a site in two reads: the others with the same value, and those with lower ones. */
async function readAfter(
  { readPool }: Store,
  query: SiteQuery,
  matches: SQL | undefined,
  { value, site }: SiteCursor,
): Promise<SiteRow[]> {
  const limit = query.per_page + 1;
  const read = (isLater: SQL | undefined) =>
    readPool
      .select()
      .from(sites)
      .where(and(matches, isLater))
      .orderBy(...orderOf(query))
      .limit(limit);
  const isNext = gt(sites.site, site);
  if (query.sort === "site") return read(isNext);
  const column = columnOf(query);
  const [equal, lower] = await Promise.all([
    read(and(eq(column, value), isNext)),
    read(lt(column, value)),
  ]);
  return [...equal, ...lower].slice(0, limit);
}

/** Adds what is not in the rows of sites. */
async function describe(
  store: Store,
  accountNo: number,
  rows: SiteRow[],
  today: number,
): Promise<Site[]> {
  if (rows.length === 0) return [];
  const names = rows.map(({ site }) => site);
  const withOnlyUnknown = rows.filter(({ dead, unknown }) => dead === 0 && unknown > 0);
  const [hosts, dead, unknown, days, links, muted] = await Promise.all([
    readHosts(store, accountNo, names),
    topReasons(store, { accountNo, status: "dead" }, namesOf(rows.filter(({ dead }) => dead > 0))),
    topReasons(store, { accountNo, status: "unknown" }, namesOf(withOnlyUnknown)),
    readDays(store, accountNo, names, today),
    readLinks(store, accountNo, names),
    findMutes(store, { accountNo }, "site", names),
  ]);
  return rows.map((row): Site => {
    const { site, dead: deadLinks } = row;
    const top = dead.get(site) ?? unknown.get(site);
    const [host, its] = [hosts.get(site), links.get(site)];
    return {
      site,
      hosts: host?.hosts ?? 0,
      links: row.links,
      active: row.active,
      dead: deadLinks,
      unknown: row.unknown,
      open: deadLinks,
      top_reason: top ? { ...toReason(top), links: top.links } : null,
      days: toDays(days.get(site) ?? [], {
        now: deadLinks,
        today,
        first: Math.floor((its?.createdAt ?? 0) / DAY_MS),
      }),
      response_ms: its?.responseMs ?? null,
      expires_at: host?.expiresAt == null ? null : toIso(host.expiresAt),
      ...showMute(muted.get(site) ?? null),
    };
  });
}

const namesOf = (rows: SiteRow[]) => rows.map(({ site }) => site);

const among = (store: Store, names: string[]) =>
  sql`(select name from ${rowsOf(
    store,
    { name: "text" },
    names.map((name) => [name]),
  )} as named)`;

async function readHosts(store: Store, accountNo: number, names: string[]) {
  const { site, tlsExpiresAt } = siteHosts;
  const rows = await store.readPool
    .select({ site, hosts: count(), expiresAt: min(tlsExpiresAt) })
    .from(siteHosts)
    .where(and(eq(siteHosts.accountNo, accountNo), inArray(site, among(store, names))))
    .groupBy(site);
  return new Map(rows.map((row) => [row.site, row]));
}

/** The mean response time of the newest links, and when the oldest was created. */
async function readLinks({ readPool }: Store, accountNo: number, names: string[]) {
  const each = unionOf(names, (name) => {
    const isOfSite = sql`account_no = ${accountNo} and site = ${name}`;
    return sql`
      select cast(${name} as text) as site,
        (select avg(last_response_time_ms) from (
          select last_response_time_ms from watched_links as links where ${isOfSite} order by no desc limit ${TIMED_LINKS}
        ) as newest) as response_ms,
        (select created_at from watched_links as links where ${isOfSite} order by no limit 1) as created_at`;
  });
  const rows = await readPool
    .select({
      site: sql`site`.mapWith(String),
      responseMs: sql<number | null>`response_ms`.mapWith((value) => Math.round(Number(value))),
      createdAt: sql`created_at`.mapWith(Number),
    })
    .from(sql`(${each}) as each_site`);
  return new Map(rows.map((row) => [row.site, row]));
}

type DayRow = { day: number; dead: number | null; died: number; cameBack: number };

/** Reads the days of the sites that have changes, the earliest first. */
async function readDays(store: Store, accountNo: number, names: string[], today: number) {
  const { site, day, dead, died, cameBack, groupNo } = statusDays;
  const rows = await store.readPool
    .select({ site, day, dead, died, cameBack })
    .from(statusDays)
    .where(
      and(
        eq(statusDays.accountNo, accountNo),
        eq(groupNo, 0),
        inArray(site, among(store, names)),
        between(day, today - DAYS, today),
      ),
    )
    .orderBy(asc(site), asc(day));
  return Map.groupBy(rows, (row) => row.site);
}

/**
 * Returns the numbers of dead links at the end of the last days, today last; null for the time before the site had
 * links. Between changes the number stays the same.
 */
export function toDays(
  rows: DayRow[],
  { now, today, first }: { now: number; today: number; first: number },
): (number | null)[] {
  const [earliest] = rows;
  let dead = earliest ? Math.max((earliest.dead ?? 0) - earliest.died + earliest.cameBack, 0) : now;
  const byDay = new Map(rows.map((row) => [row.day, row.dead]));
  return Array.from({ length: DAYS + 1 }, (_, i) => {
    const day = today - DAYS + i;
    dead = byDay.get(day) ?? dead;
    if (day === today) return now;
    return day < first ? null : dead;
  }).slice(1);
}
