import {
  and,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  not,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Actor, Caller } from "../api/caller.ts";
import { type MailKind, mailAddresses, mails, type UserRow, users } from "../db/tables.ts";
import { AppError, conflict } from "../lib/errors.ts";
import { newIdAt } from "../lib/ids.ts";
import type { Deps } from "../work/deps.ts";
import type { Invitation } from "./model.ts";
import { createPasswordLink, findUser } from "./users.ts";

/** What each kind of mail is about. Names are shown as they are; nothing here opens anything. */
export type MailData = {
  /** `by` is who invites. `isTaken`: the address has an account elsewhere on this server, so the link would not work. */
  invite: { by: string; isTaken: boolean };
  /** `by` is who made the link; null for the person. */
  password: { by: string | null };
  /** The alert that a webhook with the address is. */
  confirm: { webhookId: string; name: string | null; by: string };
  changed: {
    what:
      | "password"
      | "two_factor_on"
      | "two_factor_off"
      | "identity_linked"
      | "identity_unlinked"
      | "email";
  };
  /** How many links others have assigned to the person, and who they were. */
  assigned: { count: number; by: string[] };
  /** The setting for a host that has begun to refuse what it sends. */
  host: { settingId: string };
};

/** A mail to a person. */
export type NewMail = {
  [K in MailKind]: {
    kind: K;
    accountId: string | null;
    /** Null if no user has the address: nothing is sent then. */
    userId: string | null;
    address: string;
    data: MailData[K];
  };
}[MailKind];

type Queueing = Pick<Deps, "store" | "clock" | "mail">;

/**
 * Queues a mail; call it in the transaction of the change that it reports. Does nothing while this server sends no
 * e-mail.
 * @param dueAt when it is to be sent, in milliseconds since 1970
 */
export async function queueMail(
  { store, clock, mail }: Queueing,
  message: NewMail,
  dueAt = clock.now(),
): Promise<void> {
  if (!mail) return;
  const now = clock.now();
  await store.insert(mails).values({
    ...{ ...message, id: newIdAt(now), data: JSON.stringify(message.data) },
    ...{ status: "pending", attempts: 0, dueAt, createdAt: now },
  });
}

/** Tells a person of a change of how they sign in. */
export const queueChangeMail = (
  deps: Queueing,
  { id: userId, accountId, email }: Pick<UserRow, "id" | "accountId" | "email">,
  what: MailData["changed"]["what"],
): Promise<void> =>
  queueMail(deps, { kind: "changed", accountId, userId, address: email, data: { what } });

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Time to assign more. */
const GATHER_MS = 60_000;

/** About an account's wish to write to a person. Addresses of people are in lower case, as those that have answered. */
const addressOfUser = sql`select 1 from ${mailAddresses}
  where ${mailAddresses.accountId} = ${users.accountId} and ${mailAddresses.address} = ${users.email}`;
const hasRefused = sql`exists (${addressOfUser} and ${isNotNull(mailAddresses.refusedAt)})`;

/** Whether a person has shown that the address is theirs. */
export const isProven: SQL = sql`(${isNotNull(users.emailVerifiedAt)} or exists (${addressOfUser} and ${isNotNull(mailAddresses.confirmedAt)}))`;

/** Whether a person gets mail about links that others assign to them. */
export const hearsOfLinks = and(
  eq(users.mailAssigned, true),
  isNull(users.invitedEmail),
  isProven,
  not(hasRefused),
);

/**
 * Tells people how many links someone else has assigned to them: at most once an hour, unless they do not want it. Call
 * it in the transaction of the change, which holds the lock of the account.
 * @param counts the number of links by the ids of their new assignees
 */
export async function queueAssignedMails(
  deps: Queueing,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const { store, clock, mail } = deps;
  const others = [...counts.keys()].filter((id) => by.kind !== "user" || id !== by.id);
  if (!mail || others.length === 0) return;
  const people = await store
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(and(inArray(users.id, others), hearsOfLinks));
  for (const { id: userId, email: address } of people) {
    const count = counts.get(userId)!;
    const isTheirs = and(eq(mails.userId, userId), eq(mails.address, address));
    const [last] = await store
      .select()
      .from(mails)
      // What was dropped has reached no one.
      .where(and(isTheirs, eq(mails.kind, "assigned"), ne(mails.status, "dropped")))
      .orderBy(desc(mails.createdAt), desc(mails.id))
      .limit(1);
    if (last && (await addToWaiting({ store }, last, { count, by: [by.name] }))) continue;
    const heardAt = last ? (last.completedAt ?? clock.now()) : Number.NEGATIVE_INFINITY;
    const dueAt = Math.max(clock.now() + GATHER_MS, heardAt + HOUR_MS);
    const data = { count, by: [by.name] };
    await queueMail(deps, { kind: "assigned", accountId, userId, address, data }, dueAt);
  }
}

/** @returns whether the mail still waits: not once a node sends it, which has read what it says */
async function addToWaiting(
  { store }: Pick<Queueing, "store">,
  { id, data }: { id: string; data: string },
  { count, by }: MailData["assigned"],
): Promise<boolean> {
  const before: MailData["assigned"] = JSON.parse(data);
  const after = { count: before.count + count, by: [...new Set([...before.by, ...by])] };
  const waits = and(eq(mails.id, id), eq(mails.status, "pending"), isNull(mails.lease));
  const changed = await store
    .update(mails)
    .set({ data: JSON.stringify(after) })
    .where(waits)
    .returning({ id: mails.id });
  return changed.length > 0;
}

/**
 * Tells those who can change it that a setting for a host has begun to fail. What begins within a day after the last
 * message waits until that day is over, and is not sent if it is over by then.
 */
export async function queueHostMails(
  deps: Queueing,
  failing: { settingId: string; accountId: string }[],
): Promise<void> {
  const { store, clock, mail } = deps;
  if (!mail) return;
  for (const { settingId, accountId } of failing) {
    const isSame = and(eq(mails.kind, "host"), eq(mails.data, JSON.stringify({ settingId })));
    const [last] = await store
      .select()
      .from(mails)
      .where(and(eq(mails.accountId, accountId), isSame))
      .orderBy(desc(mails.createdAt), desc(mails.id))
      .limit(1);
    if (last?.status === "pending") continue;
    const quietUntil = last ? (last.completedAt ?? last.createdAt) + DAY_MS : 0;
    const dueAt = Math.max(clock.now(), quietUntil);
    const canChange = and(eq(users.accountId, accountId), ne(users.role, "viewer"));
    const people = await store
      .select()
      .from(users)
      .where(and(canChange, isNull(users.invitedEmail), not(hasRefused)));
    for (const { id: userId, email: address } of people)
      await queueMail(
        deps,
        { kind: "host", accountId, userId, address, data: { settingId } },
        dueAt,
      );
  }
}

/** How a one-time link reaches its user: by e-mail, or through the person who asks for it. */
export type Deliver = "mail" | "link";

/** Returns a function that hands a user's one-time link over. Call that in a transaction. */
export const handOver =
  (kind: "invite" | "password", by: Actor, deliver: Deliver = "mail") =>
  async (deps: Deps, user: UserRow): Promise<Invitation> => {
    const address = user.invitedEmail ?? user.email;
    const isMailed = deps.mail !== null && deliver === "mail";
    if (!isMailed) {
      return { email: address, token: await createPasswordLink(deps, user.id), mailed: false };
    }
    const { id: userId, accountId } = user;
    const isTaken = user.invitedEmail !== null;
    const of = { accountId, userId, address };
    await queueMail(
      deps,
      kind === "invite"
        ? { ...of, kind, data: { by: by.name, isTaken } }
        : { ...of, kind, data: { by: by.name } },
    );
    return { email: address, token: null, mailed: true };
  };

/**
 * Queues a mail with a link for a new password. It takes the same time for an address that no user has: the mail to
 * that is dropped when it is due.
 * @throws CONFLICT while this server sends no e-mail
 */
export async function requestPasswordMail(deps: Deps, address: string): Promise<void> {
  if (!deps.mail) throw mailIsOff();
  const user = await findUser(deps, address);
  const [userId, accountId] = [user?.id ?? null, user?.accountId ?? null];
  await queueMail(deps, { kind: "password", accountId, userId, address, data: { by: null } });
}

export const mailIsOff = () =>
  conflict("This server sends no e-mail. Its operator can set STILLUP_SMTP_HOST.", {
    reason: "mail_off",
  });

/** Confirmations within 24 hours, so that no one can be flooded with them. */
const MOST_OF_ADDRESS = 3;
const MOST_OF_ACCOUNT = 20;

/**
 * Refuses to ask an address for a confirmation too often.
 * @throws RATE_LIMITED
 */
export async function refuseManyConfirmations(
  { store, clock }: Pick<Deps, "store" | "clock">,
  { accountId, address }: { accountId: string; address: string },
): Promise<void> {
  const isRecent = and(eq(mails.kind, "confirm"), gt(mails.createdAt, clock.now() - DAY_MS));
  const ofAddress = await store.$count(mails, and(isRecent, eq(mails.address, address)));
  if (ofAddress >= MOST_OF_ADDRESS) {
    throw tooMany(`${address} was asked ${MOST_OF_ADDRESS} times within 24 hours`);
  }
  const ofAccount = await store.$count(mails, and(isRecent, eq(mails.accountId, accountId)));
  if (ofAccount >= MOST_OF_ACCOUNT) {
    throw tooMany(`This account has asked for ${MOST_OF_ACCOUNT} confirmations within 24 hours`);
  }
}

const tooMany = (what: string) =>
  new AppError("RATE_LIMITED", `${what}. Try again tomorrow.`, undefined, {
    "retry-after": String(DAY_MS / 1000),
  });

const RETENTION_MS = 30 * DAY_MS;

/** Run by housekeeping. */
export const deleteOldMails = ({ store, clock }: Pick<Deps, "store" | "clock">) =>
  store.delete(mails).where(lt(mails.createdAt, clock.now() - RETENTION_MS));
