import type { Clock } from "../lib/clock.ts";
import { OlderNodes } from "../store/beside-versions.ts";

const AGAIN_MS = 2000;

/** How an upgrade is gone about. */
export type Upgrading = <T>(upgrade: () => Promise<T>) => Promise<T>;

/** Upgrades as soon as no node is alive that could not go on after it; until then it goes on itself. */
export const whenOlderAreGone =
  ({ sleep }: Pick<Clock, "sleep">, tell: (doing: string) => void): Upgrading =>
  async (upgrade) => {
    let told = "";
    for (;;) {
      try {
        return await upgrade();
      } catch (error) {
        if (!(error instanceof OlderNodes)) throw error;
        if (error.waiting !== told) tell(error.waiting);
        told = error.waiting;
        await sleep(AGAIN_MS);
      }
    }
  };
