import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Config } from "../config/config.ts";
import { apiKeys, facts, setupTokens } from "../db/tables.ts";
import { AppError, noSuchPath } from "../lib/errors.ts";
import { hashToken, newSetupToken } from "../lib/ids.ts";
import type { Deps } from "../work/deps.ts";
import { turnOf } from "./guard.ts";
import { freshKey } from "./keys.ts";
import { createSession } from "./sessions.ts";
import type { SignedIn, SignInDeps, Visitor } from "./sign-in.ts";
import { hasAccounts, insertAccount } from "./users.ts";

/** The actor of the set-up in the audit log. */
const NEWCOMER = { kind: "stranger", id: null, name: "set-up" } as const;

const FIRST_KEY = { name: "First key" };

/** The fact that the first set-up inserts, so that there is no second one. */
const IS_SET_UP = "set_up";

/**
 * Creates this node's set-up token while there is no account, writes it to a file in the data folder and returns it.
 * Each node has its own, and all nodes accept each of them. Returns null once there is an account.
 */
export async function createSetup(deps: Deps): Promise<string | null> {
  const { store, clock } = deps;
  const before = readToken(deps.config);
  removeToken(deps.config);
  if (await hasAccounts(deps)) {
    await store.delete(setupTokens);
    return null;
  }
  const token = newSetupToken();
  await store.transaction(async (tx) => {
    if (before) await tx.delete(setupTokens).where(isToken(before));
    // Left by a first account that was deleted.
    if (!(await hasAccounts({ store: tx })))
      await tx.delete(facts).where(eq(facts.name, IS_SET_UP));
    await tx.insert(setupTokens).values({ tokenHash: hashOf(token), createdAt: clock.now() });
  });
  writeFileSync(tokenPath(deps.config), `${token}\n`, { mode: 0o600, flag: "wx" });
  return token;
}

/**
 * Creates the first account with its owner and its first key, and signs the owner in.
 * @throws NOT_FOUND when there is an account, UNAUTHORIZED when the token is wrong
 */
export async function setUp(
  deps: SignInDeps,
  { token, email, password }: { token: string; email: string; password: string },
  visitor: Visitor,
): Promise<SignedIn & { key: string }> {
  if (!(await isSetupToken(deps, token))) throw wrongToken();
  const passwordHash = await deps.passwords.hash(password, turnOf(visitor));
  await refuseSecondSetup(deps);
  const by = { ...NEWCOMER, address: visitor.address };
  const tier = deps.config.defaultTier;
  const done = await deps.store.transaction(async (tx) => {
    const at = { ...deps, store: tx };
    const fact = { name: IS_SET_UP, value: String(deps.clock.now()) };
    const set = await tx.insert(facts).values(fact).onConflictDoNothing().returning();
    if (set.length === 0) throw noSuchPath();
    const owner = { email, tier, passwordHash, isAdmin: true };
    const { account, owner: user } = await insertAccount(at, owner, by);
    const now = deps.clock.now();
    const making = { permissions: { read: true, write: true }, now, madeBy: user.id };
    const key = freshKey(account.id, FIRST_KEY, making);
    await tx.insert(apiKeys).values(key.row);
    return { token: await createSession(tx, user.id, now, visitor), user, key: key.value };
  });
  await endSetup(deps);
  return done;
}

/** Deletes all set-up tokens and this node's file, once there is an account. */
export async function endSetup({ store, config }: Pick<Deps, "store" | "config">): Promise<void> {
  await store.delete(setupTokens);
  removeToken(config);
}

/** @throws NOT_FOUND when there is an account */
export async function refuseSecondSetup(deps: Deps): Promise<void> {
  if (await hasAccounts(deps)) throw noSuchPath();
}

const removeToken = (config: Config) => rmSync(tokenPath(config), { force: true });

const tokenPath = ({ dataDir }: Config) => join(dataDir, "setup-token");

async function isSetupToken({ store }: Deps, given: string): Promise<boolean> {
  const found = await store.select().from(setupTokens).where(isToken(given));
  return found.length > 0;
}

const isToken = (token: string) => eq(setupTokens.tokenHash, hashOf(token));

/** Ignores case, spaces and dashes, since the token is typed by hand. */
const hashOf = (token: string) => hashToken(token.toUpperCase().replace(/[^A-Z2-7]/g, ""));

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
    "The set-up token is wrong. The server wrote it to its log and its data folder when it started.",
  );
