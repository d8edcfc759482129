import { sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { links } from "../../db/tables.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Deps } from "../../work/deps.ts";

/** What pages show, by what they ask for. */
export const TOPICS = [
  "links",
  "overview",
  "history",
  "groups",
  "webhooks",
  "keys",
  "batches",
  "account",
  "audit",
] as const;
export type Topic = (typeof TOPICS)[number];

/** What each topic was when it was looked at: another text says that something of it has changed. */
export type Pulse = Record<Topic, string>;

/** @property changes another text after every change by a request */
export type Reading = { pulse: Pulse; changes: string };

type Whose = Pick<Caller, "accountId" | "accountNo">;

/**
 * One statement for what is asked twice a second for every account that is looked at. It reads a few kept
 * numbers instead of what they are about, so that it costs about the same for any account: what grows with
 * every check that is written, links by status, those that are being checked, few rows by when they last
 * changed, and how far those batches have come that run.
 */
const PULSE = `select
  (select sum(checks) from usage_days where account_id = ?),
  (select sum(active) || '.' || sum(dead) || '.' || sum(unknown) from link_counts where subject = ?),
  (select count(*) from links where account_no = ? and checking_until > ?),
  (select count(*) || '.' || max(updated_at) from groups where account_id = ?),
  (select count(*) || '.' || max(updated_at) from api_keys where account_id = ?),
  (select count(*) || '.' || max(updated_at) || '.' || coalesce(max(last_delivery_at), 0)
    from webhooks where account_id = ?),
  (select count(*) || '.' || sum(active + dead + unknown + skipped + total)
    from batches where account_id = ? and completed_at is null),
  (select max(id) from audit where account_id = ?),
  (select count(*) from audit where account_id = ? and id > ?)`;

/** Entries of two processes may come in another order than their ids within this. */
const OVERLAP_MS = 10_000;

/** @param noted another text after every change by a request that this process knows of, for what no number tells */
export async function readPulse(
  { store, clock, topics }: Deps,
  { accountId, accountNo }: Whose,
  noted: string,
): Promise<Reading> {
  const now = clock.now();
  const ofAccount = Array(6).fill(accountId);
  const params = [accountId, accountNo, accountNo, now, ...ofAccount, firstIdAt(now - OVERLAP_MS)];
  const [row] = await store.engine.run({ sql: PULSE, params });
  const [checked, counted, checking, groups, keys, webhooks, batches, ...recorded] = row!;
  const { isShared } = store.engine;
  const audit = textOf(isShared ? recorded : recorded[0]);
  // What other processes do not tell can be seen by what it left.
  const isTold = !isShared || topics.isConnected();
  const changes = isTold ? noted : textOf(noted, audit);
  const links = textOf(checked, counted, checking, changes);
  const pulse = {
    links,
    overview: textOf(links, webhooks),
    history: textOf(checked, changes),
    groups: textOf(groups, counted, changes),
    webhooks: textOf(webhooks, changes),
    keys: textOf(keys, changes),
    batches: textOf(batches, changes),
    account: textOf(checked, counted, changes),
    audit,
  };
  return { pulse, changes };
}

/** More checks than these are sent as "many". */
const MOST_CHECKS = 100;

/**
 * The links that were checked since the moment, by their ids; null when there were too many checks to tell.
 * Results are written some time after they were seen, so the moment is to be an earlier one.
 */
export async function linksCheckedSince(
  { store }: Deps,
  { accountNo }: Whose,
  since: number,
): Promise<string[] | null> {
  const rows = await store
    .select({ id: links.id })
    .from(sql`(
      select link_no from checks where account_no = ${accountNo} and checked_at >= ${since}
      order by checked_at desc limit ${MOST_CHECKS + 1}) as checked`)
    .leftJoin(links, sql`${links.no} = checked.link_no`);
  if (rows.length > MOST_CHECKS) return null;
  // Those that were deleted meanwhile have none.
  return [...new Set(rows.flatMap(({ id }) => id ?? []))];
}

const textOf = (...parts: unknown[]) => Bun.hash(JSON.stringify(parts)).toString(36);
