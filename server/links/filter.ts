import { and, eq, gt, isNull, lte, or, type SQL } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { contains } from "../db/store.ts";
import { links } from "../db/tables.ts";
import type { LinkQuery } from "./model.ts";

/** The filters of a list of links. */
export type LinkFilter = Omit<LinkQuery, "sort" | "page" | "per_page">;

/** The `group_id` of a filter for links in no group. */
export const NO_GROUP = "none";

/** Whether stored counts give the number of matching links. */
export const isCounted = (filter: LinkFilter): boolean =>
  !filter.service && !filter.search && !filter.check_frequency && filter.group_id !== NO_GROUP;

/** A moment at which no check is running, so that each link has its settled status. */
export const SETTLED = Number.MAX_SAFE_INTEGER;

/** The account's links that match. @param now decides which of them are being checked */
export const matching = ({ accountNo }: Caller, filter: LinkFilter, now: number): SQL | undefined =>
  and(eq(links.accountNo, accountNo), matchingLinks(filter, now));

/** The links of all accounts that match. */
export const matchingLinks = (filter: LinkFilter, now: number): SQL | undefined =>
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
