import { timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountCreated, freshAccount, hasAccounts } from "../accounts/users.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { freshKey } from "../keys/keys.ts";
import { AppError, noSuchPath } from "../lib/errors.ts";
import { oneAtATime } from "../lib/lock.ts";
import { hashToken, newSetupToken } from "../lib/token.ts";
import { apiKeys } from "../store/tables.ts";
import { newSession } from "./sessions.ts";
import type { Entrance, SignInDeps, Visitor } from "./sign-in.ts";

/** Whoever has the set-up token, as the audit log names them. */
const NEWCOMER = { kind: "stranger", id: null, name: "set-up" } as const;

const FIRST_KEY = { name: "First key" };

/**
 * While there is no account, writes a new token that proves who runs this installation, and returns it.
 * Afterwards there is none, on disk either.
 */
export async function createSetup(deps: Deps): Promise<string | null> {
  endSetup(deps.config);
  if (await hasAccounts(deps)) return null;
  const token = newSetupToken();
  writeFileSync(tokenPath(deps.config), `${token}\n`, { mode: 0o600, flag: "wx" });
  return token;
}

/**
 * Makes the first account, its owner and its first key, and signs the owner in: all of it, once.
 * @throws NOT_FOUND when there is an account, UNAUTHORIZED when the token is wrong
 */
export async function setUp(
  deps: SignInDeps,
  input: { token: string; email: string; password: string },
  { userAgent, address }: Visitor,
): Promise<Entrance & { key: string }> {
  if (!isSetupToken(deps.config, input.token)) throw wrongToken();
  const passwordHash = await deps.passwords.hash(input.password);
  return oneAtATime("setup", async () => {
    await refuseSecondSetup(deps);
    const { email } = input;
    const tier = deps.config.defaultTier;
    const fresh = await freshAccount(deps, { email, tier, passwordHash, isAdmin: true });
    const now = deps.clock.now();
    const key = freshKey(fresh.account.id, FIRST_KEY, { read: true, write: true }, now);
    const session = newSession(deps.store, fresh.owner.id, now, userAgent);
    const insertKey = deps.store.insert(apiKeys).values(key.row);
    const entry = accountCreated(deps, { ...NEWCOMER, address }, fresh);
    await deps.store.write([entry, ...fresh.insert, insertKey, session.insert]);
    endSetup(deps.config);
    return { token: session.token, user: fresh.owner, key: key.value };
  });
}

/** Takes the token away: there is an account now. */
export const endSetup = (config: Config) => rmSync(tokenPath(config), { force: true });

/** @throws NOT_FOUND when there is an account */
export async function refuseSecondSetup(deps: Deps): Promise<void> {
  if (await hasAccounts(deps)) throw noSuchPath();
}

const tokenPath = ({ dataDir }: Config) => join(dataDir, "setup-token");

/** Typed by hand, the token may come in lower case and without its dashes. */
function isSetupToken(config: Config, given: string): boolean {
  const token = readToken(config);
  if (!token) return false;
  const [a, b] = [token, given].map((text) => Buffer.from(hashToken(lettersOf(text))));
  return timingSafeEqual(a!, b!);
}

const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z2-7]/g, "");

function readToken(config: Config): string | null {
  try {
    return readFileSync(tokenPath(config), "utf8");
  } catch {
    return null;
  }
}

const wrongToken = () =>
  new AppError(
    "UNAUTHORIZED",
    "The set-up token is wrong. The server wrote the right one into its log and its data folder when it started.",
  );
