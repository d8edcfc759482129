import { and, eq, gt, isNull, lte, or, type SQL } from "drizzle-orm";
import { contains } from "../store/store.ts";
import { links } from "../store/tables.ts";
import type { LinkQuery } from "./model.ts";

/** What narrows a list of links. */
export type LinkFilter = Pick<LinkQuery, "status" | "service" | "search" | "group_id">;

/** The account's links that fit; `now` decides which of them are being checked. */
export function matching(accountNo: number, filter: LinkFilter, now: number): SQL | undefined {
  return and(
    eq(links.accountNo, accountNo),
    withStatus(filter.status, now),
    filter.service ? eq(links.service, filter.service) : undefined,
    filter.group_id ? eq(links.groupId, filter.group_id) : undefined,
    filter.search ? contains(links.url, filter.search) : undefined,
  );
}

export function withStatus(status: LinkFilter["status"], now: number): SQL | undefined {
  if (!status) return undefined;
  if (status === "checking") return gt(links.checkingUntil, now);
  return and(eq(links.status, status), notChecking(now));
}

export const notChecking = (now: number) =>
  or(isNull(links.checkingUntil), lte(links.checkingUntil, now));
