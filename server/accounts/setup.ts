import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq, not } from "drizzle-orm";
import type { Config } from "../config/config.ts";
import { isDuplicate } from "../db/store.ts";
import { accounts, apiKeys, facts, setupTokens } from "../db/tables.ts";
import { AppError, noSuchPath } from "../lib/errors.ts";
import { hashToken, newSetupToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import { turnOf } from "./attempts.ts";
import { isThere } from "./audit/record.ts";
import { freshKey } from "./keys/keys.ts";
import { newSession } from "./sessions.ts";
import type { Entrance, SignInDeps, Visitor } from "./sign-in.ts";
import { accountCreated, freshAccount, hasAccounts } from "./users.ts";

/** Whoever has the set-up token, as the audit log names them. */
const NEWCOMER = { kind: "stranger", id: null, name: "set-up" } as const;

const FIRST_KEY = { name: "First key" };

/** Whoever writes it first has set up; there is no second. */
const IS_SET_UP = "set_up";

/**
 * While there is no account, makes another token of this node that proves who runs this installation, writes it
 * into a file and returns it. Each node has its own, any of which opens every node; afterwards there is none.
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
  await store.write([
    ...(before ? [store.delete(setupTokens).where(isToken(before))] : []),
    store
      .delete(facts)
      .where(and(eq(facts.name, IS_SET_UP), not(isThere(store, accounts, undefined)))),
    store.insert(setupTokens).values({ tokenHash: hashOf(token), createdAt: clock.now() }),
  ]);
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
  visitor: Visitor,
): Promise<Entrance & { key: string }> {
  const { userAgent, address } = visitor;
  if (!(await isSetupToken(deps, input.token))) throw wrongToken();
  const passwordHash = await deps.passwords.hash(input.password, turnOf(visitor));
  await refuseSecondSetup(deps);
  const { store, config, clock } = deps;
  const { email } = input;
  const tier = config.defaultTier;
  const fresh = await freshAccount(deps, { email, tier, passwordHash, isAdmin: true });
  const now = clock.now();
  const key = freshKey(fresh.account.id, FIRST_KEY, {
    permissions: { read: true, write: true },
    now,
    madeBy: fresh.owner.id,
  });
  const session = newSession(store, fresh.owner.id, now, userAgent);
  const insertKey = store.insert(apiKeys).values(key.row);
  const entry = accountCreated(deps, { ...NEWCOMER, address }, fresh);
  const only = store.insert(facts).values({ name: IS_SET_UP, value: fresh.account.id });
  await store
    .write([only, entry, ...fresh.insert, insertKey, session.insert])
    .catch(refuseSecondOfTwo);
  await endSetup(deps);
  return { token: session.token, user: fresh.owner, key: key.value };
}

/** Takes the tokens away, this node's file too: there is an account now. */
export async function endSetup({ store, config }: Pick<Deps, "store" | "config">): Promise<void> {
  await store.delete(setupTokens);
  removeToken(config);
}

/** @throws NOT_FOUND when there is an account */
export async function refuseSecondSetup(deps: Deps): Promise<void> {
  if (await hasAccounts(deps)) throw noSuchPath();
}

function refuseSecondOfTwo(error: unknown) {
  throw isDuplicate(error) ? noSuchPath() : error;
}

const removeToken = (config: Config) => rmSync(tokenPath(config), { force: true });

const tokenPath = ({ dataDir }: Config) => join(dataDir, "setup-token");

async function isSetupToken({ store }: Deps, given: string): Promise<boolean> {
  const found = await store.select().from(setupTokens).where(isToken(given));
  return found.length > 0;
}

const isToken = (token: string) => eq(setupTokens.tokenHash, hashOf(token));

/** Typed by hand, the token may come in lower case and without its dashes. */
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
    "The set-up token is wrong. The server wrote the right one into its log and its data folder when it started.",
  );
