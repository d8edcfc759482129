import { Webhook } from "standardwebhooks";
import type { WebhookRow } from "../ground/db/tables.ts";
import type { SecretBox } from "../ground/lib/secret-box.ts";
import type { UrlState } from "../ground/lib/vocabulary.ts";

const SECRET_BYTES = 32;

/** Returns `whsec_` and the base64 of 32 random bytes. */
export const newSigningSecret = () =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64")}`;

/**
 * Returns the headers of Standard Webhooks 1.0.0, with one signature for each secret in their order: a receiver accepts
 * the message when one of them matches. `at` is the time of this attempt in milliseconds, so that receivers that
 * reject old messages accept a retry.
 */
export function signedHeaders(
  secrets: string[],
  { id, body }: { id: string; body: string },
  at: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

/** A replaced signing secret, sealed, and the time until which it still signs. */
type OldSecret = { secret: string; expires_at: number };

type Secrets = Pick<WebhookRow, "secret" | "oldSecrets">;

/** Returns the secrets, in plain text, that sign at this time, the current one first. */
export const secretsAt = (webhook: Secrets, secrets: SecretBox, now: number): string[] => [
  secrets.open(webhook.secret),
  ...oldSecretsAt(webhook, now).flatMap(({ secret }) => openIfPossible(secrets, secret)),
];

/** Returns the replaced secrets that still sign at this time, newest first. */
export function oldSecretsAt({ oldSecrets }: Pick<Secrets, "oldSecrets">, now: number) {
  const old: OldSecret[] = JSON.parse(oldSecrets ?? "[]");
  return old.filter(({ expires_at: expiresAt }) => expiresAt > now);
}

/** Returns the value of the column. */
export const toOldSecrets = (old: OldSecret[]): WebhookRow["oldSecrets"] =>
  old.length > 0 ? JSON.stringify(old) : null;

/** A message is sent even if an old secret was sealed with another key and cannot sign. */
function openIfPossible({ open }: SecretBox, sealed: string): string[] {
  try {
    return [open(sealed)];
  } catch {
    return [];
  }
}

type Sealed = Pick<WebhookRow, "url" | "sealedUrl">;

/** Returns the part of a URL that is never a secret: `https://hooks.slack.com/…`. */
function shortUrl(url: string): string {
  if (url.startsWith("mailto:")) return `mailto:…${url.slice(url.lastIndexOf("@"))}`;
  const { origin, href } = new URL(url);
  return href === `${origin}/` ? href : `${origin}/…`;
}

/** Returns the columns of a webhook for this URL. */
export const sealedUrl = (url: string, { seal }: SecretBox) => ({
  url: shortUrl(url),
  sealedUrl: seal(url),
});

/** Returns the URL as a caller may see it: in full with permission to write, if it can be opened. */
export function visibleUrl(
  { url, sealedUrl }: Sealed,
  { open }: SecretBox,
  { write }: { write: boolean },
): { url: string; urlState: UrlState } {
  try {
    const full = open(sealedUrl);
    return write || full === url ? { url: full, urlState: "full" } : { url, urlState: "shortened" };
  } catch {
    return { url, urlState: "unreadable" };
  }
}

/** Shorter parts of a URL are common words rather than secrets. */
const SHORTEST_SECRET = 8;

/**
 * Replaces the parts of the URL that a response repeats, as in "Cannot POST /services/T0/B0/x": more people may read the
 * response than the URL.
 */
export function withoutUrl(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [
    pathname + search,
    pathname,
    search,
    ...pathname.split("/"),
    ...search
      .slice(1)
      .split("&")
      .map((pair) => pair.slice(pair.indexOf("=") + 1)),
    ...searchParams.values(),
  ];
  return parts
    .flatMap((part) => [
      part,
      decoded(part),
      part.replaceAll("/", "\\/"),
      part.replaceAll("&", "&amp;"),
    ])
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
