import { and, desc, eq, gt, sql } from "drizzle-orm";
import { contains, type Store } from "../../ground/db/store.ts";
import { links, linkUrls } from "../../ground/db/tables.ts";
import { siteOfUrl } from "../../ground/lib/site.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Pair } from "./learn.ts";

const MOST_PAIRS = 20_000;
const ROWS_AT_ONCE = 2000;

export type Site = { accountNo: number; site: string };

/** Returns where the links of a site moved to: as people decided, and as their redirects say. */
export async function readPairs(store: Store, site: Site): Promise<Pair[]> {
  const decided = [...(await readChanged(store, site)), ...(await readAccepted(store, site))];
  return [...decided, ...(await readMoves(store, site, MOST_PAIRS - decided.length))];
}

/** The URLs that people replaced. The links are on other sites now. */
async function readChanged(store: Store, { accountNo, site }: Site): Promise<Pair[]> {
  const rows = await store.readPool
    .select({ from: linkUrls.url, to: links.url })
    .from(linkUrls)
    .innerJoin(links, eq(links.no, linkUrls.linkNo))
    // Few URLs were replaced, so they are read rather than the account's links.
    .where(and(sql`${links.accountNo} + 0 = ${accountNo}`, contains(linkUrls.url, site)))
    .orderBy(desc(linkUrls.until), linkUrls.linkNo)
    .limit(MOST_PAIRS);
  return rows.filter(({ from }) => siteOfUrl(from) === site);
}

/** What people want in the place of URLs that documents still have. */
async function readAccepted(store: Store, site: Site): Promise<Pair[]> {
  const rows: [from: string, to: string][] = await store.readPool.all(sql`
    select links.url, details.accepted_url
    from link_details as details join watched_links as links on links.no = details.link_no
    where details.account_no = ${site.accountNo} and details.accepted_url is not null and ${onSite(site)}
    order by details.link_no limit ${MOST_PAIRS}`);
  return rows.map(([from, to]) => ({ from, to }));
}

async function readMoves(store: Store, site: Site, most: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let last: number | undefined = 0; last !== undefined && pairs.length < most; ) {
    const rows: [no: number, from: string, to: string][] = await store.readPool.all(sql`
      select links.no, links.url, memory.way
      from watched_links as links join page_memories as memory on memory.link_no = links.no
      where ${onSite(site)} and ${isAt("active")} and links.no > ${last} and memory.moved is not null and memory.way is not null
      order by links.no limit ${Math.min(ROWS_AT_ONCE, most - pairs.length)}`);
    for (const [, from, to] of rows) pairs.push({ from, to });
    last = rows.length < ROWS_AT_ONCE ? undefined : Number(rows.at(-1)![0]);
    await yieldToEventLoop();
  }
  return pairs;
}

export async function hasDead(store: Store, { accountNo, site }: Site): Promise<boolean> {
  const [dead] = await store
    .select({ no: links.no })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), eq(links.status, "dead"), eq(links.site, site)))
    .limit(1);
  return dead !== undefined;
}

/** Reads the dead links of a site, some at a time. */
export async function* deadLinks(store: Store, site: Site) {
  for (let last = 0; ; ) {
    const rows = await store.readPool
      .select({ no: links.no, url: links.url })
      .from(links)
      .where(and(onSite(site), isAt("dead"), gt(links.no, last)))
      .orderBy(links.no)
      .limit(ROWS_AT_ONCE);
    yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)!.no;
  }
}

const onSite = ({ accountNo, site }: Site) =>
  and(eq(links.accountNo, accountNo), eq(links.site, site));

/** Without the index by status, which does not have the links of a site in the order of their numbers. */
const isAt = (status: "active" | "dead") => sql`${links.status} || '' = ${status}`;
