import * as z from "zod";
import type { FailedSignIns } from "../api/caller.ts";
import { ROLES, type SessionRow, type UserRow } from "../db/tables.ts";
import { invalid } from "../lib/errors.ts";
import { problemsOf, text } from "../lib/fields.ts";
import { toIso } from "../lib/moments.ts";
import { passwordProblem, SHORTEST_ALONE } from "../lib/passwords.ts";
import { VERSION } from "../lib/runtime.ts";
import { browserOf } from "../lib/text.ts";

const SessionUser = z.object({
  email: z.string(),
  role: z.enum(ROLES),
  is_admin: z.boolean(),
  /** Whether signing in takes a code besides the password. */
  two_factor: z.boolean(),
});

/** What the dashboard asks first: whether to show set-up, sign-in or itself. */
export const SessionState = z.object({
  state: z.enum(["setup", "signed-out", "signed-in"]),
  user: SessionUser.nullable(),
  /** The program's version; null without a session. */
  version: z.string().nullable(),
  /** Whether the cookie travels unencrypted, which the dashboard warns of. */
  insecure: z.boolean(),
  /** The state of the account before its pages read anything, from which their line of events goes on. */
  live: z.string().nullable(),
  /** What failed before this session began, until it is dismissed. */
  failed_sign_ins: z
    .object({
      count: z.int(),
      since: z.string(),
      /** IP addresses, and IPv6 networks in CIDR form; the most frequent three. */
      networks: z.array(z.string()),
      has_more: z.boolean(),
    })
    .nullable(),
});
export type SessionState = z.infer<typeof SessionState>;

/** `key` is the account's first API key, shown this once. */
export const SetupDone = SessionState.extend({ key: z.string() });

/** A session is named by the beginning of its hash, which opens nothing. */
export const SESSION_ID_LENGTH = 16;

export const Sessions = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      /** "Firefox on Linux", or what the program calls itself. */
      browser: z.string().nullable(),
      created_at: z.string(),
      last_seen_at: z.string(),
      is_current: z.boolean(),
    }),
  ),
});

export const TwoFactor = z.object({ is_on: z.boolean(), recovery_codes_left: z.int() });
export type TwoFactor = z.infer<typeof TwoFactor>;

/** Shown this once. */
export const FreshTwoFactor = z.object({ secret: z.string(), uri: z.string() });

/** A new session, with codes that are returned only once. */
export const TwoFactorOn = SessionState.extend({ recovery_codes: z.array(z.string()) });

/** Shown this once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

const LONGEST_EMAIL = 254;

/** An e-mail address is a name to sign in with; nothing is sent to it, so `me@localhost` will do. */
export const Email = text(LONGEST_EMAIL)
  .refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), "must be an e-mail address")
  .toLowerCase();

export const someText = z.string({
  error: ({ input }) => (input === undefined ? "is required" : "must be a text"),
});

const newPassword = (shortest: number) =>
  someText.superRefine(async (value, context) => {
    const problem = await passwordProblem(value, shortest);
    if (problem) context.addIssue(problem);
  });

export const NewPassword = newPassword(SHORTEST_ALONE);

/** From the app, or a recovery code. */
export const code = someText.max(64, "is too long for a code");

/** Hardly judged, since what was right once must stay right. */
export const SignIn = z.object(
  {
    email: someText.max(LONGEST_EMAIL, "is too long for an e-mail address"),
    password: someText,
    code: code.optional(),
  },
  "must be a JSON object",
);
export type SignIn = z.output<typeof SignIn>;

export const Setup = z.object(
  { token: someText, email: Email, password: NewPassword },
  "must be a JSON object",
);

/** The password is judged once it is known whose it will be. */
export const PasswordByLink = z.object(
  { token: someText, password: someText, code: code.optional() },
  "must be a JSON object",
);

/** @param shortest in code points, which depends on whose it is */
export const passwordChange = (shortest: number) =>
  z.object({ current: someText, new: newPassword(shortest) }, "must be a JSON object");

export const Password = z.object({ password: someText }, "must be a JSON object");

export const Code = z.object({ code }, "must be a JSON object");

export const BothFactors = z.object({ password: someText, code }, "must be a JSON object");

/** The new password is for whose present one is too short to do alone. */
export const EndOfTwoFactor = BothFactors.extend({ new: NewPassword.optional() });

/**
 * Reads a body whose problems take time to find, such as a password to look up in a list.
 * @throws VALIDATION_ERROR with every problem
 */
export async function readBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
): Promise<z.output<T>> {
  const result = await schema.safeParseAsync(body);
  if (!result.success) throw invalid(problemsOf(result.error));
  return result.data;
}

export type Shown = Pick<UserRow, "accountId" | "email" | "role" | "isAdmin" | "totpSecret">;

type Around = { insecure: boolean; live: string; failed: FailedSignIns | null | undefined };

export const toSignedIn = (user: Shown, { insecure, live, failed }: Around): SessionState => ({
  state: "signed-in",
  user: {
    email: user.email,
    role: user.role,
    is_admin: user.isAdmin,
    two_factor: user.totpSecret !== null,
  },
  version: VERSION,
  insecure,
  live,
  failed_sign_ins: failed
    ? {
        count: failed.count,
        since: toIso(failed.since),
        networks: failed.networks,
        has_more: failed.hasMore,
      }
    : null,
});

export const toStranger = (state: "setup" | "signed-out", insecure: boolean): SessionState => ({
  state,
  user: null,
  version: null,
  insecure,
  live: null,
  failed_sign_ins: null,
});

export const toSession =
  (presentHash: string) =>
  ({ tokenHash, createdAt, lastSeenAt, userAgent }: SessionRow) => ({
    id: tokenHash.slice(0, SESSION_ID_LENGTH),
    browser: browserOf(userAgent),
    created_at: toIso(createdAt),
    last_seen_at: toIso(lastSeenAt),
    is_current: tokenHash === presentHash,
  });
