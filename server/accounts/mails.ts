import { and, desc, eq, inArray, isNull, ne, not } from "drizzle-orm";
import { mails, type UserRow, users } from "../ground/db/tables.ts";
import type { Actor, Caller } from "../http/caller.ts";
import {
  hasRefused,
  isProven,
  type MailData,
  mailIsOff,
  type Queueing,
  queueMail,
} from "../mail/queue.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit } from "../work/unit.ts";
import type { Invitation } from "./model.ts";
import { createPasswordLink, findUser } from "./users.ts";

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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time to assign more. */
const GATHER_MS = 60_000;

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
  await inUnit(deps, (unit) => queueMail(unit, message));
}
