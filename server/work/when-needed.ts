import type { Deps } from "./deps.ts";

/** Longest pause on a shared database: a message of another node may get lost. */
const LONGEST_PAUSE_MS = 5000;

/**
 * Looks for work. Returns when work becomes due next if nothing is written until then, in milliseconds since 1970;
 * null to look again next time.
 */
type Look = () => Promise<number | null>;

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

  return async (look: Look): Promise<void> => {
    const [version, at] = [versionNow(), clock.elapsed()];
    const isNeeded =
      last?.version !== version || mayMissWrites(last.at) || last.dueAt <= clock.now();
    if (!isNeeded) return;
    last = null;
    const dueAt = await look();
    if (dueAt !== null) last = { version, at, dueAt };
  };
}

/** For work that only a write can make due. */
export const NEVER_DUE = Number.POSITIVE_INFINITY;
