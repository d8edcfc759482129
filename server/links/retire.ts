import { sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { lockAccounts } from "../db/queries.ts";
import { onRows, type Store } from "../db/store.ts";
import { links, retiredLinks } from "../db/tables.ts";
import { noteSites } from "../history/status-days.ts";
import { publishEvents } from "../webhooks/events.ts";
import type { Deps } from "../work/deps.ts";
import { deletedEvent } from "./delete.ts";
import { countSkipped } from "./fill-batches.ts";
import { hasNumber, lockSome } from "./selection.ts";

/**
 * Retires links of one account: only their rows move, and history and notes stay. Call it in a transaction.
 * @returns how many
 */
export async function retireLinks(
  deps: Deps,
  owner: Pick<Caller, "accountNo">,
  some: { no: number }[],
): Promise<number> {
  const { store: tx, clock } = deps;
  await lockAccounts(tx, [owner.accountNo]);
  const nos = await lockSome(tx, some);
  const isChosen = hasNumber(tx, nos);
  const rows = await tx.select().from(links).where(isChosen);
  if (rows.length === 0) return 0;
  const now = clock.now();
  await countSkipped(tx, nos);
  await publishEvents(
    tx,
    rows.map((row) => {
      const event = deletedEvent(row, now);
      return { ...event, data: { ...event.data, retired: true as const } };
    }),
  );
  const externalIds = await takeExternalIds(tx, nos);
  await tx.insert(retiredLinks).values(
    rows.map((row) => ({
      ...{ no: row.no, id: row.id, accountId: row.accountId, accountNo: row.accountNo },
      ...{ url: row.url, urlKey: row.urlKey, retiredAt: now },
      link: JSON.stringify({ ...row, externalId: externalIds.get(row.no) ?? null }),
    })),
  );
  await tx.delete(links).where(isChosen);
  await noteSites(
    tx,
    { accountNo: owner.accountNo, at: now },
    rows.map(({ site }) => site),
  );
  return rows.length;
}

/** Other links may have the ids of retired ones. */
async function takeExternalIds(tx: Store, nos: number[]): Promise<Map<number, string>> {
  const rows = await selectExternalIds(
    tx,
    nos.map((no) => [no]),
  );
  await clearExternalIds(
    tx,
    rows.map(([no]) => [no as number]),
  );
  return new Map(rows as [number, string][]);
}

const selectExternalIds = onRows(
  { link: "bigint" },
  (rows) => sql`
    select link_no, external_id from link_details
    where link_no in (select link from ${rows} as chosen) and external_id is not null
  `,
);

const clearExternalIds = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_details set external_id = null where link_no in (select link from ${rows} as chosen)
  `,
);
