import { and, count, desc, eq, inArray, ne } from "drizzle-orm";
import { isThere, recordChange } from "../../accounts/audit/record.ts";
import { emailTarget } from "../../accounts/audit/targets.ts";
import { deleteAccount } from "../../accounts/delete.ts";
import { type Invitation, listPeople } from "../../accounts/people.ts";
import { manages, mayStill, noLonger } from "../../accounts/rights.ts";
import type { Session } from "../../accounts/sessions.ts";
import { createInvitedAccount } from "../../accounts/users.ts";
import type { Actor } from "../../api/caller.ts";
import { holdAccounts } from "../../db/hold.ts";
import { totalLinks } from "../../db/numbers.ts";
import { contains } from "../../db/store.ts";
import { type AccountRow, accounts, type Tier, users } from "../../db/tables.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { parseId } from "../../lib/ids.ts";
import { type Page, windowOf } from "../../lib/paging.ts";
import type { Deps } from "../../work/deps.ts";
import type { AccountQuery, AdminAccount } from "./model.ts";

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
  by: Actor,
): Promise<Invitation> {
  const { token } = await createInvitedAccount(deps, { email, tier, isAdmin: false }, by);
  return { email, token };
}

export async function changeTier(
  deps: Deps,
  id: string,
  tier: Tier,
  by: Actor,
): Promise<AdminAccount> {
  const { store } = deps;
  const account = await requireAccount(deps, id);
  const isOther = and(eq(accounts.id, account.id), ne(accounts.tier, tier));
  await store.write([
    ...holdAccounts(store, [account.no]),
    recordChange(deps, {
      action: "account.changed",
      by,
      accountId: account.id,
      target: emailTarget(account),
      fields: ["tier"],
      onlyIf: isThere(store, accounts, isOther),
    }),
    store.update(accounts).set({ tier }).where(isOther),
  ]);
  return findAdminAccount(deps, account.id);
}

/**
 * The account goes with its links, their history and its people. Since nobody deletes their own, an
 * administrator stays, also of two who delete each other's at once.
 * @throws CONFLICT for one's own
 */
export async function removeAccount(deps: Deps, by: Session, id: string): Promise<void> {
  const account = await requireAccount(deps, id);
  if (account.id === by.caller.accountId) {
    throw conflict("This is your own account. Another administrator can delete it.", {
      reason: "own_account",
    });
  }
  const manager = { session: by, as: "administrator" } as const;
  const may = mayStill(deps.store, manager);
  if (await deleteAccount(deps, account.id, by.caller.by, may)) return;
  throw (await manages(deps, manager)) ? notFound("account") : noLonger(manager);
}

async function withPeople(deps: Deps, rows: AccountRow[]): Promise<AdminAccount[]> {
  const people = await listPeople(
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
