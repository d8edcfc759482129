import { AppError } from "./errors.ts";

/** Runs work when it is its turn: first come, first served. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

type TurnsOptions = {
  atOnce: number;
  /** How many may wait; whoever comes when all these places are taken is sent away. */
  mostWaiting?: number;
};

/** @throws SERVICE_UNAVAILABLE, from the turn itself, when too many wait already */
export function createTurns({
  atOnce,
  mostWaiting = Number.POSITIVE_INFINITY,
}: TurnsOptions): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Whoever leaves hands its place over, so that a newcomer cannot slip in between. */
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return async (work) => {
    if (running < atOnce) running++;
    else if (waiting.length >= mostWaiting) throw tooBusy();
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return work().finally(leave);
  };
}

const tooBusy = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "Too much is going on now. Try again in a moment.",
    undefined,
    {
      "retry-after": "5",
    },
  );
