import { and, asc, count, eq, inArray, max, ne } from "drizzle-orm";
import { oidcOf } from "../ground/config/oidc.ts";
import { lockAccounts } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import {
  accounts,
  identities,
  linkDetails,
  sessions,
  type UserRow,
  users,
} from "../ground/db/tables.ts";
import { AppError, conflict, invalid, limitReached, notFound } from "../ground/lib/errors.ts";
import { parseId } from "../ground/lib/ids.ts";
import type { Caller, Session } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, type Unit } from "../work/unit.ts";
import { fieldsOf, recordPersonChange } from "./audit.ts";
import { deleteAccount } from "./delete.ts";
import { countKeysByMaker } from "./keys.ts";
import { type Deliver, handOver, queueAssignedMails } from "./mails.ts";
import type { AccountDeletion, Invitation, NewPerson, Person } from "./model.ts";
import { reauthenticate, refusePasswords, type SignInDeps } from "./sign-in.ts";
import {
  deletePasswordLinks,
  duplicateEmail,
  freshUser,
  isLastOwner,
  removeUser,
  resetPassword,
} from "./users.ts";

/** Someone who manages people: an owner those of their account, an administrator those of all accounts. */
export type Manager = { session: Session; as: "owner" | "administrator" };

/** People of one account: enough for any team, and few enough to be listed at once. */
export const MOST_PEOPLE = 100;

const ME = "me";

/** Returns the people of the account by what requests name them: their ids, and `me` for the one who is signed in. */
export async function findPeople(
  { store }: Pick<Deps, "store">,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
): Promise<Map<string, { id: string; email: string }>> {
  const people = await store
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.accountId, accountId));
  const byId = new Map(people.map((person) => [person.id, person]));
  const me = by.kind === "user" ? byId.get(by.id ?? "") : undefined;
  return me ? byId.set(ME, me) : byId;
}

export const noSuchPerson = (id: string): string =>
  id === ME ? "`me` is only for people who are signed in; name a person by id" : "no such person";

/** Lists the people of these accounts, oldest first. */
export async function listPeople(
  { store, config }: Pick<Deps, "store" | "config">,
  accountIds: string[],
): Promise<Person[]> {
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
  const assigned = await countAssigned(
    store,
    rows.map(({ user }) => user.id),
  );
  const linked = await usersWithIdentity(store, accountIds);
  const givesRoles = oidcOf(config)?.roles != null;
  return rows.map(({ user, at }) => ({
    ...asShown(user),
    lastSeenAt: at,
    keysMade: keys.get(user.id) ?? 0,
    linksAssigned: assigned.get(user.id) ?? 0,
    hasIdentity: linked.has(user.id),
    isRoleByProvider: givesRoles && linked.has(user.id),
  }));
}

async function usersWithIdentity(store: Store, accountIds: string[]): Promise<Set<string>> {
  const rows = await store
    .select({ id: identities.userId })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(inArray(users.accountId, accountIds));
  return new Set(rows.map(({ id }) => id));
}

/** Someone who has an account elsewhere is shown with the address that was invited. */
const asShown = (user: UserRow): UserRow => ({ ...user, email: user.invitedEmail ?? user.email });

/**
 * Adds someone to an account, who sets a password by a one-time link. Owners do not learn whether the address has an
 * account elsewhere: the reply is the same, but the link does not work.
 * @throws CONFLICT for an e-mail of the account, for administrators one of any account, and when the account has as
 * many people as it can
 */
export const invitePerson = (
  deps: Deps,
  manager: Manager,
  accountId: string,
  { email, role }: NewPerson,
  deliver?: Deliver,
): Promise<Invitation> =>
  inUnit(deps, async (unit) => {
    const { store, clock, mail } = unit;
    await lockAccountOf(store, accountId, manager, "account");
    const people = await listPeople(unit, [accountId]);
    if (people.length >= MOST_PEOPLE) throw limitReached("people", MOST_PEOPLE, people.length);
    if (people.some((person) => person.email === email)) throw duplicateEmail(email);
    const user = freshUser({ accountId, email, role, createdAt: clock.now() });
    const added = await store.insert(users).values(user).onConflictDoNothing().returning();
    const { by } = manager.session.caller;
    await recordPersonChange(unit, by, user, { action: "person.invited" });
    // Usually only the invited person sees the link.
    if (mail && deliver === "link") {
      await recordPersonChange(unit, by, user, { action: "person.password_link_made" });
    }
    if (added.length > 0) return handOver("invite", by, deliver)(unit, user);
    if (manager.as === "administrator") throw duplicateEmail(email);
    const elsewhere = { ...user, email: user.id, invitedEmail: email };
    await store.insert(users).values(elsewhere);
    return handOver("invite", by, deliver)(unit, elsewhere);
  });

/**
 * Changes a person's role or makes them an administrator.
 * @throws CONFLICT where an account would have no owner, or when administrators would remove their own rights;
 * FORBIDDEN when an owner would change an administrator
 */
export async function changePerson(
  deps: Deps,
  manager: Manager,
  id: string,
  { role, isAdmin }: { role?: UserRow["role"] | undefined; isAdmin?: boolean | undefined },
): Promise<Person> {
  const changed = await inUnit(deps, async (unit) => {
    const { store } = unit;
    const user = await lockPerson(store, manager, id);
    if (isOneself(manager, user) && isAdmin === false) throw ownRights(manager);
    const present = { role: user.role, is_admin: user.isAdmin };
    const fields = fieldsOf({ role, is_admin: isAdmin }, present);
    if (fields.length === 0) return user;
    refuseAdministrator(manager, user);
    await refuseRoleByProvider(unit, user);
    if (role !== undefined && role !== "owner") await refuseLastOwner(store, user);
    await store
      .update(users)
      .set({ ...(role && { role }), ...(isAdmin !== undefined && { isAdmin }) })
      .where(eq(users.id, user.id));
    // An owner may have created it, and must not be able to sign in as an administrator with it.
    if (isAdmin && !user.isAdmin) await deletePasswordLinks(store, user.id);
    const change = { action: "person.changed", fields } as const;
    await recordPersonChange(unit, manager.session.caller.by, user, change);
    return user;
  });
  const people = await listPeople(deps, [changed.accountId]);
  const person = people.find((each) => each.id === changed.id);
  if (!person) throw notFound("user");
  return person;
}

/**
 * Removes a person; what they made stays with the account.
 * @param removal whether the API keys whose values they know are revoked, and who gets the links that are assigned to them
 * @throws CONFLICT for the account's last owner, and for oneself; FORBIDDEN when an owner would remove an administrator
 */
export const removePerson = (
  deps: Deps,
  manager: Manager,
  id: string,
  { revokeKeys = false, assignTo = null }: Removal = {},
): Promise<void> =>
  inUnit(deps, async (unit) => {
    const { store } = unit;
    const user = await lockPerson(store, manager, id);
    if (isOneself(manager, user)) throw ownRights(manager);
    refuseAdministrator(manager, user);
    await refuseLastOwner(store, user);
    if (assignTo !== null) await refuseStranger(store, user, assignTo);
    const { by } = manager.session.caller;
    if (assignTo !== null) {
      const count = (await countAssigned(store, [user.id])).get(user.id) ?? 0;
      const counts = new Map(count > 0 ? [[assignTo, count]] : []);
      await queueAssignedMails(unit, { accountId: user.accountId, by }, counts);
    }
    await removeUser(unit, by, user, { revokeKeys, assignTo });
  });

type Removal = { revokeKeys?: boolean | undefined; assignTo?: string | null | undefined };

/** @throws VALIDATION_ERROR unless the id is that of another person of the account */
async function refuseStranger(tx: Store, { id, accountId }: UserRow, assignTo: string) {
  const isOther = and(eq(users.id, assignTo), eq(users.accountId, accountId), ne(users.id, id));
  const [other] = await tx.select({ id: users.id }).from(users).where(isOther);
  if (!other) throw invalid({ assign_to: ["no such person"] });
}

/** Counts the links that are assigned to people, by their ids. */
async function countAssigned(store: Store, ids: string[]): Promise<Map<string, number>> {
  const { assigneeId } = linkDetails;
  const rows = await store
    .select({ id: assigneeId, links: count() })
    .from(linkDetails)
    .where(inArray(assigneeId, ids))
    .groupBy(assigneeId);
  return new Map(rows.map(({ id, links }) => [id!, links]));
}

/** Ends all of a person's sessions and creates a one-time link that sets a new password. */
export const resetPerson = (
  deps: Deps,
  manager: Manager,
  id: string,
  deliver?: Deliver,
): Promise<Invitation> =>
  inUnit(deps, async (unit) => {
    refusePasswords(unit);
    const user = await lockPerson(unit.store, manager, id);
    refuseAdministrator(manager, user);
    const { by } = manager.session.caller;
    const kind = user.passwordHash === null ? "invite" : "password";
    return resetPassword(unit, user, by, handOver(kind, by, deliver));
  });

/**
 * Deletes the account of an owner, who types its e-mail and proves their identity.
 * @throws VALIDATION_ERROR for another e-mail than the account's, and for a wrong password or code;
 * CONFLICT when the installation would have no administrator; FORBIDDEN when an administrator is in the account and
 * the owner is not one
 */
export async function deleteOwnAccount(
  deps: SignInDeps,
  session: Session,
  { email, ...proof }: AccountDeletion,
): Promise<void> {
  const { accountId, by } = session.caller;
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  if (email.trim().toLowerCase() !== account.email.toLowerCase()) {
    throw invalid({ email: [`must be the account's e-mail, ${account.email}`] });
  }
  await reauthenticate(deps, session, proof);
  await deleteAccount(deps, accountId, by, async (tx) => {
    await refuseFormerManager(tx, { session, as: "owner" });
    const isAdmin = eq(users.isAdmin, true);
    const here = await tx.$count(users, and(isAdmin, eq(users.accountId, accountId)));
    if (here === 0) return;
    if (!session.user.isAdmin) {
      throw new AppError(
        "FORBIDDEN",
        "An administrator of the installation is in this account. Ask an administrator to delete it.",
      );
    }
    const elsewhere = await tx.$count(users, and(isAdmin, ne(users.accountId, accountId)));
    if (elsewhere > 0) return;
    throw conflict(
      "The installation would have no administrator. Make someone in another account an administrator first.",
      { reason: "last_administrator" },
    );
  });
}

/** Refuses someone who has lost their rights since their session was read. @throws FORBIDDEN */
export async function refuseFormerManager(
  tx: Store,
  { session: { user }, as }: Manager,
): Promise<void> {
  const [now] = await tx.select().from(users).where(eq(users.id, user.id));
  if (as === "administrator" ? now?.isAdmin : now?.role === "owner") return;
  throw new AppError(
    "FORBIDDEN",
    as === "owner"
      ? "You are no longer an owner of the account."
      : "You are no longer an administrator of the installation.",
  );
}

/**
 * Locks a person's account and the manager's, so that two owners or administrators who remove each other's rights take
 * turns, and returns the person. An owner finds only people of their own account.
 */
async function lockPerson(tx: Store, manager: Manager, id: string): Promise<UserRow> {
  const { session, as } = manager;
  const isIt = eq(users.id, parseId(id) ?? "");
  const isTheirs = as === "owner" ? and(isIt, eq(users.accountId, session.user.accountId)) : isIt;
  const [found] = await tx.select().from(users).where(isTheirs);
  if (!found) throw notFound("user");
  await lockAccountOf(tx, found.accountId, manager, "user");
  const [user] = await tx.select().from(users).where(isTheirs);
  if (!user) throw notFound("user");
  await refuseFormerManager(tx, manager);
  return asShown(user);
}

/** @throws NOT_FOUND when the account is being deleted */
async function lockAccountOf(tx: Store, id: string, { session }: Manager, what: string) {
  const isIt = eq(accounts.id, id);
  const [account] = await tx.select({ no: accounts.no }).from(accounts).where(isIt);
  if (account) await lockAccounts(tx, [account.no, session.caller.accountNo]);
  if ((await tx.$count(accounts, isIt)) === 0) throw notFound(what);
}

const isOneself = ({ session }: Manager, { id }: UserRow) => id === session.user.id;

/** An administrator can read all accounts, so an owner who is not one cannot remove them or sign in as them. */
function refuseAdministrator({ session, as }: Manager, { isAdmin, email }: UserRow) {
  if (as === "administrator" || session.user.isAdmin || !isAdmin) return;
  throw new AppError(
    "FORBIDDEN",
    `${email} is an administrator of the installation. Ask another administrator to do this.`,
  );
}

/** Otherwise the next sign-in would undo the change. */
async function refuseRoleByProvider({ config, store }: Unit, { id, email }: UserRow) {
  const oidc = oidcOf(config);
  if (!oidc?.roles) return;
  if ((await store.$count(identities, eq(identities.userId, id))) === 0) return;
  throw conflict(`The groups at ${oidc.name} decide what ${email} may do. Change them there.`, {
    reason: "set_by_provider",
  });
}

async function refuseLastOwner(tx: Store, user: UserRow) {
  if (!(await isLastOwner(tx, user))) return;
  throw conflict(
    `${user.email} is the account's last owner. Make another person an owner first, or delete the account.`,
    { reason: "last_owner" },
  );
}

const ownRights = ({ as }: Manager) =>
  conflict(
    as === "owner"
      ? "You cannot remove yourself. Ask another owner of the account."
      : "You cannot change your own rights. Ask another administrator.",
    { reason: "own_rights" },
  );
