import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Clock } from "../ground/lib/clock.ts";
import type { SecretBox } from "../ground/lib/secret-box.ts";

/**
 * What a link in a mail is for. A confirmation starts mail to an address and expires; a link to unsubscribe works as
 * long as the secret key is the same.
 */
export type LinkPurpose = "confirm" | "unsubscribe";

/** Whose mail a link is about. `n` is the number of refusals of the address, which confirmations must not survive. */
export type MailLink = { accountId: string; webhookId: string; address: string; n: number };

/** Of a mail that no webhook sends: it is about all mail of the account. */
export const ofAccount = (accountId: string, address: string): MailLink => ({
  accountId,
  webhookId: "",
  address,
  n: 0,
});

export const isOfAccount = ({ webhookId }: MailLink) => webhookId === "";

/** Headers by which mail programs offer to unsubscribe (RFC 2369, RFC 8058). */
export const unsubscribeHeaders = (url: string): Record<string, string> => ({
  "List-Unsubscribe": `<${url}>`,
  // RFC 8058 §3.1 requires https.
  ...(url.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
});

const CONFIRMATION_MS = 7 * 86_400_000;

const Payload = z.tuple([z.string(), z.string(), z.string(), z.int(), z.int()]);

type Signing = { secrets: SecretBox; clock: Pick<Clock, "now"> };

/**
 * Returns the path of a link: nothing is stored, so any node can read it.
 * @see readMailLink
 */
export function mailPath(
  { secrets, clock }: Signing,
  purpose: LinkPurpose,
  { accountId, webhookId, address, n }: MailLink,
): string {
  const expiresAt = purpose === "confirm" ? clock.now() + CONFIRMATION_MS : 0;
  const text = JSON.stringify([accountId, webhookId, address, n, expiresAt]);
  const payload = Buffer.from(text).toString("base64url");
  return `/mail/${purpose}/${payload}.${secrets.sign(`mail ${purpose}`, payload)}`;
}

/** Returns what `mailPath` put into the last part of the path; null if it did not make that, or it has expired. */
export function readMailLink(
  { secrets, clock }: Signing,
  purpose: LinkPurpose,
  token: string,
): MailLink | null {
  const [payload = "", signature = ""] = token.split(".");
  if (!isSame(signature, secrets.sign(`mail ${purpose}`, payload))) return null;
  const text = Buffer.from(payload, "base64url").toString();
  const [accountId, webhookId, address, n, expiresAt] = Payload.parse(JSON.parse(text));
  if (expiresAt > 0 && expiresAt <= clock.now()) return null;
  return { accountId, webhookId, address, n };
}

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
