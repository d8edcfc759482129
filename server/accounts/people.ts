import { and, asc, eq, inArray, max, or, type SQL, sql } from "drizzle-orm";
import { asSeen, onlyWhile } from "../db/as-seen.ts";
import { holdAccounts } from "../db/hold.ts";
import { isDuplicate, isGone, type Statement, type Store } from "../db/store.ts";
import { accounts, sessions, type UserRow, users } from "../db/tables.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import { conflict, limitReached, notFound } from "../lib/errors.ts";
import { newId, parseId } from "../lib/ids.ts";
import type { Deps } from "../work/deps.ts";
import { type Change, fieldsOf, isThere, makeChange, recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import { countKeysByMaker, keysMadeBy, revocationOf, revokeKeysMadeBy } from "./keys/made-by.ts";
import type { NewPerson, Person } from "./people-model.ts";
import {
  isWithinReach,
  type Manager,
  mayStill,
  ownRights,
  refusalOf,
  refuseOutOfReach,
} from "./rights.ts";
import { endSessionsOf } from "./sessions.ts";
import { forgetPasswordLinks, freshPasswordLink, staysOwned } from "./users.ts";

/** Who was given a one-time link, and its token. */
export type Invitation = { email: string; token: string };

/** People of one account: enough for any team, and few enough to be listed at once. */
const MOST_PEOPLE = 100;

/** The people of these accounts, those who came first before the others. */
export async function listPeople({ store }: Deps, accountIds: string[]): Promise<Person[]> {
  if (accountIds.length === 0) return [];
  const lastSeen = store
    .select({ userId: sessions.userId, at: max(sessions.lastSeenAt).mapWith(Number).as("at") })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(inArray(users.accountId, accountIds))
    .groupBy(sessions.userId)
    .as("last_seen");
  const rows = await store
    .select({ user: users, at: lastSeen.at })
    .from(users)
    .leftJoin(lastSeen, eq(lastSeen.userId, users.id))
    .where(inArray(users.accountId, accountIds))
    .orderBy(asc(users.createdAt), asc(users.id));
  const keys = await countKeysByMaker(store, accountIds);
  return rows.map(({ user, at }) => ({
    ...asShown(user),
    lastSeenAt: at,
    keysMade: keys.get(user.id) ?? 0,
  }));
}

/** Someone who has an account elsewhere is shown by the address they were invited by. */
const asShown = (user: UserRow): UserRow => ({ ...user, email: user.invitedEmail ?? user.email });

/**
 * Adds someone to an account, who sets a password by a one-time link. Owners do not learn whether the address has an
 * account elsewhere: then all is the same, but the link does not work.
 * @throws CONFLICT for an e-mail of the account, for administrators one of any account, and when the account has as
 * many people as it can
 */
export function invitePerson(
  deps: Deps,
  manager: Manager,
  accountId: string,
  { email, role }: NewPerson,
): Promise<Invitation> {
  const { store } = deps;
  const invite = async (): Promise<Invitation> => {
    const people = await listPeople(deps, [accountId]);
    const used = people.length;
    if (used >= MOST_PEOPLE) throw limitReached("people", MOST_PEOPLE, used);
    const isTaken = (await store.$count(users, eq(users.email, email))) > 0;
    const isKnown = people.some((person) => person.email === email);
    if (isKnown || (isTaken && manager.as === "administrator")) throw duplicateEmail(email);
    const person = freshPerson(accountId, { email, role }, deps.clock.now());
    const { token, replace } = freshPasswordLink(deps, person.id);
    const entry = recordChange(deps, told(manager, person, { action: "person.invited" }));
    const held = await onlyBelowLimit(store, accountId);
    const row = isTaken ? { ...person, email: person.id, invitedEmail: email } : person;
    try {
      await store.write([...held, entry, store.insert(users).values(row), ...replace]);
    } catch (error) {
      if (isGone(error)) throw notFound("account");
      // Someone else took the address at this moment; now that is seen.
      if (isDuplicate(error) && (await isEmailTaken(store, accountId, email))) return invite();
      throw error;
    }
    return { email, token };
  };
  return oneAtATime(`people of ${accountId}`, () => asSeen(invite));
}

const duplicateEmail = (email: string) =>
  conflict(`There is a user ${email} already.`, { reason: "duplicate_email" });

const isEmailTaken = async (store: Store, accountId: string, email: string): Promise<boolean> => {
  const isInvited = and(eq(users.accountId, accountId), eq(users.invitedEmail, email));
  return (await store.$count(users, or(eq(users.email, email), isInvited))) > 0;
};

/** For an account that is gone the rest of the batch is refused anyway. */
async function onlyBelowLimit(store: Store, accountId: string): Promise<Statement[]> {
  const [account] = await store
    .select({ no: accounts.no })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  if (!account) return [];
  const hasRoom = sql`(select count(*) from users where account_id = ${accountId}) < ${MOST_PEOPLE}`;
  return [...holdAccounts(store, [account.no]), ...onlyWhile(store, account.no, hasRoom)];
}

/**
 * Changes what someone may do.
 * @throws CONFLICT where an account would be left without an owner, or for one's own administration
 */
export async function changePerson(
  deps: Deps,
  manager: Manager,
  id: string,
  { role, isAdmin }: { role?: UserRow["role"] | undefined; isAdmin?: boolean | undefined },
): Promise<Person> {
  const user = await requirePerson(deps, manager, id);
  if (user.id === manager.session.user.id && isAdmin === false) throw ownRights(manager);
  const fields = fieldsOf({ role, is_admin: isAdmin }, { role: user.role, is_admin: user.isAdmin });
  if (fields.length === 0) return findPerson(deps, user);
  const { store } = deps;
  refuseOutOfReach(manager, user);
  const losesOwner = role !== undefined && role !== "owner";
  const stays = losesOwner ? staysOwned(deps, user) : undefined;
  const holds = isAllowed(store, manager, user, and(stays, isWithinReach(manager)));
  const onlyIf = isThere(store, users, holds);
  await settle(deps, manager, user, {
    change: { action: "person.changed", fields, onlyIf },
    // A link that was made by an owner must not let that owner in as an administrator.
    besides: isAdmin && !user.isAdmin ? [forgetPasswordLinks(store, user.id, onlyIf)] : [],
    by: store
      .update(users)
      .set({ ...(role && { role }), ...(isAdmin !== undefined && { isAdmin }) })
      .where(holds)
      .returning(),
  });
  return findPerson(deps, user);
}

/**
 * What they made stays with the account, which is why it keeps an owner.
 * @param revokeKeys also revokes the API keys whose values they know
 * @throws CONFLICT for its last owner, and for oneself
 */
export async function removePerson(
  deps: Deps,
  manager: Manager,
  id: string,
  { revokeKeys = false }: { revokeKeys?: boolean | undefined } = {},
): Promise<void> {
  const user = await requirePerson(deps, manager, id);
  if (user.id === manager.session.user.id) throw ownRights(manager);
  refuseOutOfReach(manager, user);
  const { store } = deps;
  const mayGo = and(staysOwned(deps, user), isWithinReach(manager));
  const holds = isAllowed(store, manager, user, mayGo);
  const onlyIf = isThere(store, users, holds);
  const { by } = manager.session.caller;
  const keys = revokeKeys ? await keysMadeBy(deps, user) : [];
  await settle(deps, manager, user, {
    change: { action: "person.removed", onlyIf },
    besides: keys.flatMap((key) => revocationOf(deps, by, key, onlyIf)),
    by: store.delete(users).where(holds).returning(),
  });
  if (revokeKeys) await revokeKeysMadeBy(deps, by, user);
}

/** Ends all of their sessions, and gives the token of a link that sets a new password, once. */
export async function resetPerson(deps: Deps, manager: Manager, id: string): Promise<Invitation> {
  const { store } = deps;
  const user = await requirePerson(deps, manager, id);
  refuseOutOfReach(manager, user);
  // Whoever is made an administrator meanwhile is out of the owner's reach, and gets no link.
  const holds = isAllowed(store, manager, user, isWithinReach(manager));
  const onlyIf = isThere(store, users, holds);
  const { token, replace } = freshPasswordLink(deps, user.id, onlyIf);
  await settle(deps, manager, user, {
    change: { action: "person.password_link_made", onlyIf },
    besides: [endSessionsOf(store, user.id, onlyIf), ...replace],
    by: store.select().from(users).where(holds),
  });
  return { email: user.email, token };
}

function freshPerson(accountId: string, given: NewPerson, createdAt: number): UserRow {
  return {
    id: newId(),
    accountId,
    ...given,
    ...{ passwordHash: null, isAdmin: false, createdAt },
    ...{ totpSecret: null, totpPending: null, totpStep: null, invitedEmail: null },
  };
}

/** For an owner there are only those of the own account. */
async function requirePerson({ store }: Deps, manager: Manager, id: string): Promise<UserRow> {
  const { session, as } = manager;
  const isIt = eq(users.id, parseId(id) ?? "");
  const [user] = await store
    .select()
    .from(users)
    .where(as === "owner" ? and(isIt, eq(users.accountId, session.user.accountId)) : isIt);
  if (!user) throw notFound("user");
  return asShown(user);
}

/** @throws NOT_FOUND when they were removed at this moment */
async function findPerson(deps: Deps, { id, accountId }: UserRow): Promise<Person> {
  const person = (await listPeople(deps, [accountId])).find((each) => each.id === id);
  if (!person) throw notFound("user");
  return person;
}

/** Whom it is about, if all that it needs is true. */
const isAllowed = (store: Store, manager: Manager, user: UserRow, condition: SQL | undefined) =>
  and(eq(users.id, user.id), mayStill(store, manager), condition);

/** All of it under the same condition, which only the last of it, `by`, may end. */
type Settling = {
  change: Pick<Change, "action" | "fields" | "onlyIf">;
  besides?: Statement[];
  by: PromiseLike<UserRow[]> & Statement;
};

/**
 * Makes the change if it may be made when it runs, and records it. Holds both accounts first, so that of two
 * owners who are demoted at once one stays, and likewise of two administrators who take away each other's rights.
 */
async function settle(deps: Deps, manager: Manager, user: UserRow, settling: Settling) {
  const { change, besides = [], by } = settling;
  const numbers = [await numberOf(deps, user), manager.session.caller.accountNo];
  const held = holdAccounts(deps.store, numbers);
  const entry = recordChange(deps, told(manager, user, change));
  const changed = await makeChange(deps, [...held, entry, ...besides], by);
  if (changed.length > 0) return;
  throw await refusalOf(deps, manager, await requirePerson(deps, manager, user.id));
}

/** @throws NOT_FOUND when the account is being deleted */
async function numberOf({ store }: Deps, { accountId }: UserRow): Promise<number> {
  const [account] = await store
    .select({ no: accounts.no })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  if (!account) throw notFound("user");
  return account.no;
}

const told = (
  { session }: Manager,
  user: UserRow,
  change: Pick<Change, "action" | "fields" | "onlyIf">,
): Change => ({
  ...change,
  by: session.caller.by,
  accountId: user.accountId,
  target: emailTarget(user),
});
