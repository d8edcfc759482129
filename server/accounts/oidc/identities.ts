import { and, asc, count, eq, gte, like } from "drizzle-orm";
import type { Oidc } from "../../ground/config/oidc.ts";
import { isDuplicate } from "../../ground/db/store.ts";
import { audit, identities, type UserRow, users } from "../../ground/db/tables.ts";
import { conflict, notFound } from "../../ground/lib/errors.ts";
import { hashToken, newIdAt } from "../../ground/lib/ids.ts";
import { ROLES } from "../../ground/lib/vocabulary.ts";
import { OPERATOR, type Session } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { inUnit } from "../../work/unit.ts";
import { recordPersonChange } from "../audit.ts";
import { queueChangeMail } from "../mails.ts";
import { SESSION_ID_LENGTH } from "../model.ts";
import { endSessionsOf } from "../sessions.ts";

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
  inUnit(deps, async (unit) => {
    const { store } = unit;
    const [user] = await store.select().from(users).where(eq(users.id, id));
    const all = await listIdentities(unit, id);
    const found = all.find((each) => idOf(each) === identityId);
    if (!user || !found) throw notFound("identity");
    if (user.passwordHash === null && all.length === 1) {
      throw conflict("This is your only way to sign in. Set a password first.", {
        reason: "only_way_in",
      });
    }
    await store.delete(identities).where(isIdentity(found));
    const change = { action: "person.identity_unlinked" } as const;
    await recordPersonChange(unit, caller.by, user, change);
    await queueChangeMail(unit, user, "identity_unlinked");
  });

const isIdentity = ({ issuer, subject }: Identity) =>
  and(eq(identities.issuer, issuer), eq(identities.subject, subject));

/**
 * Links an identity of the issuer to a person, for the operator.
 * @throws CONFLICT when it is linked to someone else
 */
export const linkByOperator = (
  deps: Deps,
  user: UserRow,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> =>
  inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    const now = clock.now();
    const row = { issuer, subject, userId: user.id, linkedAt: now, lastSeenAt: now };
    const added = await store.insert(identities).values(row).onConflictDoNothing().returning();
    if (added.length === 0) {
      const [found] = await store.select().from(identities).where(isIdentity(row));
      if (found?.userId === user.id) return;
      throw conflict("This subject is linked to another user. Unlink it there first.", {
        reason: "identity_taken",
      });
    }
    await recordPersonChange(unit, OPERATOR, user, { action: "person.identity_linked" });
    await queueChangeMail(unit, user, "identity_linked");
  });

/** Removes all identities of a person, for the operator, and ends their sessions. Returns how many they were. */
export const unlinkByOperator = (deps: Deps, user: UserRow): Promise<number> =>
  inUnit(deps, async (unit) => {
    const { store } = unit;
    const gone = await store.delete(identities).where(eq(identities.userId, user.id)).returning();
    if (gone.length === 0) return 0;
    await endSessionsOf(store, user.id);
    await recordPersonChange(unit, OPERATOR, user, { action: "person.identity_unlinked" });
    await queueChangeMail(unit, user, "identity_unlinked");
    return gone.length;
  });

export const countIdentities = ({ store }: Pick<Deps, "store">, issuer: string): Promise<number> =>
  store.$count(identities, eq(identities.issuer, issuer));

/**
 * Gives all identities of one issuer to another, for the operator who knows that subjects stay the same. Returns how many
 * they were.
 * @throws CONFLICT when both have an identity with the same subject
 */
export const moveIdentities = (
  { store }: Pick<Deps, "store">,
  { from, to }: { from: string; to: string },
): Promise<number> =>
  store
    .update(identities)
    .set({ issuer: to })
    .where(eq(identities.issuer, from))
    .returning()
    .then(
      (moved) => moved.length,
      (error) => {
        if (!isDuplicate(error)) throw error;
        throw conflict(
          "Someone has already signed in at the new issuer with one of these subjects.",
          { reason: "identity_taken" },
        );
      },
    );

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
