import * as z from "zod";
import type { Engine } from "../ground/db/store.ts";
import { type Clock, systemClock, withTimeout } from "../ground/lib/clock.ts";
import { describeError, log, logTransitions } from "../ground/lib/log.ts";
import type { Loops } from "./loops.ts";
import type { Nodes } from "./nodes.ts";

/**
 * Messages between the processes that serve the same database. Delivery is not guaranteed: everything that they
 * say can also be read from the database.
 */
export type Topics = {
  /** A request has changed something in the account. */
  changed(accountId: string): void;
  /** Something that counters show was written in the accounts, such as results of checks. */
  counted(accountIds: ReadonlySet<string>): void;
  /** Work is due that another process may have to do. */
  workIsDue(): void;
  /** Whether messages of other processes arrive; if not, poll. */
  isConnected(): boolean;
  subscribe(listener: TopicListener): void;
};

/** Null means any account: there were too many to list, or messages may have been missed. */
export type TopicListener = {
  /** Accounts that other processes have changed. */
  changed(accountIds: string[] | null): void;
  /** Accounts that were counted by any process, this one included. */
  counted(accountIds: string[] | null): void;
};

/** Returns the distinct accounts of the rows. */
export const accountIdsOf = (rows: { accountId: string }[]): Set<string> =>
  new Set(rows.map(({ accountId }) => accountId));

/** For a process that has the database to itself. */
export const localTopics: Topics = {
  changed: () => {},
  counted: () => {},
  workIsDue: () => {},
  isConnected: () => false,
  subscribe: () => {},
};

/** Most accounts listed in a message, which PostgreSQL limits to 8000 bytes. */
const MOST_LISTED = 90;

const Accounts = z.array(z.string()).nullable();

const Message = z.object({
  /** Id of the node that sends it. */
  by: z.string(),
  changed: Accounts,
  counted: Accounts,
  work: z.boolean(),
});
export type Message = z.output<typeof Message>;

/** What is to be sent with the next message. */
type Pending = { changed: Set<string>; counted: Set<string>; work: boolean };

export const nothingPending = (): Pending => ({
  changed: new Set(),
  counted: new Set(),
  work: false,
});

/** Adds ids, up to one more than a message lists. */
export function addTo(accounts: Set<string>, ids: Iterable<string>) {
  for (const id of ids) {
    if (accounts.size > MOST_LISTED) return;
    accounts.add(id);
  }
}

export const writeMessage = (by: string, { changed, counted, work }: Pending): string =>
  JSON.stringify({
    by,
    changed: listed(changed),
    counted: listed(counted),
    work,
  } satisfies Message);

const listed = (accounts: Set<string>) => (accounts.size > MOST_LISTED ? null : [...accounts]);

/** A message that a later version writes differently counts as any change. */
export function readMessage(text: string): Message {
  const { data } = Message.safeParse(parsed(text));
  return data ?? { by: "", changed: null, counted: null, work: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Changes within this time are sent as one message, since the database commits one message after another. */
const GATHER_MS = 100;
const RETRY_MS = 1000;
/** Limit for one message, in case the connection swallows what is sent. */
const TIMEOUT_MS = 10_000;
/** Limit while this process stops. */
const LAST_TIMEOUT_MS = 1000;

type Publisher = {
  /** Sends soon what the callback adds, together with what others add. */
  publish(add: (pending: Pending) => void): void;
  /** Sends what is left. */
  stop(): Promise<void>;
};

/** Sends one message after another, so that a slow database does not get more and more at once. */
function createPublisher(send: (pending: Pending) => Promise<void>): Publisher {
  let pending = nothingPending();
  let hasPending = false;
  let sending: Promise<void> | null = null;
  let timer: Timer | null = null;
  let isFailing = false;
  let isStopped = false;
  const note = logTransitions(
    (error) => {
      isFailing = true;
      log.warn("failed to notify other nodes, which poll for changes", describeError(error));
    },
    () => {
      isFailing = false;
      log.info("other nodes are notified again");
    },
  );

  function publish(add: (pending: Pending) => void) {
    add(pending);
    hasPending = true;
    if (!sending) sendIn(GATHER_MS);
  }

  function sendIn(ms: number) {
    if (isStopped) return;
    timer ??= setTimeout(sendNow, ms);
    timer.unref();
  }

  function sendNow() {
    timer = null;
    const message = pending;
    pending = nothingPending();
    hasPending = false;
    sending = withTimeout(TIMEOUT_MS, send(message))
      .then(
        () => note(null),
        (error) => retain(message, error),
      )
      .finally(() => {
        sending = null;
        if (hasPending) sendIn(isFailing ? RETRY_MS : GATHER_MS);
      });
  }

  function retain({ changed, counted, work }: Pending, error: unknown) {
    note(error);
    addTo(pending.changed, changed);
    addTo(pending.counted, counted);
    pending.work ||= work;
    hasPending = true;
  }

  async function stop() {
    isStopped = true;
    if (timer) clearTimeout(timer);
    await withTimeout(LAST_TIMEOUT_MS, sending ?? Promise.resolve()).catch(() => {});
    if (hasPending && !isFailing) await withTimeout(LAST_TIMEOUT_MS, send(pending)).catch(() => {});
  }

  return { publish, stop };
}

const CHANNEL = "stillup";
/** How often a node sends a message, which it then expects to receive itself. */
const BEAT_MS = 5000;
/** A node that misses so many of its own messages counts itself as disconnected. */
const BEATS_MISSED = 3;
/** Beats between two attempts to listen again. */
const BEATS_PER_ATTEMPT = 12;
/** The database drops a listener whose connection closes, so there is no need to wait for its confirmation. */
const STOP_MS = 1000;

type Listening = { store: { engine: Engine }; nodes: Nodes; loops: Loops };

type ListeningOptions = Partial<Pick<Clock, "elapsed">> & { beatMs?: number | undefined };

/**
 * Sends and receives messages by the database's LISTEN and NOTIFY. Not every connection supports them: some refuse to
 * listen, and poolers may drop notifications. So a node relies on them only while it receives its own.
 */
export function listenToTopics(
  { store: { engine }, nodes, loops }: Listening,
  { beatMs = BEAT_MS, elapsed = systemClock.elapsed }: ListeningOptions = {},
): Topics & { stop(): Promise<void> } {
  const listeners: TopicListener[] = [];
  let heardAt = -Infinity;
  const isConnected = () => elapsed() - heardAt < BEATS_MISSED * beatMs;
  const publisher = createPublisher((all) => engine.notify(CHANNEL, writeMessage(nodes.id, all)));
  const { publish } = publisher;

  function pass(kind: keyof TopicListener, ids: string[] | null) {
    if (ids?.length === 0) return;
    for (const listener of listeners) listener[kind](ids);
  }

  function missed() {
    pass("changed", null);
    loops.wakeHere();
  }

  function receive(text: string) {
    const { by, changed, counted, work } = readMessage(text);
    const isOwn = by === nodes.id;
    if (isOwn && !isConnected()) missed();
    if (isOwn) heardAt = elapsed();
    if (!isOwn) pass("changed", changed);
    pass("counted", counted);
    if (!isOwn && work) loops.wakeHere();
  }

  const listener = keepListening(async () => {
    const end = await engine.listen(CHANNEL, receive, missed);
    // It did not receive its earlier messages.
    if (!isConnected()) publish(() => {});
    return end;
  });
  const beat = () => {
    listener.beat(!isConnected());
    publish(() => {});
  };
  beat();
  const beating = setInterval(beat, beatMs);
  beating.unref();
  return {
    changed: (id) => publish(({ changed }) => addTo(changed, [id])),
    counted(ids) {
      if (ids.size > 0) publish(({ counted }) => addTo(counted, ids));
    },
    workIsDue() {
      publish((pending) => {
        pending.work = true;
      });
    },
    isConnected,
    subscribe: (topicListener) => void listeners.push(topicListener),
    async stop() {
      clearInterval(beating);
      await Promise.all([publisher.stop(), listener.stop()]);
    },
  };
}

type Listener = {
  /** Listens again from time to time while nothing is received. */
  beat(isDisconnected: boolean): void;
  stop(): Promise<void>;
};

/**
 * Listens as soon as the database allows it. The engine reconnects when it finds that its connection has closed, but
 * it may never find out where the network drops packets.
 */
export function keepListening(listen: () => ReturnType<Engine["listen"]>): Listener {
  let attempt: ReturnType<Engine["listen"]> = Promise.resolve(null);
  let beatsMissed = 0;

  const end = (ended: typeof attempt) =>
    withTimeout(
      STOP_MS,
      ended.then((stop) => stop?.()),
    ).catch(() => {});

  return {
    beat(isDisconnected) {
      if (!isDisconnected) beatsMissed = 0;
      else if (beatsMissed++ % BEATS_PER_ATTEMPT === 0) {
        void end(attempt);
        attempt = listen();
      }
    },
    stop: () => end(attempt),
  };
}
