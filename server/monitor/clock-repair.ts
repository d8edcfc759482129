import { watchClock } from "../lib/clock.ts";
import { log, logFailure } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { bringBack, LONGEST_REST_MS } from "./bring-back.ts";

type ClockRepair = {
  /** Notices whether the clock was set since the last look, and sees to what comes of it. */
  look(): void;
  /** When all that was begun has ended. */
  done(): Promise<void>;
};

/**
 * Puts right what a wrong clock wrote, in this process or before it. Beside all else, as it takes a while.
 * @param catchUp spreads what has become due at once
 */
export function createClockRepair(
  deps: Deps,
  signal: AbortSignal,
  catchUp: () => void,
): ClockRepair {
  const jumpMs = watchClock(deps.clock);
  // A wish of a site that was noted before the start is none of a wrong clock.
  let repairs = repair(LONGEST_REST_MS);

  async function repair(restMs: number) {
    const work = (lost: AbortSignal) => bringBack(deps, restMs, AbortSignal.any([lost, signal]));
    const count = await deps.store.engine
      .alone("bring links back", work)
      .catch(logFailure("no links were brought back"));
    if (count) log.warn("links that would have waited too long were brought back", { count });
  }

  return {
    look() {
      const ms = jumpMs();
      if (ms === 0) return;
      const seconds = Math.round(Math.abs(ms) / 1000);
      if (ms > 0) {
        log.warn("the clock was set forward; what is due is spread", { seconds });
        catchUp();
        return;
      }
      log.warn("the clock was set back; links that would wait too long come back", { seconds });
      repairs = repairs.then(() => repair(0));
    },
    done: () => repairs,
  };
}
