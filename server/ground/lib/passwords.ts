import { createTurns } from "./concurrency.ts";

/** Code points. NIST SP 800-63B-4 requires 15 for a password alone, and 8 with a second factor. */
export const SHORTEST_ALONE = 15;
export const SHORTEST_WITH_CODE = 8;
const LONGEST = 256;

/** OWASP requires at least 19 MiB with two passes. With 64 MiB a hash takes about a tenth of a second. */
const PASSES = 2;
const KIB_PER_MB = 1024;

/** A salt and a hash without a known password, to make a sign-in without a user take as long. */
const UNKNOWN_HASH =
  "yfnzV8HhYFmXgEma5fvLNO24qH+b9YzXCfTeQ9b9SEM$dEtaSnD6PDp9EaRy3clYkuUSDCyhnwkC/41Pp4UZ9+I";

/**
 * Hashing takes time and memory, so two run at once and a limited number may wait. Networks (`from`) take turns, so that
 * one that fills the queue does not block the others.
 */
export type Passwords = {
  hash(password: string, from?: string): Promise<string>;
  /** Returns false for a user without a password, or for no user, after the same time. */
  verify(password: string, hash: string | null, from?: string): Promise<boolean>;
  /** Whether the hash was made with other parameters than the current ones. */
  isOutdated(hash: string): boolean;
};

/** @param memoryMb that one hash takes */
export function createPasswords(memoryMb: number): Passwords {
  const inTurn = createTurns({ atOnce: 2, mostWaiting: 32 });
  const present = beginning(memoryMb);
  return {
    hash: (password, from) => inTurn(() => hashPassword(password, memoryMb), from),
    verify: (password, hash, from) =>
      inTurn(async () => {
        const isRight = await Bun.password.verify(
          standard(password),
          hash ?? present + UNKNOWN_HASH,
        );
        return isRight && hash !== null;
      }, from),
    isOutdated: (hash) => !hash.startsWith(present),
  };
}

export const hashPassword = (password: string, memoryMb: number): Promise<string> =>
  Bun.password.hash(standard(password), {
    algorithm: "argon2id",
    memoryCost: memoryMb * KIB_PER_MB,
    timeCost: PASSES,
  });

/** The start of every hash with these parameters. */
const beginning = (memoryMb: number) =>
  `$argon2id$v=19$m=${memoryMb * KIB_PER_MB},t=${PASSES},p=1$`;

/** Whether the password is long enough only with a second factor. */
export const isShort = (password: string) => lengthOf(password) < SHORTEST_ALONE;

/**
 * What is wrong with a new password, continuing a sentence that begins with "password"; null when it will do.
 * @param shortest in code points
 */
export async function passwordProblem(
  password: string,
  shortest = SHORTEST_ALONE,
): Promise<string | null> {
  if (!password.isWellFormed()) return "must be valid Unicode (it has a lone surrogate)";
  const length = lengthOf(password);
  if (length < shortest) return `must have at least ${shortest} characters`;
  if (length > LONGEST) return `must have at most ${LONGEST} characters`;
  const { isCommon } = await import("./common-passwords.ts");
  return isCommon(standard(password)) ? "is one of the commonest; choose another" : null;
}

const lengthOf = (password: string) => [...standard(password)].length;

/** Normalizes accents, which keyboards compose differently. */
const standard = (password: string) => password.normalize("NFC");
