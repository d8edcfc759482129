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
import { lockText } from "../db/queries.ts";
import type { Store } from "../db/store.ts";
import { mailAddresses, mails, type UserRow, users } from "../db/tables.ts";
import { AppError, conflict } from "../lib/errors.ts";
import { newIdAt } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import type { MailKind } from "../lib/vocabulary.ts";
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
    /** Whether the address was known to be theirs: only a stranger can refuse this. */
    wasProven: boolean;
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
 * Queues a mail; call it in the transaction of the change that it reports. A mail of its kind from the same account
 * that waits for the same address is replaced. Does nothing while this server sends no e-mail.
 * @param dueAt when it is to be sent, in milliseconds since 1970
 * @throws RATE_LIMITED or CONFLICT for a mail that someone asks for and that may not be sent; others are dropped
 */
export async function queueMail(
  deps: Queueing,
  message: NewMail,
  dueAt = deps.clock.now(),
): Promise<void> {
  const { store, clock, mail } = deps;
  if (!mail) return;
  // What another node queues at the same time counts toward the same limits.
  await lockText(store, `mail ${message.kind}`);
  const problem =
    (await refusalOf(store, message)) ??
    ((await replaceWaiting(deps, message)) ? "replaced" : await excessOf(deps, message));
  if (problem === "replaced") return;
  if (problem) {
    if (isAskedFor(message)) throw problem;
    log.info("mail not queued", { kind: message.kind, reason: problem.code });
    return;
  }
  const now = clock.now();
  await store.insert(mails).values({
    ...message,
    id: newIdAt(now),
    data: JSON.stringify(message.data),
    status: "pending",
    attempts: 0,
    dueAt,
    createdAt: now,
  });
}

/** Whether someone waits for the answer who may learn what became of it: not those who have forgotten a password. */
const isAskedFor = ({ kind, data }: NewMail) =>
  kind === "invite" || kind === "confirm" || (kind === "password" && data.by !== null);

async function refusalOf(store: Store, { kind, accountId, address }: NewMail) {
  if (kind === "changed") return null;
  return (await hasRefusedMail(store, { accountId, address })) ? recipientRefused(address) : null;
}

/** Whose mail these are about. Addresses of people are in lower case. */
type Recipient = { accountId: string | null; address: string };

/**
 * Whether the address has refused all mail of the account. People with a proven address still get mail about how they
 * sign in: they refuse alerts.
 */
export async function hasRefusedMail(
  store: Store,
  { accountId, address }: Recipient,
): Promise<boolean> {
  const isIt = and(
    eq(mailAddresses.accountId, accountId ?? ""),
    eq(mailAddresses.address, address),
  );
  const refused = await store.$count(mailAddresses, and(isIt, isNotNull(mailAddresses.refusedAt)));
  return refused > 0 && (await isStranger(store, { accountId, address }));
}

/** Whether no one has shown that they read mail to the address, and want that of the account. */
export async function isStranger(
  store: Store,
  { accountId, address }: Recipient,
): Promise<boolean> {
  const isTheirs = and(eq(users.accountId, accountId ?? ""), eq(users.email, address));
  return (await store.$count(users, and(isTheirs, isProven))) === 0;
}

export const recipientRefused = (address: string) =>
  conflict(
    `${address} has refused all mail of this account. Only they can allow it again, on the page of the link to refuse or unsubscribe in any message.`,
    { reason: "recipient_refused" },
  );

/** A mail that has failed before is not sent again earlier than this. */
const AGAIN_MS = 60_000;

/** @returns whether a mail waited that has become this one; not once a node sends it */
async function replaceWaiting({ store, clock }: Queueing, message: NewMail): Promise<boolean> {
  const { kind, accountId, address, userId } = message;
  // These count what they are about, or each says something else.
  if (kind === "assigned") return false;
  const data = JSON.stringify(message.data);
  const isSame = kind === "changed" || kind === "host" ? eq(mails.data, data) : undefined;
  const soon = clock.now() + AGAIN_MS;
  const replaced = await store
    .update(mails)
    .set({
      data,
      userId,
      dueAt: sql`case when ${mails.attempts} > 0 and ${mails.dueAt} > ${soon} then ${soon} else ${mails.dueAt} end`,
    })
    .where(
      and(
        eq(mails.kind, kind),
        accountId === null ? isNull(mails.accountId) : eq(mails.accountId, accountId),
        eq(mails.address, address),
        eq(mails.status, "pending"),
        isNull(mails.lease),
        isSame,
      ),
    )
    .returning({ id: mails.id });
  return replaced.length > 0;
}

/**
 * The most mail of each kind within a day: to one address, whichever accounts send it, and of one account. An address
 * gets no more than its owner needs, so that no account can flood a stranger.
 */
const MOST_IN_DAY: Record<MailKind, { toAddress: number; ofAccount: number }> = {
  invite: { toAddress: 5, ofAccount: 200 },
  password: { toAddress: 10, ofAccount: 200 },
  confirm: { toAddress: 3, ofAccount: 20 },
  changed: { toAddress: 20, ofAccount: 500 },
  assigned: { toAddress: 24, ofAccount: 2400 },
  host: { toAddress: 20, ofAccount: 500 },
};

async function excessOf(
  { store, clock }: Queueing,
  { kind, accountId, address }: NewMail,
): Promise<AppError | null> {
  const { toAddress, ofAccount } = MOST_IN_DAY[kind];
  const isRecent = and(eq(mails.kind, kind), gt(mails.createdAt, clock.now() - DAY_MS));
  const toIt = await store.$count(mails, and(isRecent, eq(mails.address, address)));
  if (toIt >= toAddress) {
    return tooMany(`${address} was sent ${toAddress} messages of this kind within 24 hours`);
  }
  const isOwn = eq(mails.accountId, accountId ?? "");
  const own = await store.$count(mails, and(isRecent, isOwn));
  return own >= ofAccount
    ? tooMany(`This account has sent ${ofAccount} messages of this kind within 24 hours`)
    : null;
}

const tooMany = (what: string) =>
  new AppError("RATE_LIMITED", `${what}. Try again tomorrow.`, undefined, {
    "retry-after": String(DAY_MS / 1000),
  });

/** Tells a person of a change of how they sign in. */
export const queueChangeMail = (
  deps: Queueing,
  {
    id: userId,
    accountId,
    email,
    emailVerifiedAt,
  }: Pick<UserRow, "id" | "accountId" | "email" | "emailVerifiedAt">,
  what: MailData["changed"]["what"],
): Promise<void> =>
  queueMail(deps, {
    kind: "changed",
    accountId,
    userId,
    address: email,
    data: { what, wasProven: emailVerifiedAt !== null },
  });

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
  const message = { kind: "password", accountId, userId, address, data: { by: null } } as const;
  await deps.store.transaction((tx) => queueMail({ ...deps, store: tx }, message));
}

export const mailIsOff = () =>
  conflict("This server sends no e-mail. Its operator can set STILLUP_SMTP_HOST.", {
    reason: "mail_off",
  });

const RETENTION_MS = 30 * DAY_MS;

/** Run by housekeeping. */
export const deleteOldMails = ({ store, clock }: Pick<Deps, "store" | "clock">) =>
  store.delete(mails).where(lt(mails.createdAt, clock.now() - RETENTION_MS));
