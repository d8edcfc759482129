import * as z from "zod";
import type { ApiKeyRow, SessionRow, UserRow } from "../ground/db/tables.ts";
import { invalid } from "../ground/lib/errors.ts";
import {
  flag,
  id,
  moment,
  oneOf,
  problemsOf,
  queryFlag,
  rotation,
  text,
} from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { passwordProblem, SHORTEST_ALONE } from "../ground/lib/passwords.ts";
import { VERSION } from "../ground/lib/runtime.ts";
import { browserOf } from "../ground/lib/text.ts";
import { ROLES } from "../ground/lib/vocabulary.ts";
import type { FailedSignIns } from "../http/caller.ts";

const LONGEST_EMAIL = 254;

/** An e-mail address is only a name to sign in with, so `me@localhost` is valid too. */
export const Email = text(LONGEST_EMAIL)
  .refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), "must be an e-mail address")
  .toLowerCase();

const someText = z.string({
  error: ({ input }) => (input === undefined ? "is required" : "must be a text"),
});

/** From the app, or a recovery code. */
const code = someText.max(64, "is too long for a code");

/** Someone who can sign in, and when they were last seen in a session that is kept. */
export type Person = UserRow & {
  lastSeenAt: number | null;
  /** API keys whose values they know and that are not revoked. */
  keysMade: number;
  /** Links that are assigned to them. */
  linksAssigned: number;
  hasIdentity: boolean;
  isRoleByProvider: boolean;
};

export const User = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(ROLES),
  is_admin: z.boolean(),
  two_factor: z.boolean(),
  has_password: z.boolean(),
  /** Whether they are linked to the OpenID provider, and whether that gives them their role. */
  has_identity: z.boolean(),
  role_by_provider: z.boolean(),
  created_at: z.string(),
  last_seen_at: z.string().nullable(),
  /** How many API keys they made that are not revoked. */
  keys_made: z.int(),
  links_assigned: z.int(),
});

const Colleague = User.extend({ is_you: z.boolean() });

export const People = z.object({ items: z.array(Colleague) });

/**
 * `token` belongs after `/invitation#token=`, or `/password#token=` for someone with a password. It is returned only
 * once, and not at all when the link is sent by e-mail.
 */
export const Invitation = z.object({
  email: z.string(),
  token: z.string().nullable(),
  mailed: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

/** `deliver=link` returns the one-time link also on a server that could send it by e-mail. */
export const Delivery = z.object({ deliver: oneOf(["mail", "link"]).optional() });

/** Who wants a new password. */
export const PasswordMail = z.object(
  { email: someText.max(LONGEST_EMAIL, "is too long for an e-mail address") },
  "must be a JSON object",
);

export const NewPerson = z.object({ email: Email, role: oneOf(ROLES) }, "must be a JSON object");
export type NewPerson = z.output<typeof NewPerson>;

export const RoleChange = z.object({ role: oneOf(ROLES) }, "must be a JSON object");

/** Whether the API keys that the person made are revoked as well. */
export const Removal = z.object({
  revoke_keys: queryFlag().optional(),
  assign_to: id("must be the id of a person of the account").optional(),
});

/** The account's e-mail, typed to show that it is meant, and a proof of who asks. */
export const AccountDeletion = z.object(
  {
    email: someText,
    password: someText,
    code: code.optional(),
  },
  "must be a JSON object",
);
export type AccountDeletion = z.output<typeof AccountDeletion>;

export const toUser = (person: Person): z.infer<typeof User> => ({
  id: person.id,
  email: person.email,
  role: person.role,
  is_admin: person.isAdmin,
  two_factor: person.totpSecret !== null,
  has_password: person.passwordHash !== null,
  has_identity: person.hasIdentity,
  role_by_provider: person.isRoleByProvider,
  created_at: toIso(person.createdAt),
  last_seen_at: toIsoOrNull(person.lastSeenAt),
  keys_made: person.keysMade,
  links_assigned: person.linksAssigned,
});

/** @param ownId id of the caller */
export const toColleague = (ownId: string) => (person: Person) => ({
  ...toUser(person),
  is_you: person.id === ownId,
});

const TEN_YEARS_MS = 10 * 366 * 86_400_000;

const Permissions = z.object({ read: z.boolean(), write: z.boolean() });

export const Key = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ example: "ci" }),
    prefix: z.string().meta({ example: "su_012345" }),
    permissions: Permissions,
    expires_at: z.string().nullable().meta({ example: null }),
    last_used_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Key" });

/** The old value of a key is accepted for `graceSeconds` more. */
export const KeyRotation = rotation(0);

/** The only replies that hold the value: those of creation and rotation. */
export const KeyWithValue = Key.extend({
  key: z.string().meta({ example: "su_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL" }),
}).meta({ id: "KeyWithValue" });

const permissions = () =>
  z
    .object({ read: flag().optional(), write: flag().optional() }, "must be an object")
    .refine(({ read, write }) => read !== false || write !== false, "must allow read or write");

export const NewKey = z.object(
  {
    name: text(100).meta({ example: "ci" }),
    permissions: permissions().optional(),
    expires_at: moment().nullable().optional(),
  },
  "must be a JSON object",
);
export type NewKey = z.output<typeof NewKey>;

export const KeyChange = z.object(
  {
    name: text(100).meta({ example: "ci, read only" }).optional(),
    permissions: permissions().optional(),
    expires_at: moment().nullable().optional(),
  },
  "must be a JSON object",
);
export type KeyChange = z.output<typeof KeyChange>;

/** What is wrong with the moment as an expiry; null when nothing is. Milliseconds. */
export function expiryProblem(at: number, now: number): string | null {
  if (at <= now) return "must be in the future";
  return at > now + TEN_YEARS_MS ? "must be within 10 years" : null;
}

const futureExpiry = (now: () => number) => ({
  expires_at: moment()
    .superRefine((at, context) => {
      const problem = expiryProblem(at, now());
      if (problem) context.addIssue(problem);
    })
    .meta({ example: "2035-01-01T00:00:00.000Z" })
    .nullable()
    .optional(),
});

/** `NewKey` with the rule that needs the time, so that all problems come in one answer. */
export const newKeyAt = (now: () => number) => NewKey.extend(futureExpiry(now));

export const keyChangeAt = (now: () => number) => KeyChange.extend(futureExpiry(now));

export const toKey = (row: ApiKeyRow): z.infer<typeof Key> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  permissions: { read: row.canRead, write: row.canWrite },
  expires_at: toIsoOrNull(row.expiresAt),
  last_used_at: toIsoOrNull(row.lastUsedAt),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

export const toKeyWithValue = ({ row, value }: { row: ApiKeyRow; value: string }) => ({
  ...toKey(row),
  key: value,
});

const SessionUser = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(ROLES),
  is_admin: z.boolean(),
  /** Whether signing in requires a code as well as the password. */
  two_factor: z.boolean(),
  has_password: z.boolean(),
  /** Whether they prove who they are at the OpenID provider instead of with a password. */
  proves_at_provider: z.boolean(),
  /** Until when they have done so in this session; null if they have not. */
  proved_until: z.string().nullable(),
});

/** What the dashboard shows first: set-up, sign-in or its pages. */
export const SessionState = z.object({
  state: z.enum(["setup", "signed-out", "signed-in"]),
  user: SessionUser.nullable(),
  /** The program's version; null without a session. */
  version: z.string().nullable(),
  /** Whether the cookie travels unencrypted, which the dashboard warns of. */
  insecure: z.boolean(),
  /** Whether this server sends e-mail. */
  sends_mail: z.boolean(),
  /** The OpenID provider that people sign in with; null without one. `only`: passwords are off. */
  oidc: z.object({ name: z.string(), only: z.boolean() }).nullable(),
  /** The state of the account before its pages read anything. Their event stream continues from it. */
  live: z.string().nullable(),
  /** Failed sign-ins before this session, until they are dismissed. */
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

/** `logout_url`: where the browser signs out at the OpenID provider as well; null if it does not. */
export const SignedOut = z.object({ logout_url: z.string().nullable() });

/** The id of a session is the beginning of its hash, which gives no access. */
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
      /** How it began. */
      via: z.enum(["password", "oidc"]),
    }),
  ),
});

/** `previous_ended_at`: when the person's visit before this one ended; null on the first. */
export const Visit = z.object({ previous_ended_at: z.string().nullable() });

export const TwoFactor = z.object({ is_on: z.boolean(), recovery_codes_left: z.int() });
export type TwoFactor = z.infer<typeof TwoFactor>;

/** Shown this once. */
export const FreshTwoFactor = z.object({ secret: z.string(), uri: z.string() });

/** A new session, with codes that are returned only once. */
export const TwoFactorOn = SessionState.extend({ recovery_codes: z.array(z.string()) });

/** Shown this once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

const newPassword = (shortest: number) =>
  someText.superRefine(async (value, context) => {
    const problem = await passwordProblem(value, shortest);
    if (problem) context.addIssue(problem);
  });

export const NewPassword = newPassword(SHORTEST_ALONE);

/** Hardly validated, since credentials that were valid once must stay valid. */
export const SignIn = z.object(
  {
    email: someText.max(LONGEST_EMAIL, "is too long for an e-mail address"),
    password: someText,
    code: code.optional(),
  },
  "must be a JSON object",
);
export type SignIn = z.output<typeof SignIn>;

/** What someone wants at the OpenID provider; each purpose needs its own of the other fields. */
export const OidcStart = z.object(
  {
    purpose: oneOf(["sign-in", "link", "prove", "invite", "setup"]),
    /** A path of the dashboard. */
    to: someText.optional(),
    token: someText.optional(),
    password: someText.optional(),
    code: code.optional(),
  },
  "must be a JSON object",
);

/** An empty password where the person proves who they are at the provider. */
export const OneProof = z.object(
  { password: someText, code: code.optional() },
  "must be a JSON object",
);

export const Setup = z.object(
  { token: someText, email: Email, password: NewPassword },
  "must be a JSON object",
);

/** The password is validated once its user is known. */
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

/** `new` is required when the current password is too short without a second factor. */
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

export type Shown = Pick<
  UserRow,
  "id" | "accountId" | "email" | "role" | "isAdmin" | "totpSecret" | "passwordHash"
>;

/** What is the same for everyone. */
type Installation = Pick<SessionState, "insecure" | "sends_mail" | "oidc">;
type Around = Installation & {
  live: string;
  failed: FailedSignIns | null | undefined;
  provedUntil: number | null;
};

export const toSignedIn = (
  user: Shown,
  { failed, provedUntil, ...around }: Around,
): SessionState => ({
  state: "signed-in",
  user: {
    id: user.id,
    email: user.email,
    role: user.role,
    is_admin: user.isAdmin,
    two_factor: user.totpSecret !== null,
    has_password: user.passwordHash !== null,
    proves_at_provider: around.oidc !== null && (around.oidc.only || user.passwordHash === null),
    proved_until: toIsoOrNull(provedUntil),
  },
  version: VERSION,
  ...around,
  failed_sign_ins: failed
    ? {
        count: failed.count,
        since: toIso(failed.since),
        networks: failed.networks,
        has_more: failed.hasMore,
      }
    : null,
});

export const toStranger = (
  state: "setup" | "signed-out",
  installation: Installation,
): SessionState => ({
  state,
  user: null,
  version: null,
  ...installation,
  live: null,
  failed_sign_ins: null,
});

export const toSession =
  (presentHash: string) =>
  ({ tokenHash, createdAt, lastSeenAt, userAgent, via }: SessionRow) => ({
    id: tokenHash.slice(0, SESSION_ID_LENGTH),
    browser: browserOf(userAgent),
    created_at: toIso(createdAt),
    last_seen_at: toIso(lastSeenAt),
    is_current: tokenHash === presentHash,
    via,
  });
