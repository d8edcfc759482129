import { and, eq, exists, type SQL } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { type UserRow, users } from "../db/tables.ts";
import { AppError, conflict } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import type { Session } from "./sessions.ts";

/** Who manages people: an owner those of the own account, an administrator everybody's. */
export type Manager = { session: Session; as: "owner" | "administrator" };

/** Whether they may still, when the statement runs. */
export const mayStill = (store: Store, manager: Manager): SQL =>
  exists(store.select({ id: users.id }).from(users).where(isStill(manager)));

/** Why a change was not made. @param user as they are now */
export async function refusalOf(deps: Deps, manager: Manager, user: UserRow): Promise<AppError> {
  if (!(await manages(deps, manager))) return noLonger(manager);
  return isOutOfReach(manager, user) ? outOfReach(user) : lastOwner(user);
}

export async function manages({ store }: Deps, manager: Manager): Promise<boolean> {
  const found = await store.select({ id: users.id }).from(users).where(isStill(manager));
  return found.length > 0;
}

export const noLonger = ({ as }: Manager) =>
  new AppError(
    "FORBIDDEN",
    as === "owner"
      ? "You are no longer an owner of the account."
      : "You are no longer an administrator of the installation.",
  );

/** Whoever could get in as an administrator would have all accounts, so an owner has no hand in it. */
export const isWithinReach = ({ session, as }: Manager): SQL | undefined =>
  as === "administrator" || session.user.isAdmin ? undefined : eq(users.isAdmin, false);

/** @throws FORBIDDEN when an owner is about to remove, or to let somebody in as, an administrator */
export function refuseOutOfReach(manager: Manager, user: UserRow) {
  if (isOutOfReach(manager, user)) throw outOfReach(user);
}

const isOutOfReach = ({ session, as }: Manager, user: UserRow) =>
  as === "owner" && !session.user.isAdmin && user.isAdmin;

const outOfReach = ({ email }: UserRow) =>
  new AppError(
    "FORBIDDEN",
    `${email} is an administrator of the installation. Another administrator can do this.`,
  );

/** For whoever is about to take away their own rights. */
export const ownRights = ({ as }: Manager) =>
  conflict(
    as === "owner"
      ? "This is you. Another owner of the account can remove you."
      : "These are your own rights. Another administrator can change them.",
    { reason: "own_rights" },
  );

const lastOwner = ({ email }: UserRow) =>
  conflict(
    `${email} is the account's last owner. Make somebody else an owner first, or delete the account.`,
    { reason: "last_owner" },
  );

const isStill = ({ session: { user }, as }: Manager) =>
  as === "administrator"
    ? and(eq(users.id, user.id), eq(users.isAdmin, true))
    : and(eq(users.id, user.id), eq(users.accountId, user.accountId), eq(users.role, "owner"));
