import { OlderNodes } from "../../db/migrate.ts";
import type { Clock } from "../../lib/clock.ts";
import { log } from "../../lib/log.ts";

const AGAIN_MS = 2000;
/** For everyone who asks, so that it names neither nodes nor versions. */
const WAITING = "waiting until older nodes are stopped or upgraded";

/** How an upgrade is gone about. */
export type Upgrading = <T>(upgrade: () => Promise<T>) => Promise<T>;

/** Upgrades as soon as no node is alive that could not go on after it; until then it goes on itself. */
export const whenOlderAreGone =
  ({ sleep }: Pick<Clock, "sleep">, tell: (doing: string) => void): Upgrading =>
  async (upgrade) => {
    let said = "";
    for (;;) {
      try {
        return await upgrade();
      } catch (error) {
        if (!(error instanceof OlderNodes)) throw error;
        if (error.waiting !== said) {
          log.info(error.waiting);
          tell(WAITING);
        }
        said = error.waiting;
        await sleep(AGAIN_MS);
      }
    }
  };
