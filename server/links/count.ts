import { and, count, eq, gt, sum } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { linkCounts, links, type Verdict } from "../store/tables.ts";
import { type LinkFilter, matching } from "./filter.ts";

/** How many links of the account, or of one of its groups, match; from kept counts where they suffice. */
export async function countLinks(
  deps: Deps,
  accountId: string,
  filter: LinkFilter,
  now: number,
): Promise<number> {
  const { status, service, search, group_id: groupId } = filter;
  if (service || search || status === "checking") return countRows(deps, accountId, filter, now);
  const [row] = await deps.store
    .select({ total: sum(linkCounts.count).mapWith(Number) })
    .from(linkCounts)
    .where(
      and(
        eq(linkCounts.accountId, accountId),
        groupId ? eq(linkCounts.groupId, groupId) : undefined,
        status ? eq(linkCounts.status, status) : undefined,
      ),
    );
  const settled = row?.total ?? 0;
  return status
    ? settled - (await countBeingChecked(deps, accountId, groupId, status, now))
    : settled;
}

async function countRows(
  deps: Deps,
  accountId: string,
  filter: LinkFilter,
  now: number,
): Promise<number> {
  const [row] = await deps.store
    .select({ total: count() })
    .from(links)
    .where(matching(accountId, filter, now));
  return row!.total;
}

/** Those that show as `checking` now, and so are missing from their settled status. */
function countBeingChecked(
  deps: Deps,
  accountId: string,
  groupId: string | undefined,
  status: Verdict,
  now: number,
): Promise<number> {
  return deps.store
    .select({ total: count() })
    .from(links)
    .where(
      and(
        eq(links.accountId, accountId),
        gt(links.checkingUntil, now),
        eq(links.status, status),
        groupId ? eq(links.groupId, groupId) : undefined,
      ),
    )
    .then(([row]) => row!.total);
}
