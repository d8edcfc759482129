import { eq } from "drizzle-orm";
import type { Session } from "../api/caller.ts";
import { type EventType, users } from "../db/tables.ts";
import { AppError } from "../lib/errors.ts";
import { addressIn, mailtoUrl } from "../lib/mail-address.ts";
import type { Deps } from "../work/deps.ts";
import { changeWebhook } from "./change.ts";
import type { WebhookRecord } from "./model.ts";
import type { Schedule } from "./summary-schedule.ts";
import { createWebhook, deleteWebhook, listWebhooks } from "./webhooks.ts";

/** As many as the largest plan has. */
const MOST = 100;

type Wish = { events: EventType[]; summary?: Schedule | null | undefined };

/**
 * People may have mail to their own address, also those who can only read; their right to it is not one to others'
 * webhooks.
 */
const asOwn = ({ caller }: Session) => ({ ...caller, permissions: { read: true, write: true } });

/** Finds the webhook that sends mail to the person themselves. */
export async function findOwnMail(deps: Deps, session: Session): Promise<WebhookRecord | null> {
  const page = { page: 1, per_page: MOST, format: "email" } as const;
  const { items } = await listWebhooks(deps, asOwn(session), page);
  const isOwn = ({ url, urlState }: WebhookRecord) =>
    urlState === "full" && addressIn(url).toLowerCase() === session.user.email;
  return items.find(isOwn) ?? null;
}

/**
 * Sets which events the person gets by mail; with none, the webhook is deleted.
 * @throws FORBIDDEN for someone who can only read and has not proven their address, VALIDATION_ERROR, and CONFLICT at
 * the account's limit
 */
export async function setOwnMail(
  deps: Deps,
  session: Session,
  { events, summary = null }: Wish,
): Promise<WebhookRecord | null> {
  await refuseUnproven(deps, session);
  const own = await findOwnMail(deps, session);
  const caller = asOwn(session);
  if (events.length === 0) {
    if (own) await deleteWebhook(deps, caller, own.id);
    return null;
  }
  if (own) return changeWebhook(deps, caller, own.id, { events, summary });
  const url = mailtoUrl(session.user.email);
  return (await createWebhook(deps, caller, { url, format: "email", events, summary })).webhook;
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
