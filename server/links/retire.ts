import { and, eq } from "drizzle-orm";
import { lockAccounts } from "../ground/db/queries.ts";
import { allLinks, links } from "../ground/db/tables.ts";
import { noteSites } from "../history/status-days.ts";
import type { Caller } from "../http/caller.ts";
import { publishEvents } from "../notify/events.ts";
import type { Deps } from "../work/deps.ts";
import { insertRows } from "./create.ts";
import { deletedEvent } from "./delete.ts";
import { countSkipped } from "./fill-batches.ts";
import { freeExternalIds } from "./retired.ts";
import { hasNumber, lockSome } from "./selection.ts";

/**
 * Retires links of one account: history and notes stay. Call it in a transaction.
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
  await freeExternalIds(
    tx,
    rows.map(({ no }) => [no]),
  );
  // Inserted again, so that counts, and tables that refer to links, take them for deleted.
  await tx.delete(allLinks).where(and(isChosen, eq(allLinks.retiredAt, 0)));
  await insertRows(
    tx,
    rows.map((row) => ({ ...row, retiredAt: now, checkingUntil: null, lease: null })),
  );
  await noteSites(
    tx,
    { accountNo: owner.accountNo, at: now },
    rows.map(({ site }) => site),
  );
  return rows.length;
}
