import { LIVE_MS } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";

/** How often a node gives a sign of life. */
export const BEAT_MS = 5000;
/** Some time before it counts as dead a node begins nothing more, however wrong its clock and slow the network. */
const SURE_MS = 15_000;
/** After a longer gap between two signs of life of our own, others may have had one as well. */
const GAP_MS = 2 * BEAT_MS;
/** When the time that all go by is set by more, signs of life from before tell nothing. */
const STEP_MS = 5000;

/** Knows how this node's own signs of life went. */
export type Life = {
  /** Before a sign of life is given; it is then `beaten` from this moment on. */
  begin(): Moment;
  beaten(since: Moment): void;
  /** Whether others still take this node for live. */
  isSure(): boolean;
  /**
   * Whether those that are silent are dead. After a gap of our own it may be the database that was away, or is
   * another one with another time, and theirs are still to come.
   */
  mayJudge(): boolean;
};

type Moment = { elapsed: number; ownAheadMs: number };

export function createLife(clock: Clock): Life {
  let last: Moment | null = null;
  let steadySince = 0;
  let lead = 0;

  const present = () => ({
    elapsed: clock.elapsed(),
    ownAheadMs: clock.source?.ownAheadMs() ?? 0,
  });

  /** A machine that slept may not have counted the time, but its wall clock is then set forward. */
  function since(moment: Moment): number {
    const { elapsed, ownAheadMs } = present();
    return elapsed - moment.elapsed + Math.max(0, ownAheadMs - moment.ownAheadMs);
  }

  return {
    begin: present,
    beaten(moment) {
      const isGap = last === null || moment.elapsed - last.elapsed > GAP_MS;
      const newLead = clock.now() - clock.elapsed();
      if (isGap || Math.abs(newLead - lead) > STEP_MS) steadySince = moment.elapsed;
      lead = newLead;
      last = moment;
    },
    isSure: () => last !== null && since(last) <= SURE_MS,
    mayJudge: () => last !== null && last.elapsed - steadySince >= LIVE_MS,
  };
}
