import { count, desc, eq, inArray } from "drizzle-orm";
import * as z from "zod";
import { emailTarget, recordChange } from "../../accounts/audit.ts";
import { deleteAccount } from "../../accounts/delete.ts";
import { type Deliver, handOver } from "../../accounts/mails.ts";
import { type Invitation, toUser, User } from "../../accounts/model.ts";
import { listPeople, refuseFormerManager } from "../../accounts/people.ts";
import { createInvitedAccount } from "../../accounts/users.ts";
import { totalLinks } from "../../ground/db/queries.ts";
import { contains } from "../../ground/db/store.ts";
import { type AccountRow, accounts, users } from "../../ground/db/tables.ts";
import { conflict, notFound } from "../../ground/lib/errors.ts";
import { optionalText, paging } from "../../ground/lib/fields.ts";
import { parseId } from "../../ground/lib/ids.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { type Page, windowOf } from "../../ground/lib/paging.ts";
import { TIERS, type Tier } from "../../ground/lib/vocabulary.ts";
import type { Actor, Session } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { makeChange } from "../../work/unit.ts";

export const Account = z.object({
  id: z.uuid(),
  email: z.string(),
  tier: z.enum(TIERS),
  links_used: z.int(),
  users: z.array(User),
  created_at: z.string(),
});
type Account = z.infer<typeof Account>;

export const AccountQuery = z.object({ search: optionalText(255).optional(), ...paging() });

/** Lists accounts, newest first. The search matches the e-mails of all their people. */
export async function listAccounts(
  deps: Deps,
  query: z.output<typeof AccountQuery>,
): Promise<Page<Account>> {
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
  return { items: await toAccounts(deps, rows), total: counted!.total };
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

export async function findAccount(deps: Deps, id: string): Promise<Account> {
  const [found] = await toAccounts(deps, [await requireAccount(deps, id)]);
  return found!;
}

/** Creates an account whose owner sets a password with a one-time link. @throws CONFLICT when the e-mail is taken */
export async function inviteOwner(
  deps: Deps,
  { email, tier = deps.config.defaultTier }: { email: string; tier?: Tier | undefined },
  by: Actor,
  deliver?: Deliver,
): Promise<Invitation> {
  const owner = { email, tier, isAdmin: false };
  const { link } = await createInvitedAccount(deps, owner, by, handOver("invite", by, deliver));
  return link;
}

export async function changeTier(deps: Deps, id: string, tier: Tier, by: Actor): Promise<Account> {
  const { no: accountNo } = await requireAccount(deps, id);
  await makeChange(deps, { accountNo }, async (unit) => {
    const account = await requireAccount(unit, id);
    if (account.tier === tier) return;
    await unit.store.update(accounts).set({ tier }).where(eq(accounts.id, account.id));
    await recordChange(unit, {
      action: "account.changed",
      by,
      accountId: account.id,
      target: emailTarget(account),
      fields: ["tier"],
    });
  });
  return findAccount(deps, id);
}

/**
 * Deletes an account with its links, history and people. Administrators cannot delete their own account, so one always
 * remains, even if two delete each other's at the same time.
 * @throws NOT_FOUND; CONFLICT for the administrator's own account
 */
export async function removeAccount(deps: Deps, by: Session, id: string): Promise<void> {
  const account = await requireAccount(deps, id);
  if (account.id === by.caller.accountId) {
    throw conflict("You cannot delete your own account. Ask another administrator.", {
      reason: "own_account",
    });
  }
  await deleteAccount(deps, account.id, by.caller.by, (tx) =>
    refuseFormerManager(tx, { session: by, as: "administrator" }),
  );
}

async function toAccounts(deps: Deps, rows: AccountRow[]): Promise<Account[]> {
  const ids = rows.map(({ id }) => id);
  const people = Map.groupBy(await listPeople(deps, ids), ({ accountId }) => accountId);
  return Promise.all(
    rows.map(async ({ id, no, email, tier, createdAt }) => ({
      id,
      email,
      tier,
      links_used: (await totalLinks(deps, no)).total,
      users: (people.get(id) ?? []).map(toUser),
      created_at: toIso(createdAt),
    })),
  );
}
