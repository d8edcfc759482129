import * as z from "zod";
import { type AccountRow, type ApiKeyRow, ROLES, TIERS, type UserRow } from "../db/tables.ts";
import { flag, moment, oneOf, queryFlag, text } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";
import { Email } from "./session-model.ts";

export const Account = z
  .object({
    id: z.uuid(),
    email: z.string().meta({ example: "owner@example.com" }),
    tier: z.enum(TIERS).meta({ example: "business" }),
    limits: z
      .object({
        links: z.int(),
        linksUsed: z.int(),
        apiKeys: z.int(),
        webhooks: z.int(),
      })
      .meta({ example: { links: 50000, linksUsed: 57, apiKeys: 25, webhooks: 25 } }),
    createdAt: z.string(),
  })
  .meta({ id: "Account" });

export const Usage = z
  .object({
    requests: z
      .object({ total: z.int(), thisMonth: z.int(), today: z.int() })
      .meta({ example: { total: 48210, thisMonth: 3120, today: 412 } }),
    links: z
      .object({ total: z.int(), active: z.int(), dead: z.int() })
      .meta({ example: { total: 57, active: 49, dead: 5 } }),
    checks: z.object({
      thisMonth: z.int().meta({ example: 1764 }),
      lastCheck: z.string().nullable(),
    }),
  })
  .meta({ id: "Usage" });

/** An account, what its tier allows, and how much of that is taken. */
export type AccountState = {
  account: AccountRow;
  limits: { links: number; apiKeys: number; webhooks: number };
  linksUsed: number;
};

/** Counts by the UTC day and calendar month; `lastCheckAt` in milliseconds. */
export type UsageCounts = {
  requests: { total: number; thisMonth: number; today: number };
  links: { total: number; active: number; dead: number };
  checks: { thisMonth: number; lastCheckAt: number | null };
};

export const toAccount = ({
  account,
  limits,
  linksUsed,
}: AccountState): z.infer<typeof Account> => ({
  id: account.id,
  email: account.email,
  tier: account.tier,
  limits: {
    links: limits.links,
    linksUsed,
    apiKeys: limits.apiKeys,
    webhooks: limits.webhooks,
  },
  createdAt: toIso(account.createdAt),
});

export const toUsage = ({ requests, links, checks }: UsageCounts): z.infer<typeof Usage> => ({
  requests,
  links: { total: links.total, active: links.active, dead: links.dead },
  checks: { thisMonth: checks.thisMonth, lastCheck: toIsoOrNull(checks.lastCheckAt) },
});

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

const someText = z.string({
  error: ({ input }) => (input === undefined ? "is required" : "must be a text"),
});

/** The account's e-mail, typed to show that it is meant, and a proof of who asks. */
export const AccountDeletion = z.object(
  {
    email: someText,
    password: someText,
    code: someText.max(64, "is too long for a code").optional(),
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
