import { and, asc, count, eq, gt, isNotNull, isNull, lte, min, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { sumOf } from "../../ground/db/queries.ts";
import { siteHosts, sources } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { DAY_MS } from "../../history/roll-ups.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { LISTED_ITEMS } from "./links.ts";
import type { FailingSource, FirstOf, Upcoming, UpcomingItem } from "./model.ts";

/**
 * Lists the certificates that expire within so many days, soonest first. The hosts of a site whose certificates expire
 * at the same time most likely share one. Also lists the sources that cannot be read, the longest failing first.
 */
export async function findUpcoming(
  deps: Deps,
  { accountNo }: Caller,
  days: number,
): Promise<Upcoming> {
  const [expiring, failing_sources] = await Promise.all([
    cached(deps, `upcoming ${accountNo} ${days}`, () => readExpiring(deps, accountNo, days)),
    readFailing(deps, accountNo),
  ]);
  return { ...expiring, failing_sources };
}

async function readFailing({ store }: Deps, accountNo: number): Promise<FirstOf<FailingSource>> {
  const { id, name, failingSince } = sources;
  const rows = await store
    .select({ id, name, failingSince })
    .from(sources)
    .where(
      and(
        eq(sources.accountNo, accountNo),
        isNotNull(failingSince),
        eq(sources.isPaused, false),
        isNull(sources.deletedAt),
      ),
    )
    .orderBy(failingSince, id);
  const items = rows
    .slice(0, LISTED_ITEMS)
    .map(({ failingSince: since, ...source }) => ({ ...source, since: toIso(since!) }));
  return { total: rows.length, items };
}

/** The index has the certificates in this order, so that only those that are listed are read. */
async function readExpiring(
  { store: { readPool }, clock }: Deps,
  accountNo: number,
  days: number,
): Promise<FirstOf<UpcomingItem>> {
  const { site, host, links, tlsExpiresAt } = siteHosts;
  const now = clock.now();
  const isSoon = and(
    eq(siteHosts.accountNo, accountNo),
    gt(tlsExpiresAt, now),
    lte(tlsExpiresAt, now + days * DAY_MS),
  );
  const certificates = readPool
    .select({ site, tlsExpiresAt })
    .from(siteHosts)
    .where(isSoon)
    .groupBy(tlsExpiresAt, site)
    .as("certificates");
  const [rows, [counted]] = await Promise.all([
    readPool
      .select({
        site,
        host: sql<string>`${min(host)}`,
        hosts: count(),
        links: sumOf(links),
        expiresAt: sql`${tlsExpiresAt}`.mapWith(Number),
      })
      .from(siteHosts)
      .where(isSoon)
      .groupBy(tlsExpiresAt, site)
      .orderBy(asc(tlsExpiresAt), asc(site))
      .limit(LISTED_ITEMS),
    readPool.select({ total: count() }).from(certificates),
  ]);
  const items = rows.map((row) => ({
    kind: "certificate" as const,
    ...row,
    expiresAt: toIso(row.expiresAt),
  }));
  return { total: counted!.total, items };
}
