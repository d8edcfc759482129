import { sql } from "drizzle-orm";
import { rowsOf, type Store } from "../../ground/db/store.ts";
import { messageOf, type Reason, stageOf } from "../../judge/reasons/reasons.ts";

type Shown = {
  reason: string;
  lastReason: string | null;
  cause: string | null;
  code: number | null;
};

/** A reason in words. The details of a link's last check describe its status only if that has the same reason. */
export function toReason({ reason, lastReason, cause, code }: Shown) {
  const [of, status] = reason === lastReason ? [cause, code] : [null, null];
  return {
    reason,
    message: messageOf(reason as Reason, status, of as Reason | null),
    cause: of,
    stage: stageOf(reason as Reason, of as Reason | null),
  };
}

/** The links of a site that have the status for one reason: how many, and the newest of them. */
type CountedReason = Shown & { site: string; links: number; reasons: number };

/** Returns the most frequent reason of each site that has links with the status. */
export async function topReasons(
  store: Store,
  { accountNo, status }: { accountNo: number; status: "dead" | "unknown" },
  sites: string[],
): Promise<Map<string, CountedReason>> {
  if (sites.length === 0) return new Map();
  const names = rowsOf(
    store,
    { name: "text" },
    sites.map((site) => [site]),
  );
  const rows = await store.readPool
    .select({
      site: sql`top.site`.mapWith(String),
      reason: sql`top.reason`.mapWith(String),
      links: sql`top.many`.mapWith(Number),
      reasons: sql`top.reasons`.mapWith(Number),
      lastReason: sql<string | null>`l.last_reason`,
      cause: sql<string | null>`l.last_cause`,
      code: sql<number | null>`l.last_status_code`,
    })
    .from(sql`(
      select site, reason, many, newest, count(*) over (partition by site) as reasons,
        row_number() over (partition by site order by many desc, reason) as place
      from (
        select site, reason, count(*) as many, max(no) as newest from watched_links as links
        where account_no = ${accountNo} and status = ${status} and reason <> 'ok'
          and site in (select name from ${names} as named)
        group by site, reason
      ) as counted
    ) as top join watched_links l on l.no = top.newest`)
    .where(sql`top.place = 1`);
  return new Map(rows.map((row) => [row.site, row]));
}
