import { asc, count, desc, eq, inArray, max } from "drizzle-orm";
import { deleteAccount } from "../accounts/delete.ts";
import { createAccount, createPasswordLink } from "../accounts/users.ts";
import type { Deps } from "../deps.ts";
import { conflict, notFound } from "../lib/errors.ts";
import { parseId } from "../lib/ids.ts";
import { type Page, windowOf } from "../lib/paging.ts";
import { totalLinks } from "../links/count.ts";
import type { Session } from "../session/sessions.ts";
import { contains } from "../store/store.ts";
import { type AccountRow, accounts, sessions, type Tier, users } from "../store/tables.ts";
import type { AccountQuery, AdminAccount, Person } from "./model.ts";

/** Who was given a one-time link, and its token. */
export type Invitation = { email: string; token: string };

/** Newest first; a search finds accounts by the e-mail of any of their people. */
export async function listAccounts(deps: Deps, query: AccountQuery): Promise<Page<AdminAccount>> {
  const { store } = deps;
  const { limit, offset } = windowOf(query);
  const found = query.search
    ? store.select({ id: users.accountId }).from(users).where(contains(users.email, query.search))
    : undefined;
  const fits = found && inArray(accounts.id, found);
  const [rows, [counted]] = await store.batch([
    store
      .select()
      .from(accounts)
      .where(fits)
      .orderBy(desc(accounts.createdAt), desc(accounts.id))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(accounts).where(fits),
  ]);
  return { items: await withPeople(deps, rows), total: counted!.total };
}

/** @throws NOT_FOUND */
export async function requireAccount({ store }: Deps, id: string): Promise<AccountRow> {
  const [account] = await store
    .select()
    .from(accounts)
    .where(eq(accounts.id, parseId(id) ?? ""));
  if (!account) throw notFound("account");
  return account;
}

export async function findAdminAccount(deps: Deps, id: string): Promise<AdminAccount> {
  const [found] = await withPeople(deps, [await requireAccount(deps, id)]);
  return found!;
}

/** Makes an account whose owner sets a password by a one-time link. @throws CONFLICT for a known e-mail */
export async function inviteOwner(
  deps: Deps,
  { email, tier = deps.config.defaultTier }: { email: string; tier?: Tier | undefined },
): Promise<Invitation> {
  const { owner } = await createAccount(deps, { email, tier, passwordHash: null, isAdmin: false });
  return { email, token: await createPasswordLink(deps, owner) };
}

export async function changeTier(deps: Deps, id: string, tier: Tier): Promise<AdminAccount> {
  const account = await requireAccount(deps, id);
  await deps.store.update(accounts).set({ tier }).where(eq(accounts.id, account.id));
  return findAdminAccount(deps, account.id);
}

/** The account goes with its links, their history and its people. @throws CONFLICT for one's own */
export async function removeAccount(deps: Deps, by: Session, id: string): Promise<void> {
  const account = await requireAccount(deps, id);
  if (account.id === by.caller.accountId) {
    throw conflict("This is your own account. Another administrator can delete it.", {
      reason: "own_account",
    });
  }
  await deleteAccount(deps, account.id);
}

async function withPeople(deps: Deps, rows: AccountRow[]): Promise<AdminAccount[]> {
  const people = await peopleOf(
    deps,
    rows.map(({ id }) => id),
  );
  return Promise.all(
    rows.map(async (account) => ({
      account,
      linksUsed: (await totalLinks(deps, account.no)).total,
      people: people.filter(({ accountId }) => accountId === account.id),
    })),
  );
}

async function peopleOf({ store }: Deps, accountIds: string[]): Promise<Person[]> {
  if (accountIds.length === 0) return [];
  const lastSeen = store
    .select({ userId: sessions.userId, at: max(sessions.lastSeenAt).mapWith(Number).as("at") })
    .from(sessions)
    .groupBy(sessions.userId)
    .as("last_seen");
  const rows = await store
    .select({ user: users, at: lastSeen.at })
    .from(users)
    .leftJoin(lastSeen, eq(lastSeen.userId, users.id))
    .where(inArray(users.accountId, accountIds))
    .orderBy(asc(users.createdAt), asc(users.id));
  return rows.map(({ user, at }) => ({ ...user, lastSeenAt: at }));
}
