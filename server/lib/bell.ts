import type { Clock } from "./clock.ts";

/** Ends a wait early; a ring while nobody waits ends the next wait. */
export function createBell(clock: Clock) {
  let isRung = false;
  let wake = () => {};
  const ring = () => {
    isRung = true;
    wake();
  };
  async function wait(ms: number) {
    const nap = new AbortController();
    const rung = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (!isRung) await Promise.race([rung, clock.sleep(ms, nap.signal)]);
    isRung = false;
    nap.abort();
  }
  return { ring, wait };
}
