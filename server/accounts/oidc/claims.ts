import * as z from "zod";
import type { Oidc } from "../../ground/config/oidc.ts";
import { Email } from "../model.ts";
import { SignInProblem } from "./problems.ts";
import { readClaim } from "./roles.ts";

const LONGEST_SUBJECT = 255;

/** Some providers send booleans as text. */
const Flag = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["true"], falsy: ["false"], case: "insensitive" }),
]);

/**
 * The claims that are used, and all others as they are. A claim that is not required and cannot be read counts as
 * missing.
 */
const Claims = z.looseObject({
  iss: z.string(),
  sub: z
    .string()
    .min(1, "The ID token has an empty subject.")
    .refine((sub) => Buffer.byteLength(sub) <= LONGEST_SUBJECT, {
      error: "The subject is longer than 255 bytes.",
    }),
  /** In seconds since 1970, as all times in a token. */
  iat: z.number(),
  auth_time: z.number().optional(),
  email: Email.optional().catch(undefined),
  email_verified: Flag.optional().catch(undefined),
  /** The organization of an account at Google. */
  hd: z.string().optional().catch(undefined),
});

/** Claims of the ID token, with those of the userinfo endpoint where they were missing. */
export type Claims = z.infer<typeof Claims>;

/** Claims as a provider sends them. */
type Sent = Record<string, unknown>;

/** Whether the ID token has all that is needed, so that the userinfo endpoint need not be asked. */
export const isComplete = ({ roles, roleClaim }: Oidc, idToken: Sent) =>
  idToken.email !== undefined && (!roles || readClaim(idToken, roleClaim) !== undefined);

/**
 * Reads the claims of a verified ID token, and of userinfo about the same subject. An address and whether it is verified
 * come from the same one of the two, since they may name different addresses.
 * @throws SignInProblem if the token is for another party (OpenID Connect Core 1.0 §3.1.3.7) or has no usable subject
 */
export function readClaims({ clientId }: Oidc, idToken: Sent, userinfo: Sent): Claims {
  if (idToken.azp !== undefined && idToken.azp !== clientId) {
    throw new SignInProblem("misconfigured", "azp of the ID token names another client.");
  }
  const { email, email_verified } = idToken.email === undefined ? userinfo : idToken;
  const read = Claims.safeParse({ ...userinfo, ...idToken, email, email_verified });
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: "" }] = read.error.issues;
  throw new SignInProblem("misconfigured", `The claim ${path.join(".")} is wrong: ${message}`);
}
