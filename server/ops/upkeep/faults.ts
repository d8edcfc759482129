import { describeError, log } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";

/** More unhandled rejections than this in a minute end the process. */
const MOST_REJECTIONS = 20;
const MINUTE_MS = 60_000;
/** What is under way has so long to end before the process does. */
const FAREWELL_MS = 5000;

type Faults = {
  /** Resolves when the process is in an unknown state and must end; never while it is not. */
  fatal: Promise<void>;
  hasEnded(): boolean;
};

/**
 * Hears of what was thrown and nobody caught. After that nobody knows what still holds, so that the process ends
 * with a failure, for its supervisor to start it again. A promise that nobody waited for harms nothing by itself
 * and is only logged, unless that goes on and on.
 */
export function watchFaults({ troubles, clock }: Pick<Deps, "troubles" | "clock">): Faults {
  const fatal = Promise.withResolvers<void>();
  let hasEnded = false;
  let rejectedAt: number[] = [];

  function end() {
    if (hasEnded) return;
    hasEnded = true;
    troubles.set("unhandled_error", "An error was not caught; the log says which.");
    setTimeout(() => process.exit(1), FAREWELL_MS);
    fatal.resolve();
  }

  process.on("uncaughtException", (error) => {
    log.error("uncaught error: this process exits", describeError(error));
    end();
  });
  process.on("unhandledRejection", (reason) => {
    log.error("unhandled promise rejection", describeError(reason));
    const now = clock.elapsed();
    rejectedAt = [...rejectedAt.filter((at) => at > now - MINUTE_MS), now];
    if (rejectedAt.length > MOST_REJECTIONS) end();
  });
  return { fatal: fatal.promise, hasEnded: () => hasEnded };
}
