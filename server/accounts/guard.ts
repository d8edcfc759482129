import { contextOf } from "../api/caller.ts";
import { rangesOf } from "../api/client-address.ts";
import { limiterFor, rateLimited } from "../api/rate-limit.ts";
import { createPasswords, type Passwords } from "../lib/passwords.ts";
import type { Deps } from "../work/deps.ts";
import { createDelays, type Delays } from "./delays.ts";

/** Proofs of identity, per network from the narrowest to the widest. The first is also for one session or browser. */
const QUOTAS = [
  { perMinute: 20, perHour: 100 },
  { perMinute: 40, perHour: 200 },
  { perMinute: 80, perHour: 400 },
];

/** Enough to invite a team, and too few to try out addresses. */
const INVITATIONS = { perMinute: 10, perHour: 50 };

/** What makes guessing slow. There is one for all routes that take a proof, so that none goes round it. */
export type Guard = {
  passwords: Passwords;
  delays: Delays;
  /**
   * Counts a stranger's proof.
   * @param device the id of a device cookie, by which it counts instead of by its network
   * @throws RATE_LIMITED
   */
  countGuess(request: Request, device?: string | null): Promise<void>;
  /** Counts a proof by someone who is signed in, which no stranger of the same network can use up. @throws RATE_LIMITED */
  countProof(request: Request): Promise<void>;
  /** Counts an invitation into an account. @throws RATE_LIMITED */
  countInvitation(accountId: string): Promise<void>;
};

export function createGuard(deps: Deps): Guard {
  const limiters = QUOTAS.map((quota, i) => limiterFor(deps, `guesses ${i}`, quota));
  const invitations = limiterFor(deps, "invitations", INVITATIONS);
  const count = async (callers: string[]) => {
    for (const [i, caller] of callers.entries()) {
      const allowance = await limiters[i]!(caller);
      if (!allowance.allowed) throw rateLimited(allowance);
    }
  };
  return {
    passwords: createPasswords(deps.config.passwordMemoryMb),
    delays: createDelays(deps),
    countGuess: (request, device) =>
      count(device ? [`device ${device}`] : rangesOf(contextOf(request).address())),
    countInvitation: async (accountId) => {
      const allowance = await invitations(accountId);
      if (!allowance.allowed) throw rateLimited(allowance);
    },
    countProof: (request) => count([`session ${contextOf(request).sessionHash}`]),
  };
}
