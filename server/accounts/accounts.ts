import { eq, type SQL, sql, sum } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Deps } from "../deps.ts";
import { notFound } from "../lib/errors.ts";
import { accounts, linkCounts, usageDays, type Verdict } from "../store/tables.ts";
import type { Caller } from "./caller.ts";
import { dayOf } from "./meter.ts";
import type { AccountState, UsageCounts } from "./model.ts";

export async function findAccount(deps: Deps, { accountId }: Caller): Promise<AccountState> {
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  const { total } = await countLinksByStatus(deps, accountId);
  return { account, limits: deps.config.tierLimits[account.tier], linksUsed: total };
}

/** Days and months are UTC's. Requests of the last seconds may not be written yet. */
export async function readUsage(deps: Deps, { accountId }: Caller): Promise<UsageCounts> {
  const today = dayOf(deps.clock.now());
  const month = `${today.slice(0, 7)}-01`;
  const { requests, checks, lastCheckAt } = usageDays;
  const [counted] = await deps.store
    .select({
      total: totalOf(sql`${requests}`),
      thisMonth: totalOf(since(month, requests)),
      today: totalOf(since(today, requests)),
      checksThisMonth: totalOf(since(month, checks)),
      lastCheckAt: sql<number | null>`max(${lastCheckAt})`,
    })
    .from(usageDays)
    .where(eq(usageDays.accountId, accountId));
  const { checksThisMonth, lastCheckAt: lastAt, ...requestCounts } = counted!;
  return {
    requests: requestCounts,
    links: await countLinksByStatus(deps, accountId),
    checks: { thisMonth: checksThisMonth, lastCheckAt: lastAt },
  };
}

const totalOf = (value: SQL) => sql`coalesce(sum(${value}), 0)`.mapWith(Number);

const since = (day: string, column: AnySQLiteColumn) =>
  sql`case when ${usageDays.day} >= ${day} then ${column} else 0 end`;

/** By settled status: a link that is being checked counts as what it was. */
async function countLinksByStatus({ store }: Deps, accountId: string) {
  const rows = await store
    .select({ status: linkCounts.status, count: sum(linkCounts.count).mapWith(Number) })
    .from(linkCounts)
    .where(eq(linkCounts.accountId, accountId))
    .groupBy(linkCounts.status);
  const countOf = (status: Verdict) => rows.find((row) => row.status === status)?.count ?? 0;
  const [active, dead] = [countOf("active"), countOf("dead")];
  return { total: active + dead + countOf("unknown"), active, dead };
}
