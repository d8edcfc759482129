import type { Clock } from "../lib/clock.ts";
import type { Front } from "./front.ts";

/** Waited in steps, after each of which every connection was looked at: time alone passes while we are held up. */
const STEP_MS = 25;
/** Nobody has asked for so long: whoever asks again and again has asked by then, and waits. */
const QUIET_STEPS = 6;
const MOST_STEPS = 40;

/** A front that can take its leave. */
type Farewell = {
  front: Front;
  /**
   * Stops without cutting anybody off. A connection that ends while the next request is on its way would do so,
   * and so would the end of the listener for whoever was not accepted yet. So every reply waits until the listener
   * is gone, and asks its client not to come again over the same connection (RFC 9112 §9.6).
   */
  takeLeave(stop: () => Promise<void>): Promise<void>;
};

export function createFarewell(front: Front, { sleep }: Pick<Clock, "sleep">): Farewell {
  let isLeaving = false;
  let asked = 0;
  const gone = Promise.withResolvers<void>();

  async function untilQuiet() {
    let quiet = 0;
    for (let step = 0; step < MOST_STEPS && quiet < QUIET_STEPS; step++) {
      const before = asked;
      await sleep(STEP_MS);
      quiet = asked === before ? quiet + 1 : 0;
    }
  }

  return {
    async front(request, server) {
      asked++;
      const response = await front(request, server);
      if (!isLeaving) return response;
      response.headers.set("connection", "close");
      await gone.promise;
      return response;
    },
    async takeLeave(stop) {
      isLeaving = true;
      await untilQuiet();
      const stopped = stop();
      gone.resolve();
      await stopped;
    },
  };
}
