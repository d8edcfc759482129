import * as z from "zod";
import { flag, oneOf, optionalText, paging } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";
import { Email } from "../session/model.ts";
import { type AccountRow, ROLES, TIERS, type UserRow } from "../store/tables.ts";

/** Someone who can sign in, and when they were last seen in a session that is kept. */
export type Person = UserRow & { lastSeenAt: number | null };

/** An account with its people and the number of its links. */
export type AdminAccount = { account: AccountRow; linksUsed: number; people: Person[] };

const User = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(ROLES),
  is_admin: z.boolean(),
  two_factor: z.boolean(),
  has_password: z.boolean(),
  created_at: z.string(),
  last_seen_at: z.string().nullable(),
});

export const Account = z.object({
  id: z.uuid(),
  email: z.string(),
  tier: z.enum(TIERS),
  links_used: z.int(),
  users: z.array(User),
  created_at: z.string(),
});

/** `token` belongs behind `/password#token=`, and is told this once. */
export const Invitation = z.object({ email: z.string(), token: z.string() });

export const State = z.object({
  version: z.string(),
  started_at: z.string(),
  database: z.object({
    engine: z.enum(["sqlite", "postgres"]),
    bytes: z.int(),
    migration: z.string(),
    accounts: z.int(),
    users: z.int(),
    links: z.int(),
    deliveries_waiting: z.int(),
  }),
  checker: z.object({
    is_running: z.boolean(),
    at_once: z.int(),
    checks_today: z.int(),
    history_days: z.int(),
  }),
  tiers: z.array(
    z.object({
      tier: z.enum(TIERS),
      links: z.int(),
      api_keys: z.int(),
      webhooks: z.int(),
      api: z.boolean(),
    }),
  ),
});

export const AccountQuery = z.object({ search: optionalText(255).optional(), ...paging() });
export type AccountQuery = z.output<typeof AccountQuery>;

export const NewAccount = z.object(
  { email: Email, tier: oneOf(TIERS).optional() },
  "must be a JSON object",
);

export const AccountChange = z.object({ tier: oneOf(TIERS) }, "must be a JSON object");

export const NewPerson = z.object({ email: Email, role: oneOf(ROLES) }, "must be a JSON object");

export const PersonChange = z.object(
  { role: oneOf(ROLES).optional(), is_admin: flag().optional() },
  "must be a JSON object",
);
export type PersonChange = z.output<typeof PersonChange>;

export const toAccount = ({ account, linksUsed, people }: AdminAccount) => ({
  id: account.id,
  email: account.email,
  tier: account.tier,
  links_used: linksUsed,
  users: people.map(toUser),
  created_at: toIso(account.createdAt),
});

const toUser = (person: Person): z.infer<typeof User> => ({
  id: person.id,
  email: person.email,
  role: person.role,
  is_admin: person.isAdmin,
  two_factor: person.totpSecret !== null,
  has_password: person.passwordHash !== null,
  created_at: toIso(person.createdAt),
  last_seen_at: toIsoOrNull(person.lastSeenAt),
});
