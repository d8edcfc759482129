import type { Deps } from "../work/deps.ts";
import { createRateLimiter, type Quota, type RateLimiter } from "./rate-limit.ts";
import { createSharedRateLimiter } from "./shared-rate-limit.ts";

type Counting = Pick<Deps, "store" | "clock">;

/** One budget for each caller, whichever process they ask. @param name what is counted, since all is kept together */
export function limiterFor(deps: Counting, name: string, quota: Quota): RateLimiter {
  let limiter: RateLimiter | undefined;
  return (caller) => {
    // Routes are made without a database too, where they are only described.
    limiter ??= createLimiter(deps, name, quota);
    return limiter(caller);
  };
}

const createLimiter = ({ store, clock }: Counting, name: string, quota: Quota): RateLimiter =>
  store.engine.isShared
    ? createSharedRateLimiter({ store, clock }, name, quota)
    : createRateLimiter(quota, clock);
