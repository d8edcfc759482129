import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { auditChange, webhookTarget } from "../accounts/audit.ts";
import type { Store } from "../ground/db/store.ts";
import { accounts, mailAddresses, users, type WebhookRow, webhooks } from "../ground/db/tables.ts";
import { conflict, notFound } from "../ground/lib/errors.ts";
import { addressIn } from "../ground/lib/mail-address.ts";
import type { Actor, Caller } from "../http/caller.ts";
import { isOfAccount, type MailLink } from "../mail/links.ts";
import { queueMail, recipientRefused } from "../mail/queue.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { pauseOrResume } from "./pause-resume.ts";

/**
 * Who may get e-mail of an account: people of it whose address is proven, and addresses whose owners have confirmed.
 * Only the owner of an address can take a refusal back.
 */

type Recipient = { accountId: string; address: string };

/** Two spellings of an address differ in case only; no mail server tells them apart. */
const keyOf = ({ accountId, address }: Recipient) => ({
  accountId,
  address: address.toLowerCase(),
});

/** Columns of a webhook to an address that may not get mail yet; it is enabled by the confirmation. */
const UNCONFIRMED = { isActive: false, disabledReason: "unconfirmed" } as const;

/**
 * Returns the columns with which a webhook to the address begins, and asks for a confirmation if one is needed. Call it
 * in the transaction that writes the webhook.
 * @throws CONFLICT when the address has refused all mail of the account; RATE_LIMITED when it, or the account, was asked
 * too often
 */
export async function admitRecipient(
  deps: Deps,
  { accountId, by }: Pick<Caller, "accountId" | "by">,
  webhook: { id: string; name: string | null; url: string },
): Promise<Partial<WebhookRow>> {
  const recipient = keyOf({ accountId, address: addressIn(webhook.url) });
  if (await mayWriteTo(deps.store, recipient)) return {};
  await askToConfirm(deps, by, recipient, webhook);
  // What an address before it got says nothing of this one.
  return { ...UNCONFIRMED, disabledAt: deps.clock.now(), lastStatusCode: null };
}

/** @throws CONFLICT when the address has refused all mail of the account */
async function mayWriteTo(tx: Store, recipient: Recipient): Promise<boolean> {
  const known = await findAddress(tx, recipient);
  if (known?.refusedAt) throw recipientRefused(recipient.address);
  return known?.confirmedAt != null || (await isProvenByPerson(tx, recipient));
}

const isProvenByPerson = async (tx: Store, { accountId, address }: Recipient) => {
  const isTheirs = and(eq(users.accountId, accountId), eq(users.email, address));
  return (await tx.$count(users, and(isTheirs, isNotNull(users.emailVerifiedAt)))) > 0;
};

async function findAddress(tx: Store, { accountId, address }: Recipient) {
  const [row] = await tx.select().from(mailAddresses).where(isAddress({ accountId, address }));
  return row;
}

const isAddress = ({ accountId, address }: Recipient) =>
  and(eq(mailAddresses.accountId, accountId), eq(mailAddresses.address, address));

async function askToConfirm(
  deps: Deps,
  by: Actor,
  recipient: Recipient,
  { id: webhookId, name }: { id: string; name: string | null },
): Promise<void> {
  const data = { webhookId, name, by: by.name };
  await queueMail(deps, { ...recipient, kind: "confirm", userId: null, data });
}

/**
 * Asks the recipient of a webhook for the confirmation again.
 * @throws CONFLICT when it is not needed; RATE_LIMITED
 */
export async function askAgain(
  unit: Unit,
  { by }: Pick<Caller, "by">,
  webhook: Pick<WebhookRow, "id" | "accountId" | "name" | "sealedUrl" | "disabledReason">,
): Promise<void> {
  if (webhook.disabledReason !== "unconfirmed") {
    throw conflict("The recipient of this webhook need not confirm.", {
      reason: "already_confirmed",
    });
  }
  const address = addressOf(unit, webhook);
  const recipient = keyOf({ accountId: webhook.accountId, address });
  await askToConfirm(unit, by, recipient, webhook);
  await unit.store
    .update(webhooks)
    .set({ lastStatusCode: null })
    .where(eq(webhooks.id, webhook.id));
}

/**
 * Refuses to enable a webhook whose recipient has not agreed. People may enable those to their own proven address.
 * @throws CONFLICT
 */
export async function refuseUnwanted(
  deps: Deps,
  { by }: Pick<Caller, "by">,
  webhook: Pick<WebhookRow, "accountId" | "sealedUrl" | "disabledReason">,
): Promise<void> {
  const { disabledReason: reason, accountId } = webhook;
  if (reason === "unconfirmed") throw unconfirmed();
  if (reason !== "unsubscribed") return;
  const recipient = keyOf({ accountId, address: addressOf(deps, webhook) });
  const isOwn = by.kind === "user" && by.name === recipient.address;
  if (isOwn && (await isProvenByPerson(deps.store, recipient))) return;
  throw unsubscribed();
}

/**
 * Refuses to send mail that no queue has let pass, such as a test: a recipient who has unsubscribed, refused or not
 * confirmed gets nothing, whatever the webhook says. Call it right before sending.
 * @throws CONFLICT
 */
export async function refuseUnqueued(
  { store, secrets }: Pick<Deps, "store" | "secrets">,
  { id, accountId }: Pick<WebhookRow, "id" | "accountId">,
): Promise<void> {
  const isIt = and(eq(webhooks.id, id), isNull(webhooks.deletedAt));
  const [webhook] = await store.select().from(webhooks).where(isIt);
  if (!webhook) throw notFound("webhook");
  if (webhook.format !== "email") return;
  const { disabledReason: reason } = webhook;
  if (reason === "unconfirmed") throw unconfirmed();
  if (reason === "unsubscribed") throw unsubscribed();
  const recipient = keyOf({ accountId, address: addressOf({ secrets }, webhook) });
  if (!(await mayWriteTo(store, recipient))) throw unconfirmed();
}

const unconfirmed = () =>
  conflict(
    "The recipient has not confirmed yet. Ask them to follow the link in the message, or send it again.",
    { reason: "unconfirmed" },
  );

const unsubscribed = () =>
  conflict("The recipient has unsubscribed. Only they can subscribe again.", {
    reason: "unsubscribed",
  });

/**
 * What the page of a link shows. `state` is `gone` after the webhook was deleted or got another address, and `account`
 * if the link is about all mail of the account, and none of its webhooks.
 */
export type Subscription = {
  address: string;
  /** The webhook's name. */
  name: string | null;
  /** The e-mail of the account that sends it. */
  account: string | null;
  state: "unconfirmed" | "active" | "paused" | "unsubscribed" | "refused" | "gone" | "account";
};

export async function findSubscription(deps: Deps, link: MailLink): Promise<Subscription> {
  const { store } = deps;
  const [account] = await store.select().from(accounts).where(eq(accounts.id, link.accountId));
  const known = await findAddress(store, keyOf(link));
  const webhook = await findOfLink(deps, link);
  const about = { address: link.address, name: webhook?.name ?? null };
  const state = isOfAccount(link) && !known?.refusedAt ? "account" : stateOf(webhook, known);
  return { ...about, account: account?.email ?? null, state };
}

function stateOf(
  webhook: WebhookRow | undefined,
  known: { refusedAt: number | null } | undefined,
): Subscription["state"] {
  if (known?.refusedAt) return "refused";
  if (!webhook) return "gone";
  if (webhook.isActive) return "active";
  const { disabledReason: reason } = webhook;
  return reason === "unconfirmed" || reason === "unsubscribed" ? reason : "paused";
}

/**
 * Records that the owner of the address agrees to mail of the account, and enables the webhooks that wait for that.
 * @returns whether the link still counts: it does not after a refusal
 */
export const confirmAddress = (deps: Deps, link: MailLink, address: () => string) =>
  inAccount(deps, link, async (at, webhooksOf) => {
    const recipient = keyOf(link);
    const known = await findAddress(at.store, recipient);
    if ((known?.n ?? 0) !== link.n || known?.refusedAt) return false;
    await writeAddress(at.store, recipient, { confirmedAt: at.clock.now() });
    await proveOwner(at, recipient);
    const waiting = webhooksOf.filter(({ disabledReason }) => disabledReason === "unconfirmed");
    const begun = { ...ENABLED, lastStatusCode: null };
    for (const webhook of waiting) await change(at, link, webhook, begun, address);
    return true;
  });

/** Someone with the account's address has followed a link that was mailed to it. */
async function proveOwner({ store, clock }: Deps, { accountId, address }: Recipient) {
  const isTheirs = and(eq(users.accountId, accountId), eq(users.email, address));
  await store
    .update(users)
    .set({ emailVerifiedAt: clock.now() })
    .where(and(isTheirs, isNull(users.emailVerifiedAt)));
}

/** Ends mail of the link's webhook, or all mail of the account to the address. Twice is as good as once. */
export const unsubscribe = (
  deps: Deps,
  link: MailLink,
  { isAll: isAsked, address }: { isAll: boolean; address: () => string },
) =>
  inAccount(deps, link, async (at, webhooksOf) => {
    const isAll = isAsked || isOfAccount(link);
    const recipient = keyOf(link);
    const now = at.clock.now();
    const known = await findAddress(at.store, recipient);
    const n = (known?.n ?? 0) + 1;
    await writeAddress(
      at.store,
      recipient,
      isAll ? { n, refusedAt: now, confirmedAt: null } : { n },
    );
    const ended = webhooksOf.filter(({ id }) => isAll || id === link.webhookId);
    for (const webhook of ended) {
      if (webhook.disabledReason === "unsubscribed") continue;
      const off = { isActive: false, disabledReason: "unsubscribed", disabledAt: now } as const;
      await change(at, link, webhook, off, address);
    }
  });

/** Takes a refusal back, and enables the link's webhook again if it was unsubscribed. */
export const subscribeAgain = (deps: Deps, link: MailLink, address: () => string) =>
  inAccount(deps, link, async (at, webhooksOf) => {
    // What is no longer refused is not agreed to: a confirmation asks for that.
    const agreed = isOfAccount(link) ? {} : { confirmedAt: at.clock.now() };
    await writeAddress(at.store, keyOf(link), { ...agreed, refusedAt: null });
    const webhook = webhooksOf.find(({ id }) => id === link.webhookId);
    if (webhook?.disabledReason === "unsubscribed") await enable(at, link, webhook, address);
  });

/** Makes a change with the account's webhooks to the address. */
async function inAccount<T>(
  deps: Deps,
  link: MailLink,
  work: (unit: Unit, webhooksOf: WebhookRow[]) => Promise<T>,
): Promise<T | null> {
  const isIt = eq(accounts.id, link.accountId);
  const [account] = await deps.store.select().from(accounts).where(isIt);
  if (!account) return null;
  return makeChange(deps, { accountNo: account.no }, async (unit) =>
    work(unit, await webhooksTo(unit, link)),
  );
}

async function webhooksTo(deps: Deps, link: MailLink): Promise<WebhookRow[]> {
  const isMail = and(
    eq(webhooks.accountId, link.accountId),
    eq(webhooks.format, "email"),
    isNull(webhooks.deletedAt),
  );
  const rows = await deps.store.select().from(webhooks).where(isMail);
  return rows.filter((webhook) => isSameAddress(deps, webhook, link));
}

async function findOfLink(deps: Deps, link: MailLink): Promise<WebhookRow | undefined> {
  return (await webhooksTo(deps, link)).find(({ id }) => id === link.webhookId);
}

const isSameAddress = (deps: Deps, webhook: WebhookRow, { address }: MailLink) =>
  addressOf(deps, webhook).toLowerCase() === address.toLowerCase();

/** Of a webhook with the format `email`. */
const addressOf = (
  { secrets }: Pick<Deps, "secrets">,
  { sealedUrl }: Pick<WebhookRow, "sealedUrl">,
) => addressIn(secrets.open(sealedUrl));

async function writeAddress(
  tx: Store,
  recipient: Recipient,
  changed: Partial<typeof mailAddresses.$inferInsert>,
): Promise<void> {
  await tx
    .insert(mailAddresses)
    .values({ ...recipient, n: 0 })
    .onConflictDoNothing();
  await tx.update(mailAddresses).set(changed).where(isAddress(recipient));
}

const ENABLED = { isActive: true, disabledReason: null, disabledAt: null } as const;

const enable = (at: Deps, link: MailLink, webhook: WebhookRow, address: () => string) =>
  change(at, link, webhook, ENABLED, address);

/** Changes a webhook on behalf of its recipient. The audit log names them by the address. */
async function change(
  at: Deps,
  { accountId, address }: MailLink,
  webhook: WebhookRow,
  columns: Partial<WebhookRow>,
  networkAddress: () => string,
): Promise<void> {
  const { store, clock } = at;
  const changed = { ...columns, updatedAt: clock.now() };
  // It may have been deleted since it was read.
  const isThere = and(eq(webhooks.id, webhook.id), isNull(webhooks.deletedAt));
  const rows = await store
    .update(webhooks)
    .set(changed)
    .where(isThere)
    .returning({ id: webhooks.id });
  if (rows.length === 0) return;
  await pauseOrResume(at, webhook.id);
  const by: Actor = { kind: "stranger", id: null, name: address, address: networkAddress };
  await auditChange(
    at,
    { accountId, by },
    {
      action: "webhook.changed",
      target: webhookTarget(webhook),
      fields: ["is_active"],
    },
  );
}
