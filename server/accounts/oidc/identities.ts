import { and, asc, count, eq, gte, like } from "drizzle-orm";
import type { Session } from "../../api/caller.ts";
import type { Oidc } from "../../config/oidc.ts";
import { audit, identities, ROLES, users } from "../../db/tables.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { hashToken, newIdAt } from "../../lib/ids.ts";
import type { Deps } from "../../work/deps.ts";
import { recordPersonChange } from "../audit.ts";
import { queueChangeMail } from "../mails.ts";
import { SESSION_ID_LENGTH } from "../model.ts";

type Identity = typeof identities.$inferSelect;

/** A short name of an identity that reveals neither issuer nor subject. */
export const idOf = ({ issuer, subject }: Pick<Identity, "issuer" | "subject">): string =>
  hashToken(`${issuer} ${subject}`).slice(0, SESSION_ID_LENGTH);

/** Lists a person's identities, oldest first. */
export const listIdentities = (
  { store }: Pick<Deps, "store">,
  userId: string,
): Promise<Identity[]> =>
  store
    .select()
    .from(identities)
    .where(eq(identities.userId, userId))
    .orderBy(asc(identities.linkedAt), asc(identities.subject));

/**
 * Removes one of the person's own identities.
 * @throws NOT_FOUND; CONFLICT when it is their only way to sign in
 */
export const unlinkIdentity = (
  deps: Deps,
  { user: { id }, caller }: Session,
  identityId: string,
): Promise<void> =>
  deps.store.transaction(async (tx) => {
    const at = { ...deps, store: tx };
    const [user] = await tx.select().from(users).where(eq(users.id, id));
    const all = await listIdentities(at, id);
    const found = all.find((each) => idOf(each) === identityId);
    if (!user || !found) throw notFound("identity");
    if (user.passwordHash === null && all.length === 1) {
      throw conflict("This is your only way to sign in. Set a password first.", {
        reason: "only_way_in",
      });
    }
    await tx.delete(identities).where(isIdentity(found));
    const change = { action: "person.identity_unlinked" } as const;
    await recordPersonChange(at, caller.by, user, change);
    await queueChangeMail(at, user, "identity_unlinked");
  });

const isIdentity = ({ issuer, subject }: Identity) =>
  and(eq(identities.issuer, issuer), eq(identities.subject, subject));

const WEEK_MS = 7 * 86_400_000;

/** What administrators see of single sign-on. */
export async function readUse({ store, clock }: Pick<Deps, "store" | "clock">, { issuer }: Oidc) {
  const rows = await store
    .select({ role: users.role, isAdmin: users.isAdmin, people: count() })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(eq(identities.issuer, issuer))
    .groupBy(users.role, users.isAdmin);
  const peopleWith = (isIt: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(isIt).reduce((sum, { people }) => sum + Number(people), 0);
  const isSignIn = and(
    gte(audit.id, newIdAt(clock.now() - WEEK_MS)),
    eq(audit.action, "person.signed_in"),
    like(audit.fields, '%"oidc"%'),
  );
  return {
    people: {
      admin: peopleWith((row) => row.isAdmin),
      ...Object.fromEntries(ROLES.map((role) => [role, peopleWith((row) => row.role === role)])),
    } as Record<"admin" | (typeof ROLES)[number], number>,
    signInsOfWeek: await store.$count(audit, isSignIn),
  };
}
