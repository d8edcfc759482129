import { and, asc, eq, ne, or } from "drizzle-orm";
import type { Oidc } from "../../ground/config/oidc.ts";
import { lockAccounts, lockAdministration } from "../../ground/db/queries.ts";
import { isDuplicate, type Store } from "../../ground/db/store.ts";
import { accounts, identities, sessions, type UserRow, users } from "../../ground/db/tables.ts";
import { parseId } from "../../ground/lib/ids.ts";
import { log } from "../../ground/lib/log.ts";
import type { Actor, Session } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { inUnit, type Unit } from "../../work/unit.ts";
import { fieldsOf, recordPersonChange } from "../audit.ts";
import { takeFailures } from "../failed-sign-ins.ts";
import { queueChangeMail } from "../mails.ts";
import { MOST_PEOPLE } from "../people.ts";
import { createSession, endSessionsOf, type SignedIn, type Visitor } from "../sessions.ts";
import { findLinkedUser, noteVerified, PROOF_MS } from "../sign-in.ts";
import {
  createFirstAccount,
  deletePasswordLinks,
  freshUser,
  isLastOwner,
  isSetupToken,
} from "../users.ts";
import type { Claims } from "./claims.ts";
import { SignInProblem } from "./problems.ts";
import { type Rights, rightsOf } from "./roles.ts";

/** Someone that the provider has vouched for. */
export type Arrival = {
  oidc: Oidc;
  claims: Claims;
  idToken: string;
  visitor: Visitor;
};

/** Longer ones are not kept for signing out at the provider. */
const LONGEST_ID_TOKEN = 8192;

/**
 * Signs in the person who has the identity, or adds them to the account if that is allowed.
 * @throws SignInProblem
 */
export const arrive = (deps: Deps, arrival: Arrival): Promise<SignedIn> =>
  inOneTransaction(deps, arrival, async (unit) => {
    const known = await findIdentified(unit.store, arrival.claims);
    return enter(unit, arrival, known ?? (await join(unit, arrival)));
  });

/** The same for someone who follows an invitation: binds the identity to the invited person. @throws SignInProblem */
export const acceptInvitation = (deps: Deps, arrival: Arrival, token: string): Promise<SignedIn> =>
  inOneTransaction(deps, arrival, async (unit) => {
    const found = await findLinkedUser(unit, token);
    if (!found) throw new SignInProblem("expired", "The invitation was used or has expired.");
    await bind(unit, arrival, found.user);
    if (found.isMailed) await noteVerified(unit.store, found.user.id, deps.clock.now());
    await deletePasswordLinks(unit.store, found.user.id);
    return enter(unit, arrival, found.user);
  });

/** The same for the person with the set-up token, who becomes the first owner. @throws SignInProblem */
export const setUpByIdentity = (deps: Deps, arrival: Arrival, token: string): Promise<SignedIn> =>
  inOneTransaction(deps, arrival, async (unit) => {
    if (!(await isSetupToken(unit, token))) {
      throw new SignInProblem("expired", "The set-up token is wrong, or there is an account.");
    }
    const email = addressOf(arrival.claims);
    const { address } = arrival.visitor;
    const owner = await createFirstAccount(unit, { email, passwordHash: null, address });
    await bind(unit, arrival, owner);
    return enter(unit, arrival, owner);
  });

/** Links the identity to the person who is signed in. @throws SignInProblem */
export const linkIdentity = (deps: Deps, arrival: Arrival, { user }: Session): Promise<void> =>
  inOneTransaction(deps, arrival, async (unit) => {
    const [now] = await unit.store.select().from(users).where(eq(users.id, user.id));
    if (!now) throw new SignInProblem("expired", "The person was removed.");
    await bind(unit, arrival, now);
    await update(unit, arrival, now);
  });

/** Notes in the session that its person has just signed in at the provider again. @throws SignInProblem */
export async function proveByIdentity(
  { store, clock }: Deps,
  { claims }: Arrival,
  { user, tokenHash }: Session,
): Promise<void> {
  const known = await findIdentified(store, claims);
  if (known?.id !== user.id) {
    throw new SignInProblem("other_person", "The identity is not the one of the session.");
  }
  const { auth_time: signedInAt, iat } = claims;
  if (signedInAt === undefined) {
    throw new SignInProblem("not_proved", "The ID token has no auth_time.");
  }
  // Both by the provider's clock. The token has just been issued.
  const ageMs = (iat - signedInAt) * 1000;
  if (!(ageMs < PROOF_MS)) throw new SignInProblem("expired", "auth_time is too old.", { ageMs });
  await store
    .update(sessions)
    .set({ provedAt: clock.now() })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.userId, user.id)));
}

/**
 * Runs the work in a transaction, again if someone with the same identity was added meanwhile. A person without a role
 * loses their sessions.
 */
async function inOneTransaction<T>(
  deps: Deps,
  arrival: Arrival,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  const once = () => inUnit(deps, work);
  try {
    return await once().catch((error) => {
      if (isDuplicate(error)) return once();
      throw error;
    });
  } catch (error) {
    if (error instanceof SignInProblem && error.problem === "no_role") {
      await endSessionsOfIdentity(deps, arrival);
    }
    throw error;
  }
}

async function endSessionsOfIdentity(deps: Deps, { claims, visitor }: Arrival): Promise<void> {
  const user = await findIdentified(deps.store, claims);
  if (!user) return;
  await inUnit(deps, async (unit) => {
    const count = await unit.store.$count(sessions, eq(sessions.userId, user.id));
    await endSessionsOf(unit.store, user.id);
    const change = { action: "person.sessions_ended", count } as const;
    await recordPersonChange(unit, actorOf(user, visitor), user, change);
  });
}

async function findIdentified(store: Store, { iss, sub }: Claims): Promise<UserRow | undefined> {
  const [found] = await store
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(isIdentity(iss, sub));
  return found?.user;
}

const isIdentity = (issuer: string, subject: string) =>
  and(eq(identities.issuer, issuer), eq(identities.subject, subject));

/** Starts a session of a person who has the identity. */
async function enter(unit: Unit, arrival: Arrival, user: UserRow): Promise<SignedIn> {
  const { oidc, idToken, visitor } = arrival;
  const { store, clock, secrets } = unit;
  const now = clock.now();
  const current = await update(unit, arrival, user);
  const failed = await takeFailures(unit, current);
  await recordPersonChange(unit, actorOf(current, visitor), current, {
    action: "person.signed_in",
    fields: ["oidc"],
  });
  await store.delete(sessions).where(eq(sessions.tokenHash, visitor.sessionHash ?? ""));
  const isKept = oidc.logout && idToken.length <= LONGEST_ID_TOKEN;
  const token = await createSession(store, user.id, now, {
    userAgent: visitor.userAgent,
    failed,
    via: "oidc",
    endsAt: now + oidc.sessionMs,
    idToken: isKept ? secrets.seal(idToken) : null,
  });
  return { token, user: current, failed };
}

/** Gives the identity to a person. @throws SignInProblem when it is another's */
async function bind(unit: Unit, { claims, visitor }: Arrival, user: UserRow): Promise<void> {
  const owner = await findIdentified(unit.store, claims);
  if (owner && owner.id !== user.id) {
    throw new SignInProblem("identity_taken", "The identity is linked to another user.");
  }
  if (owner) return;
  await insertIdentity(unit, claims, user);
  const change = { action: "person.identity_linked" } as const;
  await recordPersonChange(unit, actorOf(user, visitor), user, change);
  if (user.passwordHash !== null) await queueChangeMail(unit, user, "identity_linked");
}

async function insertIdentity({ store, clock }: Deps, { iss, sub }: Claims, user: UserRow) {
  const now = clock.now();
  const at = { linkedAt: now, lastSeenAt: now };
  await store.insert(identities).values({ issuer: iss, subject: sub, userId: user.id, ...at });
}

/** Adds a new person to the account of the settings. @throws SignInProblem */
async function join(unit: Unit, { oidc, claims, visitor }: Arrival): Promise<UserRow> {
  if (!oidc.signUp) {
    throw new SignInProblem("unknown_person", "No user has this identity.", {
      subject: claims.sub,
    });
  }
  const email = addressOf(claims);
  if (claims.email_verified === false) {
    throw new SignInProblem("email_unverified", "email_verified is false.");
  }
  refuseDomain(oidc, claims, email);
  const rights: Rights = rightsOf(oidc, claims) ?? { role: oidc.defaultRole, isAdmin: false };
  const { store, clock } = unit;
  const account = await accountOf(store, oidc);
  await lockAccounts(store, [account.no]);
  const count = await store.$count(users, eq(users.accountId, account.id));
  if (count >= MOST_PEOPLE) {
    throw new SignInProblem("account_full", `The account has ${count} people.`);
  }
  const now = clock.now();
  const of = { accountId: account.id, email, createdAt: now, ...rights };
  const emailVerifiedAt = claims.email_verified === true ? now : null;
  const user = { ...freshUser(of), ...rights, emailVerifiedAt };
  const added = await store.insert(users).values(user).onConflictDoNothing().returning();
  if (added.length === 0) {
    throw new SignInProblem("email_taken", "A user has this e-mail address already.", {
      subject: claims.sub,
    });
  }
  await insertIdentity(unit, claims, user);
  const change = { action: "person.joined" } as const;
  await recordPersonChange(unit, actorOf(user, visitor), user, change);
  return user;
}

/** @throws SignInProblem */
function addressOf({ email }: Claims): string {
  if (email !== undefined) return email;
  throw new SignInProblem("email_missing", "The claims have no e-mail address.");
}

/** Google tells the organization apart from the address; at others only a verified address shows it. */
function refuseDomain({ domains, issuer }: Oidc, claims: Claims, email: string) {
  if (!domains) return;
  const isGoogle = new URL(issuer).host === "accounts.google.com";
  if (!isGoogle && claims.email_verified !== true) {
    throw new SignInProblem("email_unverified", "email_verified is not true.");
  }
  const domain = isGoogle ? (claims.hd ?? "") : email.slice(email.lastIndexOf("@") + 1);
  if (domains.includes(domain.toLowerCase())) return;
  throw new SignInProblem("unknown_person", `The domain ${domain || "(none)"} is not allowed.`);
}

async function accountOf(store: Store, { account }: Oidc) {
  const isIt =
    account === null
      ? undefined
      : or(eq(accounts.id, parseId(account) ?? ""), eq(accounts.email, account.toLowerCase()));
  const found = await store.select().from(accounts).where(isIt).orderBy(asc(accounts.no)).limit(2);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw new SignInProblem(
    "no_account",
    account === null
      ? "There is not exactly one account; set STILLUP_OIDC_ACCOUNT."
      : "STILLUP_OIDC_ACCOUNT names no account.",
  );
}

/** Brings role and address up to date with the claims. Returns the user as they are then. */
async function update(unit: Unit, arrival: Arrival, user: UserRow): Promise<UserRow> {
  const { claims, oidc } = arrival;
  const { store, clock } = unit;
  const rights = rightsOf(oidc, claims);
  await store
    .update(identities)
    .set({ lastSeenAt: clock.now() })
    .where(isIdentity(claims.iss, claims.sub));
  const changed = await syncAddress(unit, arrival, user);
  return rights ? syncRights(unit, arrival, changed, rights) : changed;
}

/** The last owner of an account, and the last administrator, keep their rights. */
async function syncRights(
  unit: Unit,
  { visitor, oidc }: Arrival,
  user: UserRow,
  wanted: Rights,
): Promise<UserRow> {
  const { store, troubles } = unit;
  const reported = troubles.all().find(({ name }) => name === "oidc_roles");
  if (reported?.message.includes(user.email)) {
    unit.afterCommit(() => troubles.set("oidc_roles", null));
  }
  if (wanted.role === user.role && wanted.isAdmin === user.isAdmin) return user;
  const [account] = await store.select().from(accounts).where(eq(accounts.id, user.accountId));
  await lockAdministration(store, account?.no ?? 0);
  const keepsRole = wanted.role !== "owner" && (await isLastOwner(store, user));
  const keepsAdmin = user.isAdmin && !wanted.isAdmin && (await isLastAdministrator(store, user));
  const rights = {
    role: keepsRole ? user.role : wanted.role,
    isAdmin: keepsAdmin || wanted.isAdmin,
  };
  const what = keepsRole ? "last owner of an account" : "last administrator";
  const present = { role: user.role, is_admin: user.isAdmin };
  const fields = fieldsOf({ role: rights.role, is_admin: rights.isAdmin }, present);
  if (fields.length > 0) await store.update(users).set(rights).where(eq(users.id, user.id));
  const change = { action: "person.role_synced", fields } as const;
  await recordPersonChange(unit, actorOf(user, visitor), user, change);
  if (keepsRole || keepsAdmin) {
    const problem = `By their groups at ${oidc.name}, ${user.email} would lose their rights, but they are the ${what}. Give someone else these rights first, or correct STILLUP_OIDC_ROLES.`;
    unit.afterCommit(() => troubles.set("oidc_roles", problem));
    const kept = { action: "person.role_kept" } as const;
    await recordPersonChange(unit, actorOf(user, visitor), user, kept);
  }
  return { ...user, ...rights };
}

const isLastAdministrator = async (store: Store, { id }: UserRow): Promise<boolean> =>
  (await store.$count(users, and(eq(users.isAdmin, true), ne(users.id, id)))) === 0;

/** Takes a verified address over if no one else has it. The identity stays with the person in any case. */
async function syncAddress(
  unit: Unit,
  { claims, visitor }: Arrival,
  user: UserRow,
): Promise<UserRow> {
  const { store, clock } = unit;
  const { email } = claims;
  if (email === undefined || claims.email_verified !== true) return user;
  const emailVerifiedAt = clock.now();
  if (email === user.email) {
    await noteVerified(store, user.id, emailVerifiedAt);
    return user;
  }
  if (user.invitedEmail !== null || (await store.$count(users, eq(users.email, email))) > 0) {
    log.warning("e-mail address of the provider is taken", { user: user.id });
    return user;
  }
  await store.update(users).set({ email, emailVerifiedAt }).where(eq(users.id, user.id));
  const change = { action: "person.email_changed" } as const;
  await recordPersonChange(unit, actorOf(user, visitor), user, change);
  await queueChangeMail(unit, user, "email");
  return { ...user, email, emailVerifiedAt };
}

const actorOf = ({ id, email }: UserRow, { address }: Visitor): Actor => ({
  kind: "user",
  id,
  name: email,
  address,
});
