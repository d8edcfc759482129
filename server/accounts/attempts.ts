import { hashToken } from "../lib/token.ts";
import type { Attempt } from "./delays.ts";

/** Free guesses in each network, the narrowest first. Even with the last, a thousand guesses take 16 hours. */
const FREE_IN_NETWORK = [3, 5, 7];
/** Free guesses on one person from everywhere: enough that one network cannot use them up. */
const FREE_EVERYWHERE = 100;
const FREE = 3;

/** Who asks: their networks, narrowest first, and the id of the browser's device cookie if it is the person's. */
export type Source = { networks: string[]; device?: string | null | undefined };

/**
 * A sign-in counts per person and network, and loosely per person, so that no network keeps the person out of
 * another. A browser in which the person signed in before may try even while those have to wait.
 */
export const signInAttempt = (email: string, { networks, device }: Source): Attempt => ({
  buckets: [
    ...networks.map((network, i) => ({
      name: `sign-in ${email} ${network}`,
      free: FREE_IN_NETWORK[i] ?? FREE,
    })),
    { name: `sign-in ${email}`, free: FREE_EVERYWHERE, isShared: true },
  ],
  pass: passOf(device),
});

/** A code has six digits, so it is guarded more closely: per person from everywhere, once the password is right. */
export const codeAttempt = (email: string, { device }: Source): Attempt => ({
  buckets: [{ name: `code ${email}`, free: FREE }],
  pass: passOf(device && `code ${device}`),
});

/** A proof by someone who is signed in: strangers cannot use it up. */
export const proofAttempt = ({ tokenHash }: { tokenHash: string }): Attempt => ({
  buckets: [{ name: `session ${tokenHash}`, free: FREE }],
});

/** A code by someone who has the one-time link. */
export const linkAttempt = (token: string): Attempt => ({
  buckets: [{ name: `link ${hashToken(token)}`, free: FREE }],
});

/** Under which networks, browsers and sessions take turns when passwords are hashed. */
export const turnOf = ({ networks, device }: Source) => device ?? networks.at(-1);

const passOf = (device: string | null | undefined) =>
  device ? { name: `device ${device}`, free: FREE } : undefined;
