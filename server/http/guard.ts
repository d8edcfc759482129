import type { Deps } from "../deps.ts";
import { createPasswords, type Passwords } from "../lib/passwords.ts";
import { createDelays, type Delays } from "../session/delays.ts";
import { rangeOf } from "./client-address.ts";
import { createRateLimiter, rateLimited } from "./rate-limit.ts";
import { visitOf } from "./visit.ts";

/** Whatever proves who someone is, per address. */
const GUESSES = { perMinute: 20, perHour: 100 };

/** What makes guessing slow. There is one for all routes that take a proof, so that none goes round it. */
export type Guard = {
  passwords: Passwords;
  delays: Delays;
  /** @throws RATE_LIMITED when the address has tried too often */
  countGuess(request: Request): void;
};

export function createGuard({ clock, config }: Deps): Guard {
  const limiter = createRateLimiter(GUESSES);
  return {
    passwords: createPasswords(config.passwordMemoryMb),
    delays: createDelays(clock),
    countGuess(request) {
      const allowance = limiter(rangeOf(visitOf(request).address()), clock.elapsed());
      if (!allowance.allowed) throw rateLimited(allowance);
    },
  };
}
