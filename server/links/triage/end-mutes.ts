import { and, asc, inArray, lte, sql } from "drizzle-orm";
import { lockAccounts, lockLinks } from "../../ground/db/queries.ts";
import { numbersOf } from "../../ground/db/store.ts";
import { linkDetails, links, mutes } from "../../ground/db/tables.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { accountIdsOf } from "../../work/topics.ts";
import { inheritMutes } from "./inherit.ts";
import { openLinks, publishLateDeaths } from "./open.ts";
import { recordActions } from "./timeline.ts";

const ENDED_AT_ONCE = 250;

/** Ends mutes whose time is over, once on all nodes. Run every minute. */
export async function endMutes(deps: Deps): Promise<void> {
  if (deps.troubles.stoppingWrites()) return;
  while ((await endSome(deps)) === ENDED_AT_ONCE) await yieldToEventLoop();
}

async function endSome({ store, clock, loops, topics }: Deps): Promise<number> {
  const now = clock.now();
  const isOver = and(lte(linkDetails.mutedUntil, now));
  const due = await store
    .select({ no: linkDetails.linkNo, accountNo: linkDetails.accountNo })
    .from(linkDetails)
    .where(isOver)
    .orderBy(asc(linkDetails.mutedUntil))
    .limit(ENDED_AT_ONCE);
  if (due.length === 0) {
    await store.delete(mutes).where(lte(mutes.until, now));
    return 0;
  }
  const accountIds = await store.transaction(async (tx) => {
    await lockAccounts(
      tx,
      due.map(({ accountNo }) => accountNo),
    );
    await lockLinks(
      tx,
      due.map(({ no }) => no),
    );
    // Another node may have ended some of them, or a person.
    const nos = due.map(({ no }) => no);
    const ended = await tx
      .select({ no: linkDetails.linkNo })
      .from(linkDetails)
      .where(and(isOver, inArray(linkDetails.linkNo, sql`${numbersOf(tx, nos)}`)));
    const inherited = await inheritMutes(
      tx,
      ended.map(({ no }) => no),
      now,
    );
    const stillMuted = ended.map(({ no }) => no).filter((no) => !inherited.has(no));
    await publishLateDeaths(tx, stillMuted, now);
    await openLinks(tx, stillMuted);
    await recordActions(
      tx,
      stillMuted.map((no) => ({ no, at: now, kind: "mute_ended", actor: null })),
    );
    const rows = await tx
      .select({ accountId: links.accountId })
      .from(links)
      .where(inArray(links.no, sql`${numbersOf(tx, stillMuted)}`));
    return accountIdsOf(rows);
  });
  topics.counted(accountIds);
  loops.wake();
  return due.length;
}
