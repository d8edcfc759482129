import * as z from "zod";
import { type ApiKeyRow, ROLES, type UserRow } from "../db/tables.ts";
import { flag, moment, oneOf, queryFlag, text } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";

import { code, Email, someText } from "./session-model.ts";

/** Someone who can sign in, and when they were last seen in a session that is kept. */
export type Person = UserRow & {
  lastSeenAt: number | null;
  /** API keys whose values they know and that are not revoked. */
  keysMade: number;
};

export const User = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(ROLES),
  is_admin: z.boolean(),
  two_factor: z.boolean(),
  has_password: z.boolean(),
  created_at: z.string(),
  last_seen_at: z.string().nullable(),
  /** How many API keys they made that are not revoked. */
  keys_made: z.int(),
});

const Colleague = User.extend({ is_you: z.boolean() });

export const People = z.object({ items: z.array(Colleague) });

/** `token` belongs after `/password#token=`, and is returned only once. */
export const Invitation = z.object({ email: z.string(), token: z.string() });

export const NewPerson = z.object({ email: Email, role: oneOf(ROLES) }, "must be a JSON object");
export type NewPerson = z.output<typeof NewPerson>;

export const RoleChange = z.object({ role: oneOf(ROLES) }, "must be a JSON object");

/** Whether the API keys that the person made are revoked as well. */
export const Removal = z.object({ revoke_keys: queryFlag().optional() });

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
  created_at: toIso(person.createdAt),
  last_seen_at: toIsoOrNull(person.lastSeenAt),
  keys_made: person.keysMade,
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
