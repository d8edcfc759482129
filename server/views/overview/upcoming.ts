import { and, asc, count, eq, gt, lte, min, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { sumOf } from "../../db/queries.ts";
import { siteHosts } from "../../db/tables.ts";
import { DAY_MS } from "../../history/roll-ups.ts";
import { toIso } from "../../lib/moments.ts";
import type { Deps } from "../../work/deps.ts";
import { cached, LISTED_ITEMS } from "./links.ts";
import type { FirstOf, UpcomingItem } from "./model.ts";

/**
 * Lists the certificates that expire within so many days, soonest first. The hosts of a site whose certificates expire
 * at the same time most likely share one.
 */
export const findUpcoming = (
  deps: Deps,
  { accountNo }: Caller,
  days: number,
): Promise<FirstOf<UpcomingItem>> =>
  cached(deps, `upcoming ${accountNo} ${days}`, () => readUpcoming(deps, accountNo, days));

/** The index has the certificates in this order, so that only those that are listed are read. */
async function readUpcoming(
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
    ...{ kind: "certificate" as const, ...row },
    expiresAt: toIso(row.expiresAt),
  }));
  return { total: counted!.total, items };
}
