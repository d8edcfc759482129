import { and, asc, count, eq, gt, ne, or, type SQL, sql } from "drizzle-orm";
import { type Actor, type Caller, OPERATOR } from "../api/caller.ts";
import { countLinks, takeNumbers } from "../db/numbers.ts";
import { isDuplicate, rowsOf, type Statement, type Store } from "../db/store.ts";
import {
  type AccountRow,
  accounts,
  passwordLinks,
  type Tier,
  type UserRow,
  users,
} from "../db/tables.ts";
import { conflict, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { hashToken, newSessionToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import { isThere, makeChange, onRecord, recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import { deleteAccount } from "./delete.ts";
import { keysMadeBy, revocationOf, revokeKeysMadeBy } from "./keys/made-by.ts";
import { endSessionsOf } from "./sessions.ts";

const LINK_MS = 30 * 60_000;

type NewOwner = {
  email: string;
  tier: Tier;
  /** Without one nobody can sign in until a one-time link sets it. */
  passwordHash: string | null;
  isAdmin: boolean;
};

/** An account and the user who owns it, not written yet. */
export type FreshAccount = { account: AccountRow; owner: UserRow; insert: Statement[] };

/** `insert` belongs into the batch of whatever makes the account. */
export async function freshAccount({ store, clock }: Deps, input: NewOwner): Promise<FreshAccount> {
  const createdAt = clock.now();
  const { email, tier, passwordHash, isAdmin } = input;
  const no = await takeNumbers(store, 1);
  const account: AccountRow = { id: newId(), email, tier, createdAt, no, historySince: 0 };
  const owner: UserRow = {
    id: newId(),
    accountId: account.id,
    email,
    passwordHash,
    role: "owner",
    isAdmin,
    createdAt,
    totpSecret: null,
    totpPending: null,
    totpStep: null,
    invitedEmail: null,
  };
  const insert = [store.insert(accounts).values(account), store.insert(users).values(owner)];
  return { account, owner, insert };
}

/**
 * Makes an account with its owner. The first owner of all is an administrator, or there would be none.
 * @throws CONFLICT when the e-mail is taken
 */
export async function createAccount(
  deps: Deps,
  input: NewOwner,
  by: Actor = OPERATOR,
): Promise<FreshAccount> {
  const fresh = await newAccount(deps, input);
  await writeAccount(deps, fresh, by);
  return fresh;
}

/** The same for an owner who sets a password by a one-time link: `token` is for that. */
export async function createInvitedAccount(
  deps: Deps,
  input: Omit<NewOwner, "passwordHash">,
  by: Actor = OPERATOR,
): Promise<FreshAccount & { token: string }> {
  const fresh = await newAccount(deps, { ...input, passwordHash: null });
  const { token, replace } = freshPasswordLink(deps, fresh.owner.id);
  await writeAccount(deps, fresh, by, replace);
  return { ...fresh, token };
}

async function newAccount(deps: Deps, input: NewOwner): Promise<FreshAccount> {
  const isAdmin = input.isAdmin || !(await hasAccounts(deps));
  return freshAccount(deps, { ...input, isAdmin });
}

async function writeAccount(
  deps: Deps,
  fresh: FreshAccount,
  by: Actor,
  more: Statement[] = [],
): Promise<void> {
  try {
    await deps.store.write([accountCreated(deps, by, fresh), ...fresh.insert, ...more]);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw conflict(`There is a user ${fresh.owner.email} already.`, { reason: "duplicate_email" });
  }
}

export const accountCreated = (deps: Deps, by: Actor, { account }: FreshAccount): Statement =>
  recordChange(deps, {
    action: "account.created",
    by,
    accountId: account.id,
    target: emailTarget(account),
  });

export async function hasAccounts({ store }: Deps): Promise<boolean> {
  const found = await store.select({ id: accounts.id }).from(accounts).limit(1);
  return found.length > 0;
}

/** By the e-mail that someone signs in with, in any account. */
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
 * Who asks when the operator does, from the command line: anyone's account, with every permission.
 * @throws NOT_FOUND
 */
export async function operatorOf({ store }: Deps, accountId: string): Promise<Caller> {
  const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  const { no: accountNo, tier } = account;
  return { accountId, accountNo, tier, permissions: { read: true, write: true }, by: OPERATOR };
}

/** All users of all accounts, for the operator. */
export const listUsers = ({ store }: Deps) =>
  store
    .select({ user: users, tier: accounts.tier })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .orderBy(asc(users.email));

/**
 * For the operator: removes a user, and with an account's last owner the account and everything in it.
 * @throws CONFLICT when that would delete links and `evenWithLinks` does not say that it may, NOT_FOUND when they
 * were removed at this moment
 */
export async function deleteUser(
  deps: Deps,
  user: UserRow,
  { evenWithLinks, revokeKeys = false }: { evenWithLinks: boolean; revokeKeys?: boolean },
): Promise<"user" | "account"> {
  const { store } = deps;
  const caller = await operatorOf(deps, user.accountId);
  const isIt = and(eq(users.id, user.id), eq(users.accountId, user.accountId));
  const mayGo = and(isIt, staysOwned(deps, user));
  const entry = onRecord(deps, caller, {
    action: "person.removed",
    target: emailTarget(user),
    onlyIf: isThere(store, users, mayGo),
  });
  const keys = revokeKeys ? await keysMadeBy(deps, user) : [];
  const mayStillGo = isThere(store, users, mayGo);
  const revocations = keys.flatMap((key) => revocationOf(deps, OPERATOR, key, mayStillGo));
  const removal = store.delete(users).where(mayGo).returning();
  const removed = await makeChange(deps, [...entry, ...revocations], removal);
  if (removed.length > 0 && revokeKeys) await revokeKeysMadeBy(deps, OPERATOR, user);
  if (removed.length > 0) return "user";
  const linksLost = evenWithLinks ? 0 : await countLinks(deps, user.accountId);
  if (linksLost > 0) {
    throw conflict(`${user.email} is the last owner of an account with ${linksLost} links.`, {
      reason: "last_owner",
    });
  }
  const isLast = and(isIt, eq(users.role, "owner"), eq(ownersOf(deps, user), 1));
  const may = isThere(store, users, isLast);
  if (!(await deleteAccount(deps, user.accountId, OPERATOR, may))) {
    throw notFound(`user: ${user.email}`);
  }
  return "account";
}

/** An account keeps an owner. @param user whom it is about, as read before */
export const staysOwned = (deps: Deps, user: UserRow): SQL | undefined =>
  or(ne(users.role, "owner"), gt(ownersOf(deps, user), 1));

/**
 * A token for a link that sets the password within 30 minutes, once, and what makes it so. Links given out before
 * are void then.
 * @param onlyIf must hold when it is written
 */
export function freshPasswordLink(
  { store, clock }: Deps,
  userId: string,
  onlyIf: SQL = sql`1 = 1`,
): { token: string; replace: Statement[] } {
  const token = newSessionToken();
  const columns = { token_hash: "text", user_id: "text", expires_at: "bigint" } as const;
  const fresh = rowsOf(store, columns, [[hashToken(token), userId, clock.now() + LINK_MS]]);
  return {
    token,
    replace: [
      forgetPasswordLinks(store, userId, onlyIf),
      store.run(
        sql`insert into ${passwordLinks} (token_hash, user_id, expires_at) select fresh.* from ${fresh} as fresh where ${onlyIf}`,
      ),
    ],
  };
}

export const forgetPasswordLinks = (store: Store, userId: string, onlyIf?: SQL): Statement =>
  store.delete(passwordLinks).where(and(eq(passwordLinks.userId, userId), onlyIf));

/** Ends all of the user's sessions and gives the token of a link that sets a new password. */
export async function resetPassword(deps: Deps, user: UserRow, by: Actor): Promise<string> {
  const { token, replace } = freshPasswordLink(deps, user.id);
  const entry = recordChange(deps, {
    action: "person.password_link_made",
    by,
    accountId: user.accountId,
    target: emailTarget(user),
  });
  await deps.store.write([entry, endSessionsOf(deps.store, user.id), ...replace]);
  return token;
}

const ownersOf = ({ store }: Deps, { accountId }: UserRow): SQL =>
  sql`(${store
    .select({ owners: count() })
    .from(users)
    .where(and(eq(users.accountId, accountId), eq(users.role, "owner")))})`;
