import { sql } from "drizzle-orm";
import { isSessionActive } from "../../accounts/sessions.ts";
import { links } from "../../ground/db/tables.ts";
import { oneAtATime } from "../../ground/lib/concurrency.ts";
import { firstIdAt } from "../../ground/lib/ids.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { toIso } from "../../ground/lib/moments.ts";
import type { Caller } from "../../http/caller.ts";
import { statusAt } from "../../links/model.ts";
import type { Deps } from "../../work/deps.ts";

/** In real time, independent of the clock: it is about what people see, and a silent stream is cut. */
const POLL_MS = 500;
/** Time between polls where writes are announced, in case an announcement is lost. */
const UNANNOUNCED_POLL_MS = 5000;
const KEEP_ALIVE_MS = 15_000;
/** Results are written a second or two after their checks. Sending one twice does no harm. */
const OVERLAP_MS = 10_000;
/** More checks than these are not listed. */
const MOST_CHECKS = 100;

/** What pages show. */
const TOPICS = [
  "links",
  "overview",
  "history",
  "groups",
  "webhooks",
  "keys",
  "batches",
  "account",
  "audit",
  "changes",
  "sites",
  "sources",
  "imports",
] as const;
type Topic = (typeof TOPICS)[number];

/** A text for each topic, which differs after anything of the topic has changed. */
type Snapshot = Record<Topic, string>;

export type AccountRef = Pick<Caller, "accountId" | "accountNo">;

/** What a row shows of a link that was checked. `since` is when it got its status, in ISO 8601. */
type LinkState = {
  id: string;
  status: ReturnType<typeof statusAt>;
  reason: string | null;
  since: string;
};

/**
 * `links` are those that were checked, and `states` the same with their present state; null when there are too many, or
 * they are not known.
 */
type Change = { topics: Topic[]; links: string[] | null; states: LinkState[] | null };

/** An open page. */
export type Listener = {
  sessionHash: string;
  /** @param id identifies the state that the page knows after this change */
  receive(change: Change, id: string): void;
  keepAlive(): void;
  /** Nothing more is sent: the session has ended, or the server stops. */
  end(): void;
};

/** `version` is the database's, where it has one. */
type Poll = { snapshot: Snapshot; marker: string; at: number; version: number | null };

export type Watch = ReturnType<typeof startWatch>;

/** Polls an account for all of its open pages. @param lastRequest identifies the latest request that changed it */
export function startWatch(deps: Deps, account: AccountRef, lastRequest: () => string) {
  const listeners = new Set<Listener>();
  const { engine } = deps.store;
  let last: Poll | undefined;
  /** A poll is due that has not begun. */
  let isRequested = false;
  let isAnnounced = false;
  let polledAt = -Infinity;

  const pollOnce = () =>
    oneAtATime(`poll ${account.accountId}`, async () => {
      isRequested = false;
      const before = last;
      const now = { at: deps.clock.now(), version: engine.version() };
      isAnnounced = false;
      polledAt = performance.now();
      last = { ...now, ...(await readSnapshot(deps, account, lastRequest())) };
      if (before) await publish(before, last);
      return last.snapshot;
    });

  async function publish(before: Poll, now: Poll) {
    const topics = TOPICS.filter((topic) => before.snapshot[topic] !== now.snapshot[topic]);
    if (topics.length === 0) return;
    await endExpired();
    const isByChecks = before.marker === now.marker;
    const since = before.at - OVERLAP_MS;
    const states = isByChecks ? await linksCheckedSince(deps, account, since) : null;
    const links = states?.map(({ id }) => id) ?? null;
    for (const { receive } of listeners) receive({ topics, links, states }, idOf(now.snapshot));
  }

  /** Polls now; a change during a poll is found by another one right after it. */
  function poll() {
    if (isRequested) return;
    isRequested = true;
    void pollOnce().catch(logFailure);
  }

  function mayHaveChanged(): boolean {
    const version = engine.version();
    if (version !== null) return version !== last?.version;
    const isOverdue = performance.now() - polledAt >= UNANNOUNCED_POLL_MS;
    return isAnnounced || !deps.topics.isConnected() || isOverdue;
  }

  const pollIfChanged = () => {
    if (mayHaveChanged()) poll();
  };

  /** Makes the next regular poll happen: something was written. */
  const announce = () => {
    isAnnounced = true;
  };

  /** Ends the streams of sessions that have ended. */
  async function endExpired() {
    for (const [hash, ofSession] of Map.groupBy(listeners, ({ sessionHash }) => sessionHash)) {
      if (await isSessionActive(deps, hash)) continue;
      for (const listener of ofSession) listener.end();
    }
  }

  const keepAlive = () => {
    void endExpired().catch(logFailure);
    for (const listener of listeners) listener.keepAlive();
  };

  /** Sends what differs from the state that the page knew last, if it knew one. */
  async function sendInitial({ receive }: Listener, known: string | null) {
    const snapshot = await pollOnce();
    const before = known?.split("-") ?? null;
    const topics = TOPICS.filter((topic, i) => before && before[i] !== snapshot[topic]);
    receive({ topics, links: null, states: null }, idOf(snapshot));
  }

  const timers = [setInterval(pollIfChanged, POLL_MS), setInterval(keepAlive, KEEP_ALIVE_MS)];
  for (const timer of timers) timer.unref();
  const stop = () => {
    for (const timer of timers) clearInterval(timer);
  };
  return { listeners, poll, announce, sendInitial, stop };
}

/** Encodes a state by topic, so that a page that reconnects gets only what changed. */
const idOf = (snapshot: Snapshot) => TOPICS.map((topic) => snapshot[topic]).join("-");

const logFailure = (error: unknown) =>
  log.warning("failed to notify open pages", describeError(error));

/** Returns the id of an account's present state. */
export async function readStateId(deps: Deps, account: AccountRef, lastRequest: string) {
  const { snapshot } = await readSnapshot(deps, account, lastRequest);
  return idOf(snapshot);
}

/**
 * One statement, since it runs twice a second for every account with an open page. It reads a few maintained numbers,
 * so that it costs about the same for any account: the number of checks, links by status, those being checked, the
 * latest change of small tables, the progress of running batches, the latest change of a status, the runs of sources, and the
 * steps of imports.
 */
const SNAPSHOT = `select
  (select sum(checks) from usage_days where account_id = ?),
  (select sum(active) || '.' || sum(dead) || '.' || sum(unknown) from link_counts where subject = ?),
  (select count(*) from watched_links as links where account_no = ? and checking_until > ?),
  (select count(*) || '.' || max(updated_at) from groups where account_id = ?),
  (select count(*) || '.' || max(updated_at) from api_keys where account_id = ?),
  (select count(*) || '.' || max(updated_at) || '.' || coalesce(max(last_delivery_at), 0)
    from webhooks where account_id = ? and deleted_at is null),
  (select count(*) || '.' || sum(active + dead + unknown + skipped + total)
    from batches where account_id = ? and completed_at is null),
  (select changed_at || '.' || link_no from changes where account_no = ? order by changed_at desc, link_no desc limit 1),
  (select count(*) || '.' || sum(run_no) || '.' || sum(coalesce(due_at, 0)) || '.' || max(updated_at)
    from sources where account_id = ?),
  (select count(*) || '.' || sum(updated_at) || '.' || max(status) from imports where account_id = ?),
  (select max(id) from audit where account_id = ?),
  (select count(*) from audit where account_id = ? and id > ?)`;

/**
 * @param lastRequest identifies the latest request known here that changed the account; numbers do not show all changes
 * @returns also a `marker`, which differs after every request that changed the account
 */
async function readSnapshot(
  { store, clock, topics }: Deps,
  { accountId, accountNo }: AccountRef,
  lastRequest: string,
): Promise<Pick<Poll, "snapshot" | "marker">> {
  const now = clock.now();
  const ofAccount = Array(4).fill(accountId);
  // Entries of two processes may be committed in another order than that of their ids.
  const recent = firstIdAt(now - OVERLAP_MS);
  const params = [accountId, accountNo, accountNo, now, ...ofAccount, accountNo];
  params.push(accountId, accountId, accountId, accountId, recent);
  const [row] = await store.engine.run({ sql: SNAPSHOT, params });
  const [checked, counted, checking, groups, keys, webhooks, batches, changed, ...rest] = row!;
  const [sources, imported, ...recorded] = rest;
  const { isShared } = store.engine;
  const audit = digestOf(isShared ? recorded : recorded[0]);
  // Requests to other processes that are not announced show in the audit log.
  const isAnnounced = !isShared || topics.isConnected();
  const marker = isAnnounced ? lastRequest : digestOf(lastRequest, audit);
  const links = digestOf(checked, counted, checking, marker);
  const snapshot = {
    links,
    overview: digestOf(links, webhooks),
    history: digestOf(checked, marker),
    groups: digestOf(groups, counted, marker),
    webhooks: digestOf(webhooks, marker),
    keys: digestOf(keys, marker),
    batches: digestOf(batches, marker),
    account: digestOf(checked, counted, marker),
    audit,
    changes: digestOf(changed, counted, webhooks, marker),
    sites: digestOf(changed, counted, marker),
    sources: digestOf(sources, counted, marker),
    imports: digestOf(imported, batches, checking, marker),
  };
  return { snapshot, marker };
}

const digestOf = (...parts: unknown[]) => Bun.hash(JSON.stringify(parts)).toString(36);

/**
 * Returns the states of links checked since then; null when there were too many checks. Results are written some time
 * after their checks, so pass an earlier time.
 */
export async function linksCheckedSince(
  { store, clock }: Pick<Deps, "store" | "clock">,
  { accountNo }: AccountRef,
  since: number,
): Promise<LinkState[] | null> {
  const { id, status, reason, statusChangedAt, checkingUntil } = links;
  // The link is null where it was deleted.
  const rows = await store
    .select({ link: { id, status, reason, statusChangedAt, checkingUntil } })
    .from(sql`(
      select link_no from checks where account_no = ${accountNo} and checked_at >= ${since}
      order by checked_at desc limit ${MOST_CHECKS + 1}) as checked`)
    .leftJoin(links, sql`${links.no} = checked.link_no`);
  if (rows.length > MOST_CHECKS) return null;
  const found = rows.flatMap(({ link }) => link ?? []);
  const states = found.map((link) => ({
    id: link.id,
    status: statusAt(clock.now(), link),
    reason: link.reason,
    since: toIso(link.statusChangedAt),
  }));
  return [...new Map(states.map((state) => [state.id, state])).values()];
}
