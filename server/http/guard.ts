import type { Deps } from "../deps.ts";
import { createPasswords, type Passwords } from "../lib/passwords.ts";
import { createDelays, type Delays } from "../session/delays.ts";
import { rangeOf } from "./client-address.ts";
import { limiterFor } from "./limiters.ts";
import { rateLimited } from "./rate-limit.ts";
import { visitOf } from "./visit.ts";

/** Whatever proves who someone is, per address. */
const GUESSES = { perMinute: 20, perHour: 100 };

/** What makes guessing slow. There is one for all routes that take a proof, so that none goes round it. */
export type Guard = {
  passwords: Passwords;
  delays: Delays;
  /** @throws RATE_LIMITED when the address has tried too often */
  countGuess(request: Request): Promise<void>;
};

export function createGuard(deps: Deps): Guard {
  const limiter = limiterFor(deps, "guesses", GUESSES);
  return {
    passwords: createPasswords(deps.config.passwordMemoryMb),
    delays: createDelays(deps),
    async countGuess(request) {
      const allowance = await limiter(rangeOf(visitOf(request).address()));
      if (!allowance.allowed) throw rateLimited(allowance);
    },
  };
}
