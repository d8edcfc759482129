import { Secret, TOTP } from "otpauth";

/** RFC 6238, as every authenticator app has it. */
const KIND = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const STEP_MS = KIND.period * 1000;
const SECRET_BYTES = 20;
/** Steps by which a clock may be wrong, either way. */
const DRIFT = 1;

/** A secret in base32, and the address by which an app takes it over. */
export type FreshTotp = { secret: string; uri: string };

export function newTotp(email: string): FreshTotp {
  const secret = new Secret({ size: SECRET_BYTES });
  const totp = new TOTP({ ...KIND, issuer: "Stillup", label: email, secret });
  return { secret: secret.base32, uri: totp.toString() };
}

/** The step that the code belongs to, if it is one of about now; milliseconds. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const delta = TOTP.validate({
    ...KIND,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: DRIFT,
  });
  return delta === null ? null : Math.floor(now / STEP_MS) + delta;
}
