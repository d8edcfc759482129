import { Webhook } from "standardwebhooks";

const SECRET_BYTES = 32;

/** `whsec_` and the base64 of 32 random bytes. */
export const newSigningSecret = () =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64")}`;

/**
 * The headers of Standard Webhooks 1.0.0, with a signature by each secret in their order: a receiver takes the
 * message when one of them is right. `at` is the moment of the attempt in milliseconds, so that a retry is as
 * fresh as a first attempt to a receiver that refuses old messages.
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
