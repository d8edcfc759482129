import type { Engine } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";

/** Less is not worth a step: that much may be the network's. */
const TOLERATED_MS = 100;

/**
 * A clock that tells the time of the database, which is one for all nodes however wrong their own are. Between
 * two looks it goes on by itself, so that setting the own clock moves nothing.
 */
export async function followDatabase(engine: Pick<Engine, "now">, own: Clock): Promise<Clock> {
  /** What time it was there when `elapsed()` was 0; null before the first look. */
  let began: number | null = null;

  /** It was asked at some moment of the round trip: in the middle, give or take half of it. */
  async function look() {
    const askedAt = own.elapsed();
    const time = await engine.now();
    const halfTrip = (own.elapsed() - askedAt) / 2;
    const found = time - askedAt - halfTrip;
    if (began === null || Math.abs(found - began) > TOLERATED_MS + halfTrip) began = found;
  }

  await look();
  const now = () => Math.floor(own.elapsed() + began!);
  return {
    now,
    elapsed: own.elapsed,
    sleep: own.sleep,
    source: { look, ownAheadMs: () => own.now() - now() },
  };
}
