import { and, gte, inArray, type SQL, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { chunksOf } from "../lib/chunks.ts";
import { newId } from "../lib/ids.ts";
import type { Statement, Store } from "../store/store.ts";
import { type LinkRow, links } from "../store/tables.ts";
import { LEASE_MS } from "./lease.ts";

/** Links named by one statement; both databases take far more. */
const ROWS = 500;

/** A link that this process holds until its lease runs out. */
export type ClaimedLink = LinkRow & { lease: string };

/**
 * The update is the lock. `next_check_at` moves past the lease, so no other process takes the same
 * link, and a link whose checker died becomes due again by itself.
 */
export const claimDueLinks = (deps: Deps, most: number): Promise<ClaimedLink[]> =>
  claim(deps, most, isDueAt(deps.clock.now()));

/** The same, but only what somebody asked for by hand. */
export const claimAskedLinks = (deps: Deps, most: number): Promise<ClaimedLink[]> =>
  claim(deps, most, sql`${isDueAt(deps.clock.now())} and ${IS_ASKED}`);

/** How many links are due. */
export async function countDueLinks({ store, clock }: Deps): Promise<number> {
  const count = sql`count(*)`.mapWith(Number);
  const [row] = await store.select({ count }).from(links).where(isDueAt(clock.now()));
  return row!.count;
}

const isDueAt = (now: number) => sql`${links.nextCheckAt} <= ${now}`;

/** Written out, since a database cannot match a parameter with the condition of an index. */
const IS_ASKED = sql`${links.nextTrigger} = 'manual'`;

async function claim({ store, clock }: Deps, most: number, isWanted: SQL): Promise<ClaimedLink[]> {
  const now = clock.now();
  const lease = newId();
  // Materialized, since PostgreSQL may run a plain subquery once per row and so take more than asked.
  const due = sql`(with due as materialized (select ${links.id} from ${links} where ${isWanted}
    order by ${links.nextCheckAt} limit ${most} ${sql.raw(store.engine.skipLocked)}) select id from due)`;
  const claimed = await store
    .update(links)
    .set({ nextCheckAt: now + LEASE_MS, checkingUntil: now + LEASE_MS, lease })
    .where(and(isWanted, sql`${links.id} in ${due}`))
    .returning();
  return claimed.map((link) => ({ ...link, lease }));
}

/** Holds on to links whose checks are still under way, such as those that wait for a busy site. */
export async function renewLeases({ store, clock }: Deps, held: ClaimedLink[]): Promise<void> {
  const now = clock.now();
  await store.write(
    chunksOf(ROWS, held).map((some) =>
      store
        .update(links)
        .set({ nextCheckAt: now + LEASE_MS, checkingUntil: now + LEASE_MS })
        .where(and(isHeld(some), gte(links.nextCheckAt, now))),
    ),
  );
}

/** A link that goes back unchecked, and when it is due again. `isAnswered`: whoever asked for it was told. */
type GivenBack = { link: ClaimedLink; dueAt: number; isAnswered?: boolean };

/** Gives links back unchecked: in one statement, since a busy site may send back hundreds at a time. */
export function giveBack(store: Store, given: GivenBack[]): Statement[] {
  return chunksOf(ROWS, given).map((some) => {
    const rows = some.map(
      ({ link, dueAt, isAnswered = false }) =>
        sql`(cast(${link.id} as text), cast(${link.lease} as text), cast(${dueAt} as bigint), ${sql.raw(isAnswered ? "1" : "0")})`,
    );
    return store.run(sql`
      update links set next_check_at = column3, checking_until = null, lease = null,
        next_trigger = case when column4 = 1 then 'scheduled' else next_trigger end
      from (values ${sql.join(rows, sql`, `)}) as given where id = column1 and lease = column2
    `);
  });
}

export const releaseLinks = ({ store }: Deps, given: GivenBack[]): Promise<void> =>
  store.write(giveBack(store, given));

const isHeld = (held: ClaimedLink[]) =>
  and(
    inArray(
      links.id,
      held.map(({ id }) => id),
    ),
    inArray(links.lease, [...new Set(held.map(({ lease }) => lease))]),
  );
