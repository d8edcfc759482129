import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { accounts } from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { Deps } from "../../work/deps.ts";
import type { TopicListener } from "../../work/topics.ts";
import { type AccountRef, type Listener, readStateId, startWatch, type Watch } from "./watch.ts";

/** Open pages of one process, each of which costs a connection; no account may take them all. */
const MOST_LISTENERS = 2000;
const MOST_OF_ACCOUNT = 200;
/** More than the tabs that one person has in view; a hidden tab has no stream. */
const MOST_OF_SESSION = 20;
/** Accounts whose last change by a request is known. */
const MOST_KNOWN = 10_000;

export type Live = ReturnType<typeof createLive>;

/** Notifies open pages of changes in their accounts. An account is polled once for all of its pages, while it has any. */
export function createLive(deps: Deps) {
  const watches = new Map<string, Watch>();
  const requests = createRequestMarkers();
  let isClosed = false;

  function noteChange(accountId: string) {
    requests.note(accountId);
    watches.get(accountId)?.poll();
  }

  function noteAnyChange() {
    requests.forget();
    for (const watch of watches.values()) watch.poll();
  }

  function watchOf(account: AccountRef): Watch {
    const { accountId } = account;
    const known = watches.get(accountId);
    if (known) return known;
    const watch = startWatch(deps, account, () => requests.last(accountId));
    watches.set(accountId, watch);
    return watch;
  }

  return {
    /**
     * Adds a listener, and sends it at once what has changed since `known`, the state that the page knew last.
     * @returns removes the listener
     */
    async subscribe(
      account: AccountRef,
      listener: Listener,
      known: string | null,
    ): Promise<() => void> {
      if (isClosed) {
        listener.end();
        return () => {};
      }
      const watch = watchOf(account);
      watch.listeners.add(listener);
      const unsubscribe = () => {
        watch.listeners.delete(listener);
        if (watch.listeners.size > 0) return;
        watch.stop();
        if (watches.get(account.accountId) === watch) watches.delete(account.accountId);
      };
      try {
        await watch.sendInitial(listener, known);
      } catch (error) {
        unsubscribe();
        throw error;
      }
      return unsubscribe;
    },

    /** Returns the id of the account's state, from which a page that reads the account afterwards can subscribe. */
    async stateOf(accountId: string): Promise<string> {
      const isAccount = eq(accounts.id, accountId);
      const [account] = await deps.store
        .select({ no: accounts.no })
        .from(accounts)
        .where(isAccount);
      const ref = { accountId, accountNo: account?.no ?? 0 };
      return readStateId(deps, ref, requests.last(accountId));
    },

    /** Call it after a request has changed something in the account. */
    changed(accountId: string) {
      noteChange(accountId);
      deps.topics.changed(accountId);
    },

    topicListener: {
      changed(ids) {
        if (ids) for (const id of ids) noteChange(id);
        else noteAnyChange();
      },
      counted(ids) {
        const known = ids ? ids.map((id) => watches.get(id)) : watches.values();
        for (const watch of known) watch?.announce();
      },
    } satisfies TopicListener,

    /**
     * Makes room for one more stream of this session by ending older ones.
     * @returns false when there is no room: too many streams, or too many sessions of this account have one
     */
    makeRoom(accountId: string, sessionHash: string): boolean {
      const all = [...watches.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
      const listeners = watches.get(accountId)?.listeners ?? new Set<Listener>();
      const surplus = surplusStream(listeners, sessionHash);
      surplus?.end();
      return surplus !== null || (all < MOST_LISTENERS && listeners.size < MOST_OF_ACCOUNT);
    },

    /** Ends all streams, and those that are opened later. */
    close() {
      isClosed = true;
      for (const { listeners } of watches.values()) {
        for (const listener of [...listeners]) listener.end();
      }
    },
  };
}

/**
 * Returns the stream to end before this session opens another: the oldest of a session at its limit, since the newest
 * tab is in view; in a full account the oldest of the session with the most, so that one session cannot exclude others.
 * Null when none has to end, or no session has more streams than this one would have.
 */
function surplusStream(listeners: Set<Listener>, sessionHash: string): Listener | null {
  const bySession = Map.groupBy(listeners, (listener) => listener.sessionHash);
  const own = bySession.get(sessionHash) ?? [];
  if (own.length >= MOST_OF_SESSION) return own[0]!;
  if (listeners.size < MOST_OF_ACCOUNT) return null;
  const most = [...bySession.values()].reduce((a, b) => (b.length > a.length ? b : a));
  return most.length > own.length + 1 || most === own ? most[0]! : null;
}

/**
 * Identifies the latest request that changed each account. After a restart, or when an account was dropped from the
 * cache, it gets a marker that was never used, so that a page that reconnects takes nothing for unchanged.
 */
function createRequestMarkers() {
  const markers = new LRUCache<string, string>({ max: MOST_KNOWN });
  const start = newId();
  let count = 0;
  const note = (accountId: string): string => {
    const marker = `${start}.${++count}`;
    markers.set(accountId, marker);
    return marker;
  };
  return {
    note,
    last: (accountId: string) => markers.get(accountId) ?? note(accountId),
    forget: () => markers.clear(),
  };
}
