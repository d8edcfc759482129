import type { Clock } from "../../lib/clock.ts";

/** Works off what has gathered, without everything at once. */
type Ramp = {
  /** Begins with so many links that are due. */
  begin(backlog: number): void;
  /** How many links may be taken on now; infinite when nothing has gathered. */
  allowance(): number;
  took(links: number): void;
  /** Nothing of it is left. */
  end(): void;
};

const LEAST_PER_SECOND = 64;
const LONGEST_S = 600;

/** Spreads a backlog over its size in seconds at 64 a second, but over ten minutes at most. */
export function createRamp(clock: Clock): Ramp {
  let climb: { perSecond: number; startedAt: number; backlog: number; taken: number } | null = null;

  return {
    begin(backlog) {
      const perSecond = Math.max(LEAST_PER_SECOND, Math.ceil(backlog / LONGEST_S));
      climb = { perSecond, startedAt: clock.elapsed(), backlog, taken: 0 };
    },
    allowance() {
      if (!climb) return Number.POSITIVE_INFINITY;
      // A second's worth at once, so that the first does not wait.
      const seconds = 1 + (clock.elapsed() - climb.startedAt) / 1000;
      return Math.floor(climb.perSecond * seconds) - climb.taken;
    },
    took(links) {
      if (!climb) return;
      climb.taken += links;
      if (climb.taken >= climb.backlog) climb = null;
    },
    end() {
      climb = null;
    },
  };
}
