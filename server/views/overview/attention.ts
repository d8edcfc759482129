import { and, count, desc, eq, gt } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { links, recoveries } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { kept } from "./kept.ts";
import type { DeadLink, DeadLinks, FirstOf, RecoveredLink } from "./model.ts";

const DAY_MS = 86_400_000;
/** Recoveries that are listed. */
const RECENT_MS = 7 * DAY_MS;
export const MOST_SHOWN = 10;

const SHOWN = { id: links.id, url: links.url, service: links.service, groupId: links.groupId };

/** @param total how many there are, which the kept counts know */
export async function findDead(deps: Deps, caller: Caller, total: number): Promise<DeadLinks> {
  const [items, newInDay] = await Promise.all([
    listDead(deps, caller),
    kept(deps, `newly dead ${caller.accountNo}`, () => countNewlyDead(deps, caller)),
  ]);
  return { total, items, newInDay };
}

const isDead = ({ accountNo }: Caller) =>
  and(eq(links.accountNo, accountNo), eq(links.status, "dead"));

const listDead = ({ store }: Deps, caller: Caller): Promise<DeadLink[]> =>
  store
    .select({
      ...SHOWN,
      reason: links.reason,
      statusChangedAt: links.statusChangedAt,
      lastReason: links.lastReason,
      lastStatusCode: links.lastStatusCode,
      lastCause: links.lastCause,
    })
    .from(links)
    .where(isDead(caller))
    .orderBy(desc(links.statusChangedAt), desc(links.no))
    .limit(MOST_SHOWN);

/** From the index alone; still they may be very many, when a large site has gone. */
async function countNewlyDead({ store, clock }: Deps, caller: Caller): Promise<number> {
  const [found] = await store.readPool
    .select({ count: count() })
    .from(links)
    .where(and(isDead(caller), gt(links.statusChangedAt, clock.now() - DAY_MS)));
  return found!.count;
}

/** Links that came back from being dead within the last week, and are still there: many after an outage. */
export const findRecovered = (deps: Deps, caller: Caller): Promise<FirstOf<RecoveredLink>> =>
  kept(deps, `recovered ${caller.accountNo}`, () => readRecovered(deps, caller));

async function readRecovered(deps: Deps, caller: Caller): Promise<FirstOf<RecoveredLink>> {
  const [items, [counted]] = await Promise.all([
    listRecovered(deps, caller),
    deps.store.readPool
      .select({ count: count() })
      .from(recoveries)
      .innerJoin(links, eq(links.no, recoveries.linkNo))
      .where(isRecovered(deps, caller)),
  ]);
  return { total: counted!.count, items };
}

const isRecovered = ({ clock }: Deps, { accountNo }: Caller) =>
  and(
    eq(recoveries.accountNo, accountNo),
    gt(recoveries.recoveredAt, clock.now() - RECENT_MS),
    eq(links.status, "active"),
  );

const listRecovered = (deps: Deps, caller: Caller): Promise<RecoveredLink[]> =>
  deps.store.readPool
    .select({ ...SHOWN, recoveredAt: recoveries.recoveredAt })
    .from(recoveries)
    .innerJoin(links, eq(links.no, recoveries.linkNo))
    .where(isRecovered(deps, caller))
    .orderBy(desc(recoveries.recoveredAt), desc(recoveries.linkNo))
    .limit(MOST_SHOWN);
