import { and, eq } from "drizzle-orm";
import { users } from "../ground/db/tables.ts";
import { AppError } from "../ground/lib/errors.ts";
import { addressIn, mailtoUrl } from "../ground/lib/mail-address.ts";
import type { EventType } from "../ground/lib/vocabulary.ts";
import type { Session } from "../http/caller.ts";
import { isProven } from "../mail/queue.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import { changeWebhook } from "./change.ts";
import type { WebhookRecord } from "./model.ts";
import type { Schedule } from "./summary-schedule.ts";
import { createWebhook, deleteWebhook, listWebhooks } from "./webhooks.ts";

/** As many as the largest plan has. */
const MOST = 100;

/** What is undefined stays. */
type Wish = {
  events?: EventType[] | undefined;
  summary?: Schedule | null | undefined;
  /** In which the messages of a new webhook say when things happened. */
  time_zone?: string | undefined;
  assigned?: boolean | undefined;
};

/**
 * The webhook that sends mail to a person themselves, whether they want to hear of links that others assign to them, and
 * whether the address is proven, without which they do not.
 */
export type OwnMail = { webhook: WebhookRecord | null; assigned: boolean; proven: boolean };

/**
 * People may have mail to their own address, also those who can only read; their right to it is not one to others'
 * webhooks.
 */
const asOwn = ({ caller }: Session) => ({ ...caller, permissions: { read: true, write: true } });

/** Finds what a person gets by mail to their own address. */
export async function findOwnMail(deps: Deps, session: Session): Promise<OwnMail> {
  const isUser = eq(users.id, session.user.id);
  const [user] = await deps.store
    .select({ assigned: users.mailAssigned })
    .from(users)
    .where(isUser);
  const proven = (await deps.store.$count(users, and(isUser, isProven))) > 0;
  const webhook = await findOwnWebhook(deps, session);
  return { webhook, assigned: user?.assigned ?? false, proven };
}

async function findOwnWebhook(deps: Deps, session: Session): Promise<WebhookRecord | null> {
  const page = { page: 1, per_page: MOST, format: "email" } as const;
  const { items } = await listWebhooks(deps, asOwn(session), page);
  const isOwn = ({ url, urlState }: WebhookRecord) =>
    urlState === "full" && addressIn(url).toLowerCase() === session.user.email;
  return items.find(isOwn) ?? null;
}

/**
 * Sets what the person gets by mail; without events, the webhook is deleted.
 * @throws FORBIDDEN for someone who can only read and has not proven their address, VALIDATION_ERROR, and CONFLICT at
 * the account's limit
 */
export async function setOwnMail(
  deps: Deps,
  session: Session,
  { assigned, ...wish }: Wish,
): Promise<OwnMail> {
  if (assigned !== undefined) {
    const isUser = eq(users.id, session.user.id);
    await deps.store.update(users).set({ mailAssigned: assigned }).where(isUser);
  }
  const { events } = wish;
  if (events) await setOwnWebhook(deps, session, { ...wish, events });
  return findOwnMail(deps, session);
}

async function setOwnWebhook(
  deps: Deps,
  session: Session,
  { events, summary = null, time_zone }: Omit<Wish, "assigned"> & { events: EventType[] },
): Promise<void> {
  await refuseUnproven(deps, session);
  const own = await findOwnWebhook(deps, session);
  const caller = asOwn(session);
  if (events.length === 0) {
    if (own) await deleteWebhook(deps, caller, own.id);
  } else if (own) {
    await changeWebhook(deps, caller, own.id, { events, summary });
  } else {
    const url = mailtoUrl(session.user.email);
    await makeChange(deps, caller, (unit) =>
      createWebhook(unit, caller, { url, format: "email", events, summary, time_zone }),
    );
  }
}

async function refuseUnproven({ store }: Deps, { caller, user: { id } }: Session) {
  if (caller.permissions.write) return;
  const [user] = await store.select().from(users).where(eq(users.id, id));
  if (user?.emailVerifiedAt != null) return;
  throw new AppError(
    "FORBIDDEN",
    "Your e-mail address is not confirmed here. Set a new password by a link in a message, or ask an editor for an alert.",
    { reason: "unproven_address" },
  );
}
