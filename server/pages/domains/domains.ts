import { and, between, count, countDistinct, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { contains, type Store } from "../../ground/db/store.ts";
import { domainSites, domains } from "../../ground/db/tables.ts";
import { type Page, windowOf } from "../../ground/lib/paging.ts";
import { DAY_MS } from "../../history/roll-ups.ts";
import type { Caller } from "../../http/caller.ts";
import { toFacts } from "../../links/domains/facts.ts";
import type { Deps } from "../../work/deps.ts";
import type { DomainOfAccount, DomainQuery } from "./model.ts";

/** Lists the domains of an account that are asked about, those that expire first first. */
export function listDomains(
  deps: Deps,
  { accountNo }: Pick<Caller, "accountNo">,
  query: DomainQuery,
): Promise<Page<DomainOfAccount>> {
  const key = `domains ${accountNo} ${JSON.stringify(query)}`;
  return cached(deps, key, () => readDomains(deps.store, accountNo, deps.clock.now(), query));
}

/** As the index has it. */
const EXPIRY = sql.raw("coalesce(expires_at, 9007199254740991)");

/** Goes through the domains of all accounts by their expiry, which most often are those of one. */
async function readDomains(
  { readPool }: Store,
  accountNo: number,
  now: number,
  query: DomainQuery,
): Promise<Page<DomainOfAccount>> {
  const { limit, offset } = windowOf(query);
  // The order of a cross join is kept, and the other way would read all sites of the account for each domain.
  const ofAccount = sql`from domain_sites cross join sites where domain_sites.domain = domains.domain
    and sites.site = domain_sites.site and sites.account_no = ${accountNo}`;
  const matches = and(
    sql`exists (select 1 ${ofAccount})`,
    query.expiring ? between(EXPIRY, now, now + query.expiring * DAY_MS) : undefined,
    query.search ? contains(domains.domain, query.search) : undefined,
  );
  const [rows, [counted]] = await Promise.all([
    readPool
      .select({ row: domains, links: sql`(select sum(sites.links) ${ofAccount})`.mapWith(Number) })
      .from(domains)
      .where(matches)
      .orderBy(EXPIRY, domains.domain)
      .limit(limit)
      .offset(offset),
    query.expiring || query.search
      ? readPool.select({ total: count() }).from(domains).where(matches)
      : countAll(readPool, accountNo),
  ]);
  const items = rows.map(({ row, links }) => ({ name: row.domain, ...toFacts(row), links }));
  return { items, total: counted!.total };
}

/** Twice as fast as to look for the account's sites of each domain. */
const countAll = (readPool: Store["readPool"], accountNo: number) =>
  readPool
    .select({ total: countDistinct(domainSites.domain) })
    .from(domainSites)
    .where(
      sql`exists (select 1 from sites where account_no = ${accountNo} and sites.site = ${domainSites.site})`,
    );
