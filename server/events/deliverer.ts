import type { Deps } from "../deps.ts";
import { createBell } from "../lib/bell.ts";
import { watchClock } from "../lib/clock-jump.ts";
import { describeError, log } from "../lib/log.ts";
import { claimDue } from "./claim.ts";
import { AT_ONCE, attempt, type DeliveryOptions } from "./deliver.ts";
import { makeDueAgain } from "./set-back.ts";

const POLL_MS = 1000;
const STOP_MS = 10_000;

type Deliverer = {
  /** Looks for due deliveries now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits up to 10 s for what is under way; the rest is sent again later. */
  stop(): Promise<void>;
};

/** Delivers from now on. A slot that becomes free is filled at once, so a slow receiver delays nobody. */
export function createDeliverer(
  deps: Deps,
  { random }: Pick<DeliveryOptions, "random"> = {},
): Deliverer {
  const cutting = new AbortController();
  const running = new Set<Promise<void>>();
  const bell = createBell(deps.clock);
  const clockJump = watchClock(deps.clock);
  let stopped = false;
  const options = { signal: cutting.signal, ...(random && { random }) };

  async function fill(): Promise<number> {
    if (clockJump() < 0) await makeDueAgain(deps);
    if (running.size === AT_ONCE) return 0;
    const claimed = await claimDue(deps, AT_ONCE - running.size);
    for (const delivery of claimed) {
      const sending = attempt(deps, delivery, options).finally(() => {
        running.delete(sending);
        bell.ring();
      });
      running.add(sending);
    }
    return claimed.length;
  }

  async function run() {
    while (!stopped) {
      const started = await fill().catch(noneClaimed);
      if (started === 0) await bell.wait(POLL_MS);
    }
  }

  const runs = run();
  return {
    wake: bell.ring,
    async stop() {
      stopped = true;
      bell.ring();
      await runs;
      await Promise.race([Promise.all(running), deps.clock.sleep(STOP_MS, cutting.signal)]);
      cutting.abort();
      await Promise.all(running);
    },
  };
}

function noneClaimed(error: unknown): number {
  log.error("no deliveries could be claimed", describeError(error));
  return 0;
}
