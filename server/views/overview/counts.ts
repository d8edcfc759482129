import { and, count, eq, gt, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Caller } from "../../api/caller.ts";
import { linkCounts, links } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import type { Counts } from "./model.ts";

export const sumOf = (column: AnySQLiteColumn) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

export async function countByStatus(
  { store, clock }: Deps,
  { accountNo }: Caller,
): Promise<Counts> {
  const { active, dead, unknown, subject } = linkCounts;
  const [[settled], [checking]] = await store.batch([
    store
      .select({ active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) })
      .from(linkCounts)
      .where(eq(subject, accountNo)),
    store
      .select({ count: count() })
      .from(links)
      .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, clock.now()))),
  ]);
  const by = settled!;
  return { total: by.active + by.dead + by.unknown, ...by, checking: checking!.count };
}
