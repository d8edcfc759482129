import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { accounts } from "../../db/tables.ts";
import { newId } from "../../lib/ids.ts";
import type { Deps } from "../../work/deps.ts";
import type { TopicListener } from "../../work/topics.ts";
import { readPulse } from "./pulse.ts";
import { idOf, type Listener, startWatch, type Watch, type Whose } from "./watch.ts";

/** Tells open pages what changes in their accounts. */
export type Live = {
  /**
   * Begins to listen, and hears at once what has changed since `known`, the state that the page knew last.
   * @returns what ends it
   */
  listen(whose: Whose, listener: Listener, known: string | null): Promise<() => void>;
  /** Names the state of the account, so that a page which reads it after that can listen from there on. */
  stateOf(accountId: string): Promise<string>;
  /** A request has changed something of the account, perhaps what no kept number tells. */
  changed(accountId: string): void;
  /** What processes tell each other. */
  heard: TopicListener;
  /**
   * Makes room for one more line of this session by ending older lines.
   * @returns false when there is no room: too many lines in all, or too many sessions of this account have one
   */
  makeRoom(accountId: string, sessionHash: string): boolean;
  /** Ends all lines, and those that are opened later. */
  close(): void;
};

/** Open pages of one process, each of which costs a connection; no account may take them all. */
const MOST_LISTENERS = 2000;
const MOST_OF_ACCOUNT = 200;
/** More than the tabs that one person has in view; a hidden tab has no line. */
const MOST_OF_SESSION = 20;
/** Accounts of which it is known whether requests changed them. */
const MOST_KNOWN = 10_000;

/** One poll for all pages of an account, and none without a page. */
export function createLive(deps: Deps): Live {
  const watches = new Map<string, Watch>();
  const changes = createChanges();
  let isClosed = false;

  function noteChange(accountId: string) {
    changes.note(accountId);
    void watches.get(accountId)?.look();
  }

  function noteAnyChange() {
    changes.forget();
    for (const watch of watches.values()) void watch.look();
  }

  function watchOf(whose: Whose): Watch {
    const { accountId } = whose;
    const known = watches.get(accountId);
    if (known) return known;
    const watch = startWatch(deps, whose, () => changes.last(accountId));
    watches.set(accountId, watch);
    return watch;
  }

  return {
    async listen(whose, listener, known) {
      if (isClosed) {
        listener.end();
        return () => {};
      }
      const watch = watchOf(whose);
      watch.listeners.add(listener);
      const leave = () => {
        watch.listeners.delete(listener);
        if (watch.listeners.size > 0) return;
        watch.stop();
        if (watches.get(whose.accountId) === watch) watches.delete(whose.accountId);
      };
      try {
        await watch.greet(listener, known);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
    async stateOf(accountId) {
      const isAccount = eq(accounts.id, accountId);
      const [account] = await deps.store
        .select({ no: accounts.no })
        .from(accounts)
        .where(isAccount);
      const whose = { accountId, accountNo: account?.no ?? 0 };
      const { pulse } = await readPulse(deps, whose, changes.last(accountId));
      return idOf(pulse);
    },
    changed(accountId) {
      noteChange(accountId);
      deps.topics.changed(accountId);
    },
    heard: {
      changed(ids) {
        if (ids) for (const id of ids) noteChange(id);
        else noteAnyChange();
      },
      counted(ids) {
        const known = ids ? ids.map((id) => watches.get(id)) : watches.values();
        for (const watch of known) watch?.wake();
      },
    },
    makeRoom(accountId, sessionHash) {
      const all = [...watches.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
      const listeners = watches.get(accountId)?.listeners ?? new Set<Listener>();
      const surplus = surplusLine(listeners, sessionHash);
      surplus?.end();
      return surplus !== null || (all < MOST_LISTENERS && listeners.size < MOST_OF_ACCOUNT);
    },
    close() {
      isClosed = true;
      for (const { listeners } of watches.values()) {
        for (const listener of [...listeners]) listener.end();
      }
    },
  };
}

/**
 * Returns the line to end before this session opens another: the oldest of a session at its limit, since a tab that
 * was just opened is looked at; in a full account the oldest of the session with the most lines, so that one session
 * cannot take the room of others. Null when none has to end, or no session has more lines than this one would have.
 */
function surplusLine(listeners: Set<Listener>, sessionHash: string): Listener | null {
  const bySession = Map.groupBy(listeners, (listener) => listener.sessionHash);
  const own = bySession.get(sessionHash) ?? [];
  if (own.length >= MOST_OF_SESSION) return own[0]!;
  if (listeners.size < MOST_OF_ACCOUNT) return null;
  const most = [...bySession.values()].reduce((a, b) => (b.length > a.length ? b : a));
  return most.length > own.length + 1 || most === own ? most[0]! : null;
}

/**
 * Names the last change of each account by a request. Of those that were forgotten, and after another start,
 * it is a name like that of no change before, so that a page which comes back takes nothing for unchanged.
 */
function createChanges() {
  const names = new LRUCache<string, string>({ max: MOST_KNOWN });
  const start = newId();
  let all = 0;
  const note = (accountId: string): string => {
    const name = `${start}.${++all}`;
    names.set(accountId, name);
    return name;
  };
  return {
    note,
    last: (accountId: string) => names.get(accountId) ?? note(accountId),
    forget: () => names.clear(),
  };
}
