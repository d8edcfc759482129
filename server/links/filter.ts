import { and, eq, gt, isNull, lte, or, type SQL } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { contains } from "../db/store.ts";
import { links } from "../db/tables.ts";
import type { LinkQuery } from "./model.ts";

/** What narrows a list of links. */
export type LinkFilter = Omit<LinkQuery, "sort" | "page" | "per_page">;

/** What stands for a group where links in none are meant. */
export const NO_GROUP = "none";

/** Whether kept counts tell how many there are. */
export const isCounted = (filter: LinkFilter): boolean =>
  !filter.service && !filter.search && !filter.check_frequency && filter.group_id !== NO_GROUP;

/** A moment at which nothing is being checked any more, so that each link has its settled status. */
export const SETTLED = Number.MAX_SAFE_INTEGER;

/** The account's links that fit; `now` decides which of them are being checked. */
export const matching = ({ accountNo }: Caller, filter: LinkFilter, now: number): SQL | undefined =>
  and(eq(links.accountNo, accountNo), fitting(filter, now));

/** The links that fit, of whatever account. */
export const fitting = (filter: LinkFilter, now: number): SQL | undefined =>
  and(
    withStatus(filter.status, now),
    filter.service ? eq(links.service, filter.service) : undefined,
    inGroup(filter.group_id),
    filter.check_frequency ? eq(links.checkFrequency, filter.check_frequency) : undefined,
    filter.search ? contains(links.url, filter.search) : undefined,
  );

function inGroup(groupId: LinkFilter["group_id"]): SQL | undefined {
  if (!groupId) return undefined;
  return groupId === NO_GROUP ? isNull(links.groupId) : eq(links.groupId, groupId);
}

export function withStatus(status: LinkFilter["status"], now: number): SQL | undefined {
  if (!status) return undefined;
  if (status === "checking") return gt(links.checkingUntil, now);
  return and(eq(links.status, status), notChecking(now));
}

export const notChecking = (now: number) =>
  or(isNull(links.checkingUntil), lte(links.checkingUntil, now));
