import { withTimeout } from "../lib/clock.ts";
import { describeError, log, logTransitions } from "../lib/log.ts";
import { addTo, type Gathered, nothing } from "./notice.ts";

/** All of so long is told at once, since the database commits one notice after another. */
const GATHER_MS = 100;
/** What could not be told is tried again after this. */
const RETRY_MS = 1000;
/** A connection that swallows what is sent is not waited for. */
const LATE_MS = 10_000;
/** Nor at the end, for so long. */
const LAST_MS = 1000;

type Teller = {
  /** Tells soon, together with what others add meanwhile. */
  tell(add: (gathered: Gathered) => void): void;
  /** Tells what is left. */
  stop(): Promise<void>;
};

/** One notice after another, so that a slow database is not asked for more and more at once. */
export function createTeller(send: (gathered: Gathered) => Promise<void>): Teller {
  let waiting = nothing();
  let isWaiting = false;
  let sending: Promise<void> | null = null;
  let timer: Timer | null = null;
  let isBroken = false;
  let isOver = false;
  const note = logTransitions(
    (error) => {
      isBroken = true;
      log.warn("other nodes are not told of changes and look for them", describeError(error));
    },
    () => {
      isBroken = false;
      log.info("other nodes are told of changes again");
    },
  );

  function tell(add: (gathered: Gathered) => void) {
    add(waiting);
    isWaiting = true;
    if (!sending) sendIn(GATHER_MS);
  }

  function sendIn(ms: number) {
    if (isOver) return;
    timer ??= setTimeout(sendNow, ms);
    timer.unref();
  }

  function sendNow() {
    timer = null;
    const gathered = waiting;
    waiting = nothing();
    isWaiting = false;
    sending = withTimeout(LATE_MS, send(gathered))
      .then(
        () => note(null),
        (error) => keep(gathered, error),
      )
      .finally(() => {
        sending = null;
        if (isWaiting) sendIn(isBroken ? RETRY_MS : GATHER_MS);
      });
  }

  function keep({ changed, counted, work }: Gathered, error: unknown) {
    note(error);
    addTo(waiting.changed, changed);
    addTo(waiting.counted, counted);
    waiting.work ||= work;
    isWaiting = true;
  }

  async function stop() {
    isOver = true;
    if (timer) clearTimeout(timer);
    await withTimeout(LAST_MS, sending ?? Promise.resolve()).catch(() => {});
    if (isWaiting && !isBroken) await withTimeout(LAST_MS, send(waiting)).catch(() => {});
  }

  return { tell, stop };
}
