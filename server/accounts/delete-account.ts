import { and, eq, exists, ne, not, or, type SQL } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { accounts, users } from "../db/tables.ts";
import { AppError, conflict, invalid, notFound } from "../lib/errors.ts";
import { isThere } from "./audit/record.ts";
import { deleteAccount } from "./delete.ts";
import type { AccountDeletion } from "./people-model.ts";
import { manages, mayStill, noLonger } from "./rights.ts";
import type { Session } from "./sessions.ts";
import { proveAgain, type SignInDeps } from "./sign-in.ts";

/**
 * Deletes the account of an owner who means it and proves who they are.
 * @throws VALIDATION_ERROR for another e-mail than the account's, and for a wrong password or code;
 * CONFLICT when no one would be left to run the installation; FORBIDDEN when an administrator of the installation is in
 * the account, who only another administrator can remove
 */
export async function deleteOwnAccount(
  deps: SignInDeps,
  session: Session,
  { email, ...proof }: AccountDeletion,
): Promise<void> {
  const { store } = deps;
  const { accountId, by } = session.caller;
  const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  if (email.trim().toLowerCase() !== account.email.toLowerCase()) {
    throw invalid({ email: [`is not the account's, which is ${account.email}`] });
  }
  await proveAgain(deps, session, proof);
  const manager = { session, as: "owner" } as const;
  const may = and(
    mayStill(store, manager),
    staysAdministered(store, accountId),
    session.user.isAdmin ? undefined : not(hasAdministrator(store, accountId)),
  )!;
  if (await deleteAccount(deps, accountId, by, may)) return;
  throw (await manages(deps, manager)) ? refusal(session) : noLonger(manager);
}

const refusal = ({ user }: Session) =>
  user.isAdmin
    ? lastAdministrator()
    : new AppError(
        "FORBIDDEN",
        "An administrator of the installation is in this account. Ask an administrator to delete it.",
      );

const hasAdministrator = (store: Store, accountId: string): SQL =>
  isThere(store, users, and(eq(users.accountId, accountId), eq(users.isAdmin, true)));

/** An administrator is elsewhere, or there is none to lose. */
function staysAdministered(store: Store, accountId: string): SQL | undefined {
  const administrators = store.select({ id: users.id }).from(users);
  const isOne = eq(users.isAdmin, true);
  return or(
    exists(administrators.where(and(isOne, ne(users.accountId, accountId)))),
    not(hasAdministrator(store, accountId)),
  );
}

const lastAdministrator = () =>
  conflict(
    "Nobody would be left to run this installation. Make somebody of another account an administrator first.",
    { reason: "last_administrator" },
  );
