import type { Engine } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";

/** Smaller differences may be the network's, and are not corrected. */
const TOLERATED_MS = 100;

/**
 * A clock that shows the time of the database, which all nodes share however wrong their own clocks are. Between two
 * looks it runs by `elapsed()`, so setting the machine's own clock moves nothing.
 */
export async function followDatabase(engine: Pick<Engine, "now">, own: Clock): Promise<Clock> {
  /** The database's time when `elapsed()` was 0; null before the first look. */
  let zero: number | null = null;

  /** The answer was given at some time of the round trip: in the middle, plus or minus half of it. */
  async function look() {
    const askedAt = own.elapsed();
    const time = await engine.now();
    const halfTrip = (own.elapsed() - askedAt) / 2;
    const found = time - askedAt - halfTrip;
    if (zero === null || Math.abs(found - zero) > TOLERATED_MS + halfTrip) zero = found;
  }

  await look();
  const now = () => Math.floor(own.elapsed() + zero!);
  return {
    now,
    elapsed: own.elapsed,
    sleep: own.sleep,
    source: { look, ownAheadMs: () => own.now() - now() },
  };
}
