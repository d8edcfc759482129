import { and, count, eq, exists, gt, ne, or, sql } from "drizzle-orm";
import { createPasswordLink, resetPassword } from "../accounts/users.ts";
import type { Deps } from "../deps.ts";
import { AppError, conflict, notFound } from "../lib/errors.ts";
import { newId, parseId } from "../lib/ids.ts";
import type { Session } from "../session/sessions.ts";
import { holdAccounts } from "../store/hold.ts";
import { isDuplicate, type Statement } from "../store/store.ts";
import { type UserRow, users } from "../store/tables.ts";
import { type Invitation, requireAccount } from "./accounts.ts";
import type { PersonChange } from "./model.ts";

/** Adds someone to an account, who sets a password by a one-time link. @throws CONFLICT for a known e-mail */
export async function invitePerson(
  deps: Deps,
  accountId: string,
  { email, role }: Pick<UserRow, "email" | "role">,
): Promise<Invitation> {
  const account = await requireAccount(deps, accountId);
  const person: UserRow = {
    id: newId(),
    accountId: account.id,
    ...{ email, role, passwordHash: null, isAdmin: false },
    createdAt: deps.clock.now(),
    ...{ totpSecret: null, totpPending: null, totpStep: null },
  };
  await deps.store
    .insert(users)
    .values(person)
    .catch((error) => {
      if (!isDuplicate(error)) throw error;
      throw conflict(`There is a user ${email} already.`, { reason: "duplicate_email" });
    });
  return { email, token: await createPasswordLink(deps, person) };
}

/**
 * Changes what someone may do.
 * @throws CONFLICT where an account would be left without an owner, or for one's own administration
 */
export async function changePerson(
  deps: Deps,
  by: Session,
  id: string,
  { role, is_admin: isAdmin }: PersonChange,
): Promise<UserRow> {
  const user = await requirePerson(deps, id);
  if (user.id === by.user.id && isAdmin === false) throw ownRights();
  if (role === undefined && isAdmin === undefined) return user;
  const losesOwner = role !== undefined && role !== "owner";
  const update = deps.store
    .update(users)
    .set({ ...(role && { role }), ...(isAdmin !== undefined && { isAdmin }) })
    .where(
      and(
        eq(users.id, user.id),
        administers(deps, by),
        losesOwner ? staysOwned(deps, user) : undefined,
      ),
    )
    .returning();
  return settle(deps, by, user, update);
}

/**
 * What they made stays with the account, which is why it keeps an owner.
 * @throws CONFLICT for its last owner, and for oneself
 */
export async function removePerson(deps: Deps, by: Session, id: string): Promise<void> {
  const user = await requirePerson(deps, id);
  if (user.id === by.user.id) throw ownRights();
  const removal = deps.store
    .delete(users)
    .where(and(eq(users.id, user.id), administers(deps, by), staysOwned(deps, user)))
    .returning();
  await settle(deps, by, user, removal);
}

/** Ends all of their sessions, and gives the token of a link that sets a new password, once. */
export async function resetPerson(deps: Deps, id: string): Promise<Invitation> {
  const user = await requirePerson(deps, id);
  return { email: user.email, token: await resetPassword(deps, user) };
}

async function requirePerson({ store }: Deps, id: string): Promise<UserRow> {
  const [user] = await store
    .select()
    .from(users)
    .where(eq(users.id, parseId(id) ?? ""));
  if (!user) throw notFound("user");
  return user;
}

/**
 * Holds both accounts first, so that of two owners who are demoted at once one stays, and likewise of two
 * administrators who take away each other's rights.
 */
async function settle(
  deps: Deps,
  by: Session,
  user: UserRow,
  change: PromiseLike<UserRow[]> & Statement,
): Promise<UserRow> {
  const { store } = deps;
  const account = await requireAccount(deps, user.accountId);
  const [hold] = holdAccounts(store, [account.no, by.caller.accountNo]);
  const [changed] = hold ? (await store.batch([hold, change]))[1] : await change;
  if (changed) return changed;
  throw (await isAdministrator(deps, by)) ? lastOwner(user) : noLonger();
}

const isStill = (by: Session) => and(eq(users.id, by.user.id), eq(users.isAdmin, true));

const administers = ({ store }: Deps, by: Session) =>
  exists(store.select({ id: users.id }).from(users).where(isStill(by)));

const isAdministrator = async ({ store }: Deps, by: Session) =>
  (await store.select({ id: users.id }).from(users).where(isStill(by))).length > 0;

const noLonger = () =>
  new AppError("FORBIDDEN", "You are no longer an administrator of the installation.");

const staysOwned = ({ store }: Deps, user: UserRow) =>
  or(
    ne(users.role, "owner"),
    gt(
      sql`(${store
        .select({ owners: count() })
        .from(users)
        .where(and(eq(users.accountId, user.accountId), eq(users.role, "owner")))})`,
      1,
    ),
  );

const ownRights = () =>
  conflict("These are your own rights. Another administrator can change them.", {
    reason: "own_rights",
  });

const lastOwner = ({ email }: UserRow) =>
  conflict(
    `${email} is the account's last owner. Make somebody else an owner first, or delete the account.`,
    {
      reason: "last_owner",
    },
  );
