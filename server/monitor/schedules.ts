import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { CheckSchedule } from "../work/schedule.ts";

/** Returns the schedules of links by their numbers: each link's own, or else its group's. Few links have one. */
export async function readSchedules(
  store: Store,
  nos: number[],
): Promise<ReadonlyMap<number, CheckSchedule>> {
  const rows = await selectSchedules(
    store,
    nos.map((no) => [no]),
  );
  return new Map(
    rows.map(([no, cron, timeZone]) => [
      no as number,
      { cron: cron as string, timeZone: timeZone as string },
    ]),
  );
}

const selectSchedules = onRows(
  { no: "bigint" },
  (rows) => sql`
    select links.no, coalesce(details.cron, groups.cron),
      case when details.cron is null then groups.time_zone else details.time_zone end
    from ${rows} as given join watched_links as links on links.no = given.no
    left join link_details details on details.link_no = links.no
    left join groups on groups.id = links.group_id
    where details.cron is not null or groups.cron is not null
  `,
);
