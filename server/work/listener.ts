import type { Engine } from "../db/store.ts";
import { withTimeout } from "../lib/clock.ts";
import type { Deps } from "./deps.ts";
import { createPublisher } from "./publisher.ts";
import { addTo, readMessage, type TopicListener, type Topics, writeMessage } from "./topics.ts";

const CHANNEL = "stillup";
/** How often a node sends a message, which it then expects to receive itself. */
const BEAT_MS = 5000;
/** A node that misses so many of its own messages counts itself as disconnected. */
const BEATS_MISSED = 3;
/** Beats between two attempts to listen again. */
const BEATS_PER_ATTEMPT = 12;
/** The database drops a listener whose connection closes, so there is no need to wait for its confirmation. */
const STOP_MS = 1000;

type Listening = Pick<Deps, "nodes" | "loops"> & { store: Pick<Deps["store"], "engine"> };

/**
 * Sends and receives messages by the database's LISTEN and NOTIFY. Not every connection supports them: some refuse to
 * listen, and poolers may drop notifications. So a node relies on them only while it receives its own.
 */
export function listenToTopics(
  { store: { engine }, nodes, loops }: Listening,
  beatMs = BEAT_MS,
): Topics & { stop(): Promise<void> } {
  const listeners: TopicListener[] = [];
  let heardAt = -Infinity;
  const isConnected = () => performance.now() - heardAt < BEATS_MISSED * beatMs;
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
    if (isOwn) heardAt = performance.now();
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
