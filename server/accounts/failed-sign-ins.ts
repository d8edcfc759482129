import { and, eq, gt, inArray, lte, type SQL, sql } from "drizzle-orm";
import { holdUser } from "../db/hold.ts";
import type { Statement, Store } from "../db/store.ts";
import { failedSignIns, sessions, type UserRow, users } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import type { FailedSignIns } from "./session-model.ts";

type Row = typeof failedSignIns.$inferSelect;

const DAY = 86_400_000;
/** More networks are counted together, so that strangers cannot fill the table. */
const MOST_NETWORKS = 20;
const MOST_SHOWN = 3;
const OTHERS = "";

/** The audit log calls someone who tries to sign in a stranger; set-up has others. */
const STRANGER = { kind: "stranger", id: null, name: "sign-in" } as const;

/**
 * Counts a sign-in as failed and takes that back. Both do nothing where the e-mail is unknown, and run in the batches
 * that count guesses, so that known and unknown e-mails take the same time.
 */
export function failureOf({ store, clock }: Deps, email: string, network: string) {
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
    count: [
      store.run(sql`
        insert into failed_sign_ins (user_id, address_range, failures, recorded, first_at, last_at, record_at)
        select id, case when ${networks} < ${most} then ${network} else ${OTHERS} end, 0, 0,
          cast(${now} as bigint), cast(${now} as bigint), cast(${now + DAY} as bigint)
        from users where email = ${email} and not exists ${known}
        on conflict do nothing
      `),
      store.run(
        sql`update failed_sign_ins set failures = failures + 1, last_at = ${now} where ${isIt}`,
      ),
    ],
    uncount: [
      store.run(sql`update failed_sign_ins set failures = failures - 1 where ${isIt}`),
      store.run(sql`delete from failed_sign_ins where user_id in ${user} and failures <= 0`),
    ],
  };
}

/**
 * The person's failed sign-ins since they last signed in, null if there are none, and what records and forgets them.
 * @param condition must hold when that is run
 */
export async function takeFailures(deps: Deps, user: UserRow, condition: SQL) {
  const { store } = deps;
  const rows = await rowsOf(store, user.id);
  // What is counted meanwhile is kept for the next time, with all before it.
  const holds = and(condition, isAsRead(user.id, rows))!;
  const areTheirs = eq(failedSignIns.userId, user.id);
  return {
    failed: summaryOf(rows),
    forget: [
      recordRows(deps, user, rows, holds),
      store.delete(failedSignIns).where(and(areTheirs, holds)),
    ],
  };
}

/** The person has seen what the session shows of them. */
export async function dismissFailures({ store }: Deps, tokenHash: string): Promise<void> {
  const isIt = eq(sessions.tokenHash, tokenHash);
  await store.update(sessions).set({ failedSignIns: null }).where(isIt);
}

/** Once a day each person's new ones become one entry of the audit log, to be run by housekeeping. */
export async function recordFailedSignIns(deps: Deps): Promise<void> {
  const { store, clock } = deps;
  const isDue = and(
    lte(failedSignIns.recordAt, clock.now()),
    gt(failedSignIns.failures, failedSignIns.recorded),
  );
  const due = store.select({ id: failedSignIns.userId }).from(failedSignIns).where(isDue);
  for (const user of await store.select().from(users).where(inArray(users.id, due))) {
    const rows = await rowsOf(store, user.id);
    const holds = isAsRead(user.id, rows);
    const areTheirs = eq(failedSignIns.userId, user.id);
    await store.write([
      holdUser(store, user.id),
      recordRows(deps, user, rows, holds),
      store
        .update(failedSignIns)
        .set({ recorded: sql`failures`, recordAt: clock.now() + DAY })
        .where(and(areTheirs, holds)),
    ]);
  }
}

const rowsOf = (store: Store, userId: string): Promise<Row[]> =>
  store.select().from(failedSignIns).where(eq(failedSignIns.userId, userId));

/** Whether nothing was counted or recorded since. */
function isAsRead(userId: string, rows: Row[]): SQL {
  const total = rows.reduce((all, { failures, recorded }) => all + failures + recorded, 0);
  return sql`(
    select coalesce(sum(failures + recorded), 0) from failed_sign_ins where user_id = ${userId}
  ) = ${total}`;
}

/** One entry for all that are in none yet, and none if there are no such. */
function recordRows(deps: Deps, user: UserRow, rows: Row[], onlyIf: SQL): Statement {
  const [only, ...others] = rows;
  const network = others.length === 0 ? only?.addressRange : undefined;
  return recordChange(deps, {
    action: "person.sign_in_failed",
    by: { ...STRANGER, address: () => network || null },
    accountId: user.accountId,
    target: emailTarget(user),
    count: rows.reduce((all, { failures, recorded }) => all + Math.max(0, failures - recorded), 0),
    onlyIf,
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
