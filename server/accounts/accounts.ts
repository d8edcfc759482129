import { eq, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Caller } from "../api/caller.ts";
import { totalLinks } from "../db/numbers.ts";
import { accounts, usageDays } from "../db/tables.ts";
import { notFound } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { dayOf } from "./meter.ts";
import type { AccountState, UsageCounts } from "./model.ts";

export async function findAccount(deps: Deps, caller: Caller): Promise<AccountState> {
  const { accountId, accountNo } = caller;
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  const { total } = await totalLinks(deps, accountNo);
  return { account, limits: deps.config.tierLimits[account.tier], linksUsed: total };
}

/** Days and months are UTC's. Requests of the last seconds may not be written yet. */
export async function readUsage(deps: Deps, caller: Caller): Promise<UsageCounts> {
  const { accountId, accountNo } = caller;
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
    links: await totalLinks(deps, accountNo),
    checks: { thisMonth: checksThisMonth, lastCheckAt: lastAt },
  };
}

const totalOf = (value: SQL) => sql`coalesce(sum(${value}), 0)`.mapWith(Number);

const since = (day: string, column: AnySQLiteColumn) =>
  sql`case when ${usageDays.day} >= ${day} then ${column} else 0 end`;
