import { systemClock } from "../../server/ground/lib/clock.ts";
import { createPoliteness } from "../../server/judge/politeness/politeness.ts";
import { type Fetching, SourceFailed } from "../../server/read/crawl/fetching.ts";
import { createGet } from "../../server/read/crawl/get.ts";
import { labOutbound } from "../outbound/lab.ts";

/** No deadline ends what a limit of size has to end, on a machine that is slow for whatever reason. */
const HOUR_MS = 3_600_000;

/** Fetches as the program does, from sites of this machine. */
export function labFetching(timeoutMs = HOUR_MS): Fetching {
  const outbound = labOutbound();
  const politeness = createPoliteness({ clock: systemClock, hostConcurrency: 2, hostGapMs: 0 });
  const prober = { outbound, politeness, userAgent: "stillup-test" };
  return {
    get: createGet(prober, { timeoutMs }),
    policy: outbound.policy,
    now: systemClock.now,
    sleep: systemClock.sleep,
    isOwn: () => false,
  };
}

/** Collects what a generator yields, and why it failed. */
export async function collect<T>(
  generator: AsyncIterable<T[]>,
): Promise<{ found: T[]; reason: string | null }> {
  const found: T[] = [];
  try {
    for await (const some of generator) found.push(...some);
    return { found, reason: null };
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error;
    return { found, reason: error.reason };
  }
}

/** The reason of a failure. */
export const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error) => (error instanceof SourceFailed ? error.reason : `${error}`),
  );
