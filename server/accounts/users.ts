import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { and, asc, eq, exists } from "drizzle-orm";
import type { Config } from "../ground/config/config.ts";
import { countLinks, takeNumbers } from "../ground/db/queries.ts";
import { isDuplicate, type Store } from "../ground/db/store.ts";
import {
  type AccountRow,
  accounts,
  apiKeys,
  facts,
  identities,
  linkDetails,
  passwordLinks,
  setupTokens,
  type UserRow,
  users,
} from "../ground/db/tables.ts";
import { AppError, conflict, noSuchPath, notFound } from "../ground/lib/errors.ts";
import { hashToken, newId, newSessionToken, newSetupToken } from "../ground/lib/ids.ts";
import type { Passwords } from "../ground/lib/passwords.ts";
import type { Tier } from "../ground/lib/vocabulary.ts";
import { type Actor, type Caller, OPERATOR } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, makeChange, type Unit } from "../work/unit.ts";
import { emailTarget, recordChange, recordPersonChange } from "./audit.ts";
import { deleteAccount } from "./delete.ts";
import { turnOf } from "./guard.ts";
import { freshKey, revokeKeysMadeBy } from "./keys.ts";
import { createSession, endSessionsOf, type SignedIn, type Visitor } from "./sessions.ts";

const LINK_MS = 30 * 60_000;
/** A mailed invitation may be read days later. */
const MAILED_INVITATION_MS = 7 * 86_400_000;

type NewOwner = {
  email: string;
  tier: Tier;
  /** Null for an owner who sets it by a one-time link. */
  passwordHash: string | null;
  isAdmin: boolean;
};

/** An account and the user who owns it. */
export type NewAccount = { account: AccountRow; owner: UserRow };

/**
 * Creates an account with its owner. The installation's first owner becomes an administrator.
 * @throws CONFLICT when the e-mail is taken
 */
export const createAccount = (
  deps: Deps,
  input: NewOwner,
  by: Actor = OPERATOR,
): Promise<NewAccount> =>
  inUnit(deps, (unit) => insertAccount(unit, input, by)).catch(refuseDuplicateEmail(input.email));

/** Hands a user's one-time link over. */
type HandOver<T> = (unit: Unit, user: UserRow) => Promise<T>;

/** To the operator, as its token. */
export const asToken: HandOver<string> = (unit, { id }) => createPasswordLink(unit, id);

/** The same for an owner who sets a password by a one-time link, with that link. */
export const createInvitedAccount = <T>(
  deps: Deps,
  input: Omit<NewOwner, "passwordHash">,
  by: Actor,
  handOver: HandOver<T>,
): Promise<NewAccount & { link: T }> =>
  inUnit(deps, async (unit) => {
    const made = await insertAccount(unit, { ...input, passwordHash: null }, by);
    return { ...made, link: await handOver(unit, made.owner) };
  }).catch(refuseDuplicateEmail(input.email));

/** Inserts an account with its owner and records that. */
async function insertAccount(
  unit: Unit,
  { email, tier, passwordHash, isAdmin }: NewOwner,
  by: Actor,
): Promise<NewAccount> {
  const { store, clock } = unit;
  const createdAt = clock.now();
  const isFirst = !(await hasAccounts(unit));
  const no = await takeNumbers(store, 1);
  const account: AccountRow = {
    id: newId(),
    email,
    tier,
    createdAt,
    no,
    historySince: 0,
    archiveLookup: null,
    archiveSave: false,
  };
  const owner: UserRow = {
    ...freshUser({ accountId: account.id, email, role: "owner", createdAt }),
    passwordHash,
    isAdmin: isAdmin || isFirst,
  };
  await store.insert(accounts).values(account);
  await store.insert(users).values(owner);
  const target = emailTarget(account);
  await recordChange(unit, { action: "account.created", by, accountId: account.id, target });
  return { account, owner };
}

/** A user without a password, not stored yet. */
export const freshUser = (
  given: Pick<UserRow, "accountId" | "email" | "role" | "createdAt">,
): UserRow => ({
  id: newId(),
  ...given,
  passwordHash: null,
  isAdmin: false,
  totpSecret: null,
  totpPending: null,
  totpStep: null,
  invitedEmail: null,
  emailVerifiedAt: null,
  mailAssigned: true,
});

export async function hasAccounts({ store }: Pick<Deps, "store">): Promise<boolean> {
  const found = await store.select({ id: accounts.id }).from(accounts).limit(1);
  return found.length > 0;
}

/** Finds a user of any account by the e-mail that they sign in with. */
export async function findUser({ store }: Deps, email: string): Promise<UserRow | undefined> {
  const [user] = await store.select().from(users).where(eq(users.email, email));
  return user;
}

/** @throws NOT_FOUND */
export async function requireUser(deps: Deps, email: string): Promise<UserRow> {
  const user = await findUser(deps, email);
  if (!user) throw notFound(`user: ${email}`);
  return user;
}

/**
 * The caller for the operator's commands in an account, with all permissions.
 * @throws NOT_FOUND
 */
export async function operatorOf({ store }: Deps, accountId: string): Promise<Caller> {
  const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  const { no: accountNo, tier } = account;
  return { accountId, accountNo, tier, permissions: { read: true, write: true }, by: OPERATOR };
}

/** Lists the users of all accounts, for the operator. */
export const listUsers = ({ store }: Deps) =>
  store
    .select({
      user: users,
      tier: accounts.tier,
      isLinked: exists(
        store.select().from(identities).where(eq(identities.userId, users.id)),
      ).mapWith(Boolean),
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .orderBy(asc(users.email));

/**
 * For the operator: removes a user, and with an account's last owner the account and everything in it.
 * @throws CONFLICT when that would delete links and `evenWithLinks` is not set, NOT_FOUND when the user was removed
 * meanwhile
 */
export async function deleteUser(
  deps: Deps,
  user: UserRow,
  { evenWithLinks, revokeKeys = false }: { evenWithLinks: boolean; revokeKeys?: boolean },
): Promise<"user" | "account"> {
  const { accountId } = user;
  const isRemoved = await makeChange(deps, await operatorOf(deps, accountId), async (unit) => {
    if (await isLastOwner(unit.store, await requireSame(unit.store, user))) return false;
    await removeUser(unit, OPERATOR, user, { revokeKeys });
    return true;
  });
  if (isRemoved) return "user";
  const linksLost = evenWithLinks ? 0 : await countLinks(deps, accountId);
  if (linksLost > 0) {
    throw conflict(`${user.email} is the last owner of an account with ${linksLost} links.`, {
      reason: "last_owner",
    });
  }
  await deleteAccount(deps, accountId, OPERATOR, async (tx) => {
    if (!(await isLastOwner(tx, await requireSame(tx, user))))
      throw notFound(`user: ${user.email}`);
  });
  return "account";
}

/** Removes a user, whose account is locked. Optionally revokes the keys that they made. */
export async function removeUser(
  unit: Unit,
  by: Actor,
  user: UserRow,
  { revokeKeys, assignTo = null }: { revokeKeys: boolean; assignTo?: string | null | undefined },
): Promise<void> {
  await recordPersonChange(unit, by, user, { action: "person.removed" });
  if (revokeKeys) await revokeKeysMadeBy(unit, by, user);
  await unit.store
    .update(linkDetails)
    .set({ assigneeId: assignTo })
    .where(eq(linkDetails.assigneeId, user.id));
  await unit.store.delete(users).where(eq(users.id, user.id));
}

/** Whether the user is the only owner of their account. Ask in a transaction that has locked the account. */
export async function isLastOwner(tx: Store, { accountId, role }: UserRow): Promise<boolean> {
  if (role !== "owner") return false;
  const areOwners = and(eq(users.accountId, accountId), eq(users.role, "owner"));
  return (await tx.$count(users, areOwners)) === 1;
}

/**
 * Creates a one-time link that sets the user's password within 30 minutes, or a week in a mailed invitation, instead of
 * earlier ones. Returns its token.
 */
export async function createPasswordLink(
  { store, clock }: Pick<Deps, "store" | "clock">,
  userId: string,
  mailed: "invite" | "password" | null = null,
): Promise<string> {
  const token = newSessionToken();
  await deletePasswordLinks(store, userId);
  const expiresAt = clock.now() + (mailed === "invite" ? MAILED_INVITATION_MS : LINK_MS);
  const link = { tokenHash: hashToken(token), userId, expiresAt, isMailed: mailed !== null };
  await store.insert(passwordLinks).values(link);
  return token;
}

export async function deletePasswordLinks(store: Store, userId: string): Promise<void> {
  await store.delete(passwordLinks).where(eq(passwordLinks.userId, userId));
}

/** Ends all of the user's sessions and returns a link that sets a new password. */
export async function resetPassword<T>(
  unit: Unit,
  user: UserRow,
  by: Actor,
  handOver: HandOver<T>,
): Promise<T> {
  await recordPersonChange(unit, by, user, { action: "person.password_link_made" });
  await endSessionsOf(unit.store, user.id);
  return handOver(unit, user);
}

export const duplicateEmail = (email: string) =>
  conflict(`The user ${email} already exists.`, { reason: "duplicate_email" });

const refuseDuplicateEmail = (email: string) => (error: unknown) => {
  throw isDuplicate(error) ? duplicateEmail(email) : error;
};

/** The user as they are now. @throws NOT_FOUND when they were removed meanwhile */
async function requireSame(tx: Store, { id, email }: UserRow): Promise<UserRow> {
  const [now] = await tx.select().from(users).where(eq(users.id, id));
  if (!now) throw notFound(`user: ${email}`);
  return now;
}

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
  const before = readToken(deps.config);
  removeToken(deps.config);
  if (await hasAccounts(deps)) {
    await deps.store.delete(setupTokens);
    return null;
  }
  const token = newSetupToken();
  await inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    if (before) await store.delete(setupTokens).where(isToken(before));
    // Left by a first account that was deleted.
    if (!(await hasAccounts(unit))) await store.delete(facts).where(eq(facts.name, IS_SET_UP));
    await store.insert(setupTokens).values({ tokenHash: hashOf(token), createdAt: clock.now() });
  });
  writeFileSync(tokenPath(deps.config), `${token}\n`, { mode: 0o600, flag: "wx" });
  return token;
}

/**
 * Creates the first account with its owner and its first key, and signs the owner in.
 * @throws NOT_FOUND when there is an account, UNAUTHORIZED when the token is wrong
 */
export async function setUp(
  deps: Deps & { passwords: Passwords },
  { token, email, password }: { token: string; email: string; password: string },
  visitor: Visitor,
): Promise<SignedIn & { key: string }> {
  if (!(await isSetupToken(deps, token))) {
    // Another set-up may just have ended, which deletes the tokens.
    await refuseSecondSetup(deps);
    throw wrongToken();
  }
  const passwordHash = await deps.passwords.hash(password, turnOf(visitor));
  await refuseSecondSetup(deps);
  const { address } = visitor;
  const done = await inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    const user = await createFirstAccount(unit, { email, passwordHash, address });
    const now = clock.now();
    const making = { permissions: { read: true, write: true }, now, madeBy: user.id };
    const key = freshKey(user.accountId, FIRST_KEY, making);
    await store.insert(apiKeys).values(key.row);
    return { token: await createSession(store, user.id, now, visitor), user, key: key.value };
  });
  await endSetup(deps);
  return done;
}

/**
 * Creates the first account and returns its owner, an administrator.
 * @throws NOT_FOUND when there is an account
 */
export async function createFirstAccount(
  unit: Unit,
  { address, ...owner }: Pick<NewOwner, "email" | "passwordHash"> & { address: () => string },
): Promise<UserRow> {
  const fact = { name: IS_SET_UP, value: String(unit.clock.now()) };
  const set = await unit.store.insert(facts).values(fact).onConflictDoNothing().returning();
  if (set.length === 0) throw noSuchPath();
  const tier = unit.config.defaultTier;
  const by = { ...NEWCOMER, address };
  return (await insertAccount(unit, { ...owner, tier, isAdmin: true }, by)).owner;
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

export async function isSetupToken(
  { store }: Pick<Deps, "store">,
  given: string,
): Promise<boolean> {
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
