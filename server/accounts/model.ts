import * as z from "zod";
import { type AccountRow, ROLES, TIERS, type UserRow } from "../db/tables.ts";
import { oneOf, queryFlag } from "../lib/fields.ts";
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
  links,
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
