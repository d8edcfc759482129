import { and, eq, gt, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { lockText } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { mailAddresses, mails, users } from "../ground/db/tables.ts";
import { AppError, conflict } from "../ground/lib/errors.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import { log } from "../ground/lib/log.ts";
import type { MailKind } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Kind = {
  /** The most within a day: to one address, whichever accounts send it, and of one account. */
  toAddress: number;
  ofAccount: number;
  /** Which mail of the kind that waits for the same address a new one replaces. */
  replaces: "any" | "same" | "none";
  /** How long one waits at most before the first attempt. */
  waitsMs: number;
};

/** An address gets no more than its owner needs, so that no account can flood a stranger. */
export const KINDS: Record<MailKind, Kind> = {
  invite: { toAddress: 5, ofAccount: 200, replaces: "any", waitsMs: 0 },
  password: { toAddress: 10, ofAccount: 200, replaces: "any", waitsMs: 0 },
  confirm: { toAddress: 3, ofAccount: 20, replaces: "any", waitsMs: 0 },
  changed: { toAddress: 20, ofAccount: 500, replaces: "same", waitsMs: 0 },
  // One counts what it is about.
  assigned: { toAddress: 24, ofAccount: 2400, replaces: "none", waitsMs: HOUR_MS },
  host: { toAddress: 20, ofAccount: 500, replaces: "same", waitsMs: DAY_MS },
};

export type MailRow = typeof mails.$inferSelect;

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

export type Queueing = Pick<Deps, "store" | "clock" | "mail">;

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
  const { replaces } = KINDS[kind];
  if (replaces === "none") return false;
  const data = JSON.stringify(message.data);
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
        replaces === "same" ? eq(mails.data, data) : undefined,
      ),
    )
    .returning({ id: mails.id });
  return replaced.length > 0;
}

async function excessOf(
  { store, clock }: Queueing,
  { kind, accountId, address }: NewMail,
): Promise<AppError | null> {
  const { toAddress, ofAccount } = KINDS[kind];
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

/** About an account's wish to write to a person. Addresses of people are in lower case, as those that have answered. */
const addressOfUser = sql`select 1 from ${mailAddresses}
  where ${mailAddresses.accountId} = ${users.accountId} and ${mailAddresses.address} = ${users.email}`;
/** Whether a person has refused all mail of the account. */
export const hasRefused = sql`exists (${addressOfUser} and ${isNotNull(mailAddresses.refusedAt)})`;

/** Whether a person has shown that the address is theirs. */
export const isProven: SQL = sql`(${isNotNull(users.emailVerifiedAt)} or exists (${addressOfUser} and ${isNotNull(mailAddresses.confirmedAt)}))`;

export const mailIsOff = () =>
  conflict("This server sends no e-mail. Its operator can set STILLUP_SMTP_HOST.", {
    reason: "mail_off",
  });

const RETENTION_MS = 30 * DAY_MS;

/** Run by housekeeping. */
export const deleteOldMails = ({ store, clock }: Pick<Deps, "store" | "clock">) =>
  store.delete(mails).where(lt(mails.createdAt, clock.now() - RETENTION_MS));
