import { createTurns } from "./turns.ts";

/** Code points. NIST SP 800-63B-4 asks for 15 where the password is all there is. */
const SHORTEST = 15;
const LONGEST = 256;

/** Above what OWASP asks of argon2id (19 MiB); a hash costs about a tenth of a second. */
const PARAMETERS = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;
const PRESENT = "$argon2id$v=19$m=65536,t=2,p=1$";

/** Verified when there is no such user, so that this takes as long as a wrong password. */
const NOBODY =
  "$argon2id$v=19$m=65536,t=2,p=1$yfnzV8HhYFmXgEma5fvLNO24qH+b9YzXCfTeQ9b9SEM$dEtaSnD6PDp9EaRy3clYkuUSDCyhnwkC/41Pp4UZ9+I";

/** Hashing costs time and memory, so only two run at once and only some may wait. */
export type Passwords = {
  hash(password: string): Promise<string>;
  /** False for a user without a password too, or for no user at all, after the same time. */
  verify(password: string, hash: string | null): Promise<boolean>;
};

export function createPasswords(): Passwords {
  const inTurn = createTurns({ atOnce: 2, mostWaiting: 32 });
  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    verify: (password, hash) =>
      inTurn(async () => {
        const isRight = await Bun.password.verify(standard(password), hash ?? NOBODY);
        return isRight && hash !== null;
      }),
  };
}

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(standard(password), PARAMETERS);

/** Whether the hash was made with other parameters than today's. */
export const isOutdated = (hash: string) => !hash.startsWith(PRESENT);

/** What is wrong with a new password, continuing a sentence that begins with "password"; null when it will do. */
export async function passwordProblem(password: string): Promise<string | null> {
  if (!password.isWellFormed()) return "must be valid Unicode (it has a lone surrogate)";
  const length = [...standard(password)].length;
  if (length < SHORTEST) return `must have at least ${SHORTEST} characters`;
  if (length > LONGEST) return `must have at most ${LONGEST} characters`;
  const { isCommon } = await import("./common-passwords.ts");
  return isCommon(standard(password)) ? "is one of the commonest; choose another" : null;
}

/** One text however it was typed: keyboards differ in how they compose accents. */
const standard = (password: string) => password.normalize("NFC");
