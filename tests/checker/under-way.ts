import { yieldToEventLoop } from "../../server/ground/lib/steps.ts";
import { createWatch } from "../waits.ts";

/** Counts work that has begun and not ended. */
export type UnderWay = {
  /** Counts the work until it has ended. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Resolves once nothing is under way, nor begins by what has just ended. */
  none(): Promise<void>;
};

export function createUnderWay(): UnderWay {
  const { changed, when } = createWatch();
  let count = 0;
  return {
    during(work) {
      count += 1;
      return work.finally(() => {
        count -= 1;
        changed();
      });
    },
    async none() {
      do {
        await when(
          () => count === 0,
          () => `nothing under way; now: ${count}`,
        );
        await yieldToEventLoop();
      } while (count > 0);
    },
  };
}
