import type { Engine } from "../db/store.ts";
import { withTimeout } from "../lib/clock.ts";

/** Beats between two attempts to listen where nothing is heard. */
const BEATS_PER_ATTEMPT = 12;
/** The database forgets a listener whose connection ends, so that nobody has to wait for it to be told. */
const LEAVE_MS = 1000;

type Ears = {
  /** Listens anew from time to time while nothing is heard. */
  beat(isDeaf: boolean): void;
  stop(): Promise<void>;
};

/**
 * Listens as soon as the database lets it. The engine connects anew by itself when it finds that its connection
 * has ended, which it may never find where the network swallows what is sent.
 */
export function keepListening(listen: () => ReturnType<Engine["listen"]>): Ears {
  let attempt: ReturnType<Engine["listen"]> = Promise.resolve(null);
  let beatsDeaf = 0;

  const leave = (left: typeof attempt) =>
    withTimeout(
      LEAVE_MS,
      left.then((end) => end?.()),
    ).catch(() => {});

  function listenAnew() {
    void leave(attempt);
    attempt = listen();
  }

  return {
    beat(isDeaf) {
      if (!isDeaf) beatsDeaf = 0;
      else if (beatsDeaf++ % BEATS_PER_ATTEMPT === 0) listenAnew();
    },
    stop: () => leave(attempt),
  };
}
