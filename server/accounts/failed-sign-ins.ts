import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { lockUser } from "../ground/db/queries.ts";
import { failedSignIns, sessions, type UserRow, users } from "../ground/db/tables.ts";
import type { FailedSignIns } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, type Unit } from "../work/unit.ts";
import { recordPersonChange } from "./audit.ts";
import type { Tally } from "./guard.ts";

type Row = typeof failedSignIns.$inferSelect;

const DAY = 86_400_000;
/** More networks are counted together, so that strangers cannot fill the table. */
const MOST_NETWORKS = 20;
const MOST_SHOWN = 3;
const OTHERS = "";

/** The actor of failed sign-ins in the audit log. */
const STRANGER = { kind: "stranger", id: null, name: "sign-in" } as const;

/**
 * Counts a failed sign-in of the person with this e-mail, and undoes that. Both do nothing for an unknown e-mail and
 * run in the transactions that count guesses, so that known and unknown e-mails take the same time.
 */
export function failureTally({ clock }: Deps, email: string, network: string): Tally {
  const now = Math.floor(clock.now());
  const user = sql`(select id from users where email = ${email})`;
  const known = sql`(select 1 from failed_sign_ins where user_id = users.id and address_range = ${network})`;
  const networks = sql`(select count(*) from failed_sign_ins where user_id = users.id)`;
  const most = sql.raw(String(MOST_NETWORKS));
  const isIt = sql`user_id in ${user} and address_range = (
    select max(address_range) from failed_sign_ins
    where user_id in ${user} and address_range in (${network}, ${OTHERS})
  )`;
  return {
    count: async (tx) => {
      await tx.run(sql`
        insert into failed_sign_ins (user_id, address_range, failures, recorded, first_at, last_at, record_at)
        select id, case when ${networks} < ${most} then ${network} else ${OTHERS} end, 0, 0,
          cast(${now} as bigint), cast(${now} as bigint), cast(${now + DAY} as bigint)
        from users where email = ${email} and not exists ${known}
        on conflict do nothing
      `);
      await tx.run(
        sql`update failed_sign_ins set failures = failures + 1, last_at = ${now} where ${isIt}`,
      );
    },
    undo: async (tx) => {
      await tx.run(sql`update failed_sign_ins set failures = failures - 1 where ${isIt}`);
      await tx.run(sql`delete from failed_sign_ins where user_id in ${user} and failures <= 0`);
    },
  };
}

/**
 * Deletes and returns the person's failed sign-ins since they last signed in, null if there are none, and records
 * those that are not in the audit log yet.
 */
export async function takeFailures(unit: Unit, user: UserRow): Promise<FailedSignIns | null> {
  const rows = await unit.store
    .delete(failedSignIns)
    .where(eq(failedSignIns.userId, user.id))
    .returning();
  await recordRows(unit, user, rows);
  return summaryOf(rows);
}

/** Removes the session's notice of failed sign-ins. */
export async function dismissFailures({ store }: Deps, tokenHash: string): Promise<void> {
  const isIt = eq(sessions.tokenHash, tokenHash);
  await store.update(sessions).set({ failedSignIns: null }).where(isIt);
}

/** Writes one entry a day to the audit log for each person with new failed sign-ins. Run by housekeeping. */
export async function recordFailedSignIns(deps: Deps): Promise<void> {
  const { store, clock } = deps;
  const isDue = and(
    lte(failedSignIns.recordAt, clock.now()),
    gt(failedSignIns.failures, failedSignIns.recorded),
  );
  const due = store.select({ id: failedSignIns.userId }).from(failedSignIns).where(isDue);
  for (const user of await store.select().from(users).where(inArray(users.id, due))) {
    await inUnit(deps, (unit) => recordNew(unit, user));
  }
}

async function recordNew(unit: Unit, user: UserRow): Promise<void> {
  const { store, clock } = unit;
  await lockUser(store, user.id);
  const rows = await store.select().from(failedSignIns).where(eq(failedSignIns.userId, user.id));
  await recordRows(unit, user, rows);
  const recordAt = clock.now() + DAY;
  // A failure that is counted meanwhile must stay unrecorded.
  for (const { addressRange, failures } of rows) {
    await store
      .update(failedSignIns)
      .set({ recorded: failures, recordAt })
      .where(and(eq(failedSignIns.userId, user.id), eq(failedSignIns.addressRange, addressRange)));
  }
}

/** Records, in one entry, the failures that are in no entry yet. */
async function recordRows(unit: Unit, user: UserRow, rows: Row[]): Promise<void> {
  const [only, ...others] = rows;
  const network = others.length === 0 ? only?.addressRange : undefined;
  const by = { ...STRANGER, address: () => network || null };
  await recordPersonChange(unit, by, user, {
    action: "person.sign_in_failed",
    count: rows.reduce((all, { failures, recorded }) => all + Math.max(0, failures - recorded), 0),
  });
}

function summaryOf(rows: Row[]): FailedSignIns | null {
  const count = rows.reduce((all, { failures }) => all + failures, 0);
  if (count === 0) return null;
  const networks = rows
    .filter(({ addressRange }) => addressRange !== OTHERS)
    .sort((a, b) => b.failures - a.failures)
    .map(({ addressRange }) => addressRange);
  return {
    count,
    since: Math.min(...rows.map(({ firstAt }) => firstAt)),
    networks: networks.slice(0, MOST_SHOWN),
    hasMore: rows.length > Math.min(networks.length, MOST_SHOWN),
  };
}
