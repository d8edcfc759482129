import { and, between, countDistinct, eq, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { sumOf } from "../../ground/db/queries.ts";
import { contains, type Store } from "../../ground/db/store.ts";
import { domainSites, domains, sites } from "../../ground/db/tables.ts";
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

async function readDomains(
  { readPool }: Store,
  accountNo: number,
  now: number,
  query: DomainQuery,
): Promise<Page<DomainOfAccount>> {
  const { limit, offset } = windowOf(query);
  const { domain, expiresAt } = domains;
  const matches = and(
    eq(sites.accountNo, accountNo),
    query.expiring ? between(expiresAt, now, now + query.expiring * DAY_MS) : undefined,
    query.search ? contains(domain, query.search) : undefined,
  );
  const [rows, [counted]] = await Promise.all([
    readPool
      .select({ row: domains, links: sumOf(sites.links) })
      .from(sites)
      .innerJoin(domainSites, eq(domainSites.site, sites.site))
      .innerJoin(domains, eq(domain, domainSites.domain))
      .where(matches)
      .groupBy(domain)
      .orderBy(sql`${expiresAt} is null`, sql`coalesce(${expiresAt}, 0)`, domain)
      .limit(limit)
      .offset(offset),
    readPool
      .select({ total: countDistinct(domain) })
      .from(sites)
      .innerJoin(domainSites, eq(domainSites.site, sites.site))
      .innerJoin(domains, eq(domain, domainSites.domain))
      .where(matches),
  ]);
  const items = rows.map(({ row, links }) => ({ name: row.domain, ...toFacts(row), links }));
  return { items, total: counted!.total };
}
