import type { Clock } from "../lib/clock.ts";
import type { Front } from "./front.ts";

/** Nobody has asked for so long: whoever asks again and again has asked by then, and waits. */
const QUIET_MS = 150;
const LONGEST_HOLD_MS = 1000;

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

export function createFarewell(front: Front, { elapsed, sleep }: Clock): Farewell {
  let isLeaving = false;
  let askedAt = 0;
  const gone = Promise.withResolvers<void>();

  async function untilQuiet() {
    const longest = elapsed() + LONGEST_HOLD_MS;
    for (let now = elapsed(); now < Math.min(askedAt + QUIET_MS, longest); now = elapsed()) {
      await sleep(askedAt + QUIET_MS - now);
    }
  }

  return {
    async front(request, server) {
      askedAt = elapsed();
      const response = await front(request, server);
      if (!isLeaving) return response;
      response.headers.set("connection", "close");
      await gone.promise;
      return response;
    },
    async takeLeave(stop) {
      isLeaving = true;
      askedAt = elapsed();
      await untilQuiet();
      const stopped = stop();
      gone.resolve();
      await stopped;
    },
  };
}
