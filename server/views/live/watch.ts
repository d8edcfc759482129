import { isSessionActive } from "../../accounts/sessions.ts";
import type { Caller } from "../../api/caller.ts";
import { oneAtATime } from "../../lib/concurrency.ts";
import { describeError, log } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";
import {
  linksCheckedSince,
  type Pulse,
  type Reading,
  readPulse,
  TOPICS,
  type Topic,
} from "./pulse.ts";

/** In real time, independent of the clock: it is about what people see, and a silent stream is cut. */
const LOOK_MS = 500;
/** Between two polls where writes are announced, in case an announcement is lost. */
const NET_MS = 5000;
const BEAT_MS = 15_000;
/** Results are written within a second or two; sending one twice does no harm. */
const OVERLAP_MS = 10_000;

export type Whose = Pick<Caller, "accountId" | "accountNo">;

/** What has changed. `links` names those that were checked; null when they are too many, or are not known. */
type Change = { topics: Topic[]; links: string[] | null };

/** How one page hears of it. */
export type Listener = {
  sessionHash: string;
  /** @param id names the state that the page knows from then on */
  hear(change: Change, id: string): void;
  /** Keeps the line open. */
  beat(): void;
  /** Nothing more will come: the session has ended, or the program does. */
  end(): void;
};

type Look = Reading & { at: number; version: number | null };

export type Watch = ReturnType<typeof startWatch>;

/** One look at an account for all of its open pages. @param changes names the last change of it by a request */
export function startWatch(deps: Deps, whose: Whose, changes: () => string) {
  const listeners = new Set<Listener>();
  const { engine } = deps.store;
  let seen: Look | undefined;
  let isWanted = false;
  let isLooking = false;
  /** A write was announced since the last poll, which was then. */
  let isStale = false;
  let lookedAt = -Infinity;

  const take = () =>
    oneAtATime(`look at ${whose.accountId}`, async () => {
      const before = seen;
      const now = { at: deps.clock.now(), version: engine.version() };
      isStale = false;
      lookedAt = performance.now();
      seen = { ...now, ...(await readPulse(deps, whose, changes())) };
      if (before) await tell(before, seen);
      return seen.pulse;
    });

  async function tell(before: Look, now: Look) {
    const topics = TOPICS.filter((topic) => before.pulse[topic] !== now.pulse[topic]);
    if (topics.length === 0) return;
    await endOld();
    const isByChecks = before.changes === now.changes;
    const since = before.at - OVERLAP_MS;
    const links = isByChecks ? await linksCheckedSince(deps, whose, since) : null;
    for (const { hear } of listeners) hear({ topics, links }, idOf(now.pulse));
  }

  /** What changes during a look is seen by another one right after it. */
  async function look(): Promise<void> {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    while (isWanted) {
      isWanted = false;
      await take().catch(logFailure);
    }
    isLooking = false;
  }

  function mayBeWritten(): boolean {
    const version = engine.version();
    if (version !== null) return version !== seen?.version;
    return isStale || !deps.topics.isConnected() || performance.now() - lookedAt >= NET_MS;
  }

  const lookIfWritten = () => {
    if (mayBeWritten()) void look();
  };

  /** Something was written: it is looked for soon. */
  const wake = () => {
    isStale = true;
  };

  /** Ends the stream with the session. */
  async function endOld() {
    for (const [hash, theirs] of Map.groupBy(listeners, ({ sessionHash }) => sessionHash)) {
      if (await isSessionActive(deps, hash)) continue;
      for (const listener of theirs) listener.end();
    }
  }

  const beat = () => {
    void endOld().catch(logFailure);
    for (const listener of listeners) listener.beat();
  };

  /** Tells at once what is different from the state that the page knew last, if it knew one. */
  async function greet({ hear }: Listener, known: string | null) {
    const pulse = await take();
    const before = known?.split("-") ?? null;
    const topics = TOPICS.filter((topic, i) => before && before[i] !== pulse[topic]);
    hear({ topics, links: null }, idOf(pulse));
  }

  const timers = [setInterval(lookIfWritten, LOOK_MS), setInterval(beat, BEAT_MS)];
  for (const timer of timers) timer.unref();
  const stop = () => {
    for (const timer of timers) clearInterval(timer);
  };
  return { listeners, look, wake, greet, stop };
}

/** Encodes the state by topic, so that a page that reconnects gets only what changed. */
export const idOf = (pulse: Pulse) => TOPICS.map((topic) => pulse[topic]).join("-");

const logFailure = (error: unknown) =>
  log.warning("failed to notify open pages", describeError(error));
