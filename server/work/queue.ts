import { like, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { createWakeSignal, watchClock } from "../ground/lib/clock.ts";
import { newId } from "../ground/lib/ids.ts";
import { log, logFailure } from "../ground/lib/log.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Work } from "../ground/lib/vocabulary.ts";
import type { Deps } from "./deps.ts";
import { leasesOf, type Nodes } from "./nodes.ts";

/**
 * A queue is a table whose rows become due: links, deliveries, mails, sources. All of them work like this:
 *
 * 1. A node looks for due rows when some may be due: `startQueue`.
 * 2. It claims some, fairly by account, webhook or site. The update is the lock: where a row is still due it sets a lease,
 *    and moves the time at which it is due to the end of the lease, so no other node takes the same row.
 * 3. What the work comes to is written where the row still has that lease, in groups (`createGroupWriter`).
 * 4. What a node leaves is due when its lease ends, or once the node is known to be dead.
 * 5. No row is due later than it may be, whatever the clock said when that was written: `followClock`.
 */
type QueueTable = { dueAt: AnySQLiteColumn; lease: AnySQLiteColumn };

type Claiming = Pick<Deps, "clock" | "nodes">;

/** Columns of a row that this node claims now. */
export const leaseFor = ({ clock, nodes }: Claiming, ms: number) => ({
  lease: newLease(nodes),
  dueAt: clock.now() + ms,
});

/** Names a claim. The name begins with the id of the node that holds it. */
export const newLease = ({ id }: Pick<Nodes, "id">): string => `${id}.${newId()}`;

/** The condition that a claim repeats. `+ 0` prevents the use of an index, so that databases use the chosen rows. */
export const isStillDue = ({ dueAt }: QueueTable, now: number): SQL => sql`${dueAt} + 0 <= ${now}`;

/** A condition on rows: a dead node holds them. Undefined while no node is dead. */
export const areOfDead = ({ lease }: QueueTable, { nodes }: Pick<Deps, "nodes">): SQL | undefined =>
  or(...nodes.dead().map((id) => like(lease, leasesOf(id))));

const POLL_MS = 1000;

type Queue = {
  /** What is due, in the plural. */
  rows: string;
  /** Work whose looks are noted, so that a loop that hangs is noticed. */
  work?: Work;
  /**
   * Does what comes before every claim. `paused`: nothing is to be claimed now. `failing`: nothing can be, so this is not
   * noted as a look.
   */
  prepare(): Promise<"ready" | "paused" | "failing">;
  /**
   * Claims what is due, and begins to work on it. Returns when something is due next if nothing is written until then,
   * in milliseconds since 1970; null to look again next time.
   */
  claim(): Promise<number | null>;
  /**
   * Makes rows due that would wait longer than they may, until the signal. `atStart`: the clock may always have been
   * right.
   * @returns how many
   */
  limitWaits(signal: AbortSignal, atStart: boolean): Promise<number>;
  /** Called when the clock was set forward, so that much is due at once. */
  catchUp?(): void;
};

/** Claims what is due every second, and whenever it is woken, until the signal. `ended`: nothing is claimed any more. */
export function startQueue(
  deps: Watched,
  signal: AbortSignal,
  queue: Queue,
): { wake(): void; ended: Promise<void> } {
  const { clock, loops } = deps;
  const { wake, wait } = createWakeSignal(clock);
  const lookWhenNeeded = createLookWhenNeeded(deps);
  const clockRule = followClock(deps, signal, { ...queue, wake });
  signal.addEventListener("abort", wake);

  async function round() {
    const state = await queue.prepare();
    if (state === "ready") {
      clockRule.look();
      await lookWhenNeeded(queue.claim);
    }
    if (queue.work && state !== "failing") loops.noteLook(queue.work, clock.elapsed());
  }

  async function run() {
    while (!signal.aborted) {
      await round().catch(logFailure(`failed to claim due ${queue.rows}`));
      await yieldToEventLoop();
      await wait(POLL_MS);
    }
    await clockRule.done();
  }
  // The caller knows `wake` by then.
  return { wake, ended: Promise.resolve().then(run) };
}

/** Longest pause on a shared database: a message of another node may get lost. */
const LONGEST_PAUSE_MS = 5000;

/** For work that only a write can make due. */
export const NEVER_DUE = Number.POSITIVE_INFINITY;

type Watched = Pick<Deps, "store" | "clock" | "nodes" | "topics" | "loops">;

/**
 * Returns a function that skips looks which would find nothing: since the last one nothing was written, and nothing has
 * become due. SQLite reports writes of all processes. On a shared database wakes and messages of other nodes announce
 * them; while messages do not arrive, nothing is skipped.
 */
export function createLookWhenNeeded({ store, clock, nodes, topics, loops }: Watched) {
  let announced = 0;
  const note = () => {
    announced++;
  };
  loops.onWake(note);
  topics.subscribe({ changed: note, counted: note });
  let last: { version: string; at: number; dueAt: number } | null = null;

  const { engine } = store;
  const versionNow = () => engine.version()?.toString() ?? `${announced} ${nodes.dead()}`;
  const mayMissWrites = (at: number) =>
    engine.isShared && (!topics.isConnected() || clock.elapsed() - at >= LONGEST_PAUSE_MS);

  return async (look: Queue["claim"]): Promise<void> => {
    const [version, at] = [versionNow(), clock.elapsed()];
    const isNeeded =
      last?.version !== version || mayMissWrites(last.at) || last.dueAt <= clock.now();
    if (!isNeeded) return;
    last = null;
    const dueAt = await look();
    if (dueAt !== null) last = { version, at, dueAt };
  };
}

/**
 * Ends what rows owe to a wrong clock: a row that was written while the clock was ahead would wait that much longer.
 * This cannot be left to the claim, since how long a row may wait depends on its frequency or status, and no index has
 * that. So it is looked for once when the process starts, and once whenever the clock is set back, by one node, while
 * work goes on.
 */
function followClock(
  { clock, store }: Watched,
  signal: AbortSignal,
  { rows, limitWaits, catchUp, wake }: Queue & { wake(): void },
) {
  const jumpMs = watchClock(clock);
  let wanted: "at start" | "again" | null = "at start";
  let running: Promise<void> | null = null;

  async function run(when: typeof wanted) {
    const limit = (lost: AbortSignal) =>
      limitWaits(AbortSignal.any([lost, signal]), when === "at start");
    try {
      const count = await store.engine.alone(`limit waits of ${rows}`, limit);
      if (!count) return;
      log.warn(`${rows} rescheduled: they were due too far in the future`, { count });
      wake();
    } catch (error) {
      wanted ??= when;
      logFailure(`failed to reschedule ${rows} after the clock was wrong`)(error);
    } finally {
      running = null;
    }
  }

  return {
    /** Call it in every round, before the claim. */
    look() {
      const ms = jumpMs();
      const seconds = Math.round(Math.abs(ms) / 1000);
      if (ms > 0 && catchUp) {
        log.warn(`the clock was set forward: due ${rows} are spread`, { seconds });
        catchUp();
      }
      if (ms < 0) {
        log.warn(`the clock was set back: ${rows} that would wait too long are rescheduled`, {
          seconds,
        });
        wanted = "again";
      }
      if (!wanted || running) return;
      running = run(wanted);
      wanted = null;
    },
    /** Resolves when what is under way has ended. */
    done: async () => running,
  };
}
