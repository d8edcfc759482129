import { desc, eq, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { totalLinks } from "../../ground/db/queries.ts";
import type { Store } from "../../ground/db/store.ts";
import { changes } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { type Page, windowOf } from "../../ground/lib/paging.ts";
import { unionOf } from "../../history/roll-ups.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import type { AttentionQuery, Cause } from "./model.ts";
import { topReasons, toReason } from "./reasons.ts";

/** Links that each cause shows. */
const SHOWN_LINKS = 3;
/** Links whose hosts are compared: those of a larger cause are taken to be on several. */
const COMPARED_LINKS = 20;

/** Dead links that are neither acknowledged nor muted, in groups, the largest first. */
export async function findAttention(
  deps: Deps,
  { accountNo }: Pick<Caller, "accountNo">,
  query: AttentionQuery,
): Promise<Page<Cause>> {
  // The pages on which links are found are not recorded yet.
  if (query.by === "page") return { items: [], total: 0 };
  const { by, page, per_page: perPage } = query;
  const state = await readState(deps.store, accountNo);
  const key = `attention ${accountNo} ${by} ${page} ${perPage} ${state}`;
  return cached(deps, key, () => readAttention(deps.store, accountNo, query));
}

/** Returns a text that differs after any link has died, come back, or been deleted or handled. */
async function readState(store: Store, accountNo: number): Promise<string> {
  const { changedAt, linkNo } = changes;
  const [counts, latest] = await Promise.all([
    totalLinks({ store }, accountNo),
    store.readPool
      .select({ changedAt, linkNo })
      .from(changes)
      .where(eq(changes.accountNo, accountNo))
      .orderBy(desc(changedAt), desc(linkNo))
      .limit(1),
  ]);
  return JSON.stringify([counts, latest]);
}

async function readAttention(
  store: Store,
  accountNo: number,
  query: AttentionQuery,
): Promise<Page<Cause>> {
  const isBySite = query.by === "site";
  const groups = await readGroups(store, accountNo, query);
  const sites = groups.map(({ site }) => site);
  const [samples, tops] = await Promise.all([
    readSamples(store, accountNo, groups),
    isBySite ? topReasons(store, { accountNo, status: "dead" }, sites) : new Map(),
  ]);
  const items = groups.map((group, i): Cause => {
    const links = samples.filter(({ place }) => place === i);
    const reason = tops.get(group.site) ?? { ...links[0]!, reason: group.reason! };
    return {
      site: group.site,
      host: onlyHost(links, group.count),
      ...toReason(reason),
      reasons: tops.get(group.site)?.reasons ?? 1,
      count: group.count,
      since: toIso(group.since),
      latest: toIso(group.latest),
      links: links.slice(0, SHOWN_LINKS).map(({ id, url }) => ({ id, url })),
    };
  });
  return { items, total: groups[0]?.total ?? (await countGroups(store, accountNo, isBySite)) };
}

type Group = {
  site: string;
  /** Null for all links of the site. */
  reason: string | null;
  count: number;
  since: number;
  latest: number;
  total: number;
};

/** An index has all of it. SQLite uses it only for queries that repeat its condition. */
const isOpen = (accountNo: number) => sql`
  account_no = ${accountNo} and status = 'dead' and handling = 'open'`;

const groupedBy = (isBySite: boolean) => sql.raw(isBySite ? "site" : "site, reason");

async function readGroups(
  { readPool }: Store,
  accountNo: number,
  query: AttentionQuery,
): Promise<Group[]> {
  const { limit, offset } = windowOf(query);
  const isBySite = query.by === "site";
  const reason = sql.raw(isBySite ? "null" : "reason");
  return readPool
    .select({
      site: sql`site`.mapWith(String),
      reason: sql<string | null>`reason`,
      count: sql`many`.mapWith(Number),
      since: sql`since`.mapWith(Number),
      latest: sql`latest`.mapWith(Number),
      total: sql`total`.mapWith(Number),
    })
    .from(sql`(
      select site, ${reason} as reason, count(*) as many, min(status_changed_at) as since,
        max(status_changed_at) as latest, count(*) over () as total
      from watched_links as links where ${isOpen(accountNo)} group by ${groupedBy(isBySite)}
      order by many desc, latest desc, site, reason limit ${limit} offset ${offset}
    ) as groups_of_links`)
    .orderBy(sql`many desc, latest desc, site, reason`);
}

/** For a page beyond the last one, which has no group that knows it. */
async function countGroups(
  { readPool }: Store,
  accountNo: number,
  isBySite: boolean,
): Promise<number> {
  const [row] = await readPool.select({ count: sql`count(*)`.mapWith(Number) }).from(sql`(
      select 1 from watched_links as links where ${isOpen(accountNo)} group by ${groupedBy(isBySite)}
    ) as groups_of_links`);
  return row!.count;
}

type Sample = {
  /** The index of the group. */
  place: number;
  id: string;
  url: string;
  lastReason: string | null;
  cause: string | null;
  code: number | null;
};

/** Reads the newest links of each group. */
async function readSamples(
  { readPool }: Store,
  accountNo: number,
  groups: Group[],
): Promise<Sample[]> {
  if (groups.length === 0) return [];
  const samples = unionOf(
    [...groups.entries()],
    ([place, { site, reason }]) => sql`
      select * from (
        select ${sql.raw(String(place))} as place, no, id, url, last_reason, last_cause, last_status_code from watched_links as links
        where ${isOpen(accountNo)} and site = ${site} ${reason === null ? sql`` : sql`and reason = ${reason}`}
        order by no desc limit ${COMPARED_LINKS}
      ) as newest`,
  );
  return readPool
    .select({
      place: sql`place`.mapWith(Number),
      id: sql`id`.mapWith(String),
      url: sql`url`.mapWith(String),
      lastReason: sql<string | null>`last_reason`,
      cause: sql<string | null>`last_cause`,
      code: sql<number | null>`last_status_code`,
    })
    .from(sql`(${samples}) as samples`)
    .orderBy(sql`place, no desc`);
}

/** Returns the host of the links if all of them are on one. */
function onlyHost(links: { url: string }[], count: number): string | null {
  if (count > links.length) return null;
  const hosts = new Set(links.map(({ url }) => new URL(url).host));
  return hosts.size === 1 ? [...hosts][0]! : null;
}
