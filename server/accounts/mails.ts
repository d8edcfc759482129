import { and, eq, gt, lt } from "drizzle-orm";
import type { Actor } from "../api/caller.ts";
import { type MailKind, mails, type UserRow } from "../db/tables.ts";
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
 */
export async function queueMail({ store, clock, mail }: Queueing, message: NewMail): Promise<void> {
  if (!mail) return;
  const now = clock.now();
  await store.insert(mails).values({
    ...{ ...message, id: newIdAt(now), data: JSON.stringify(message.data) },
    ...{ status: "pending", attempts: 0, dueAt: now, createdAt: now },
  });
}

/** Tells a person of a change of how they sign in. */
export const queueChangeMail = (
  deps: Queueing,
  { id: userId, accountId, email }: Pick<UserRow, "id" | "accountId" | "email">,
  what: MailData["changed"]["what"],
): Promise<void> =>
  queueMail(deps, { kind: "changed", accountId, userId, address: email, data: { what } });

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

const DAY_MS = 86_400_000;
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
