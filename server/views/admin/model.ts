import * as z from "zod";
import { type Person, toUser, User } from "../../accounts/model.ts";
import { Email } from "../../accounts/session-model.ts";
import { type AccountRow, ofWorks, ROLES, TIERS } from "../../db/tables.ts";
import { flag, oneOf, optionalText, paging } from "../../lib/fields.ts";
import { toIso } from "../../lib/moments.ts";
import { TROUBLE_NAMES } from "../../lib/troubles.ts";
import { MONITOR_STATES } from "../../verdict/online/online.ts";

/** An account with its people and the number of its links. */
export type AdminAccount = { account: AccountRow; linksUsed: number; people: Person[] };

export const Account = z.object({
  id: z.uuid(),
  email: z.string(),
  tier: z.enum(TIERS),
  links_used: z.int(),
  users: z.array(User),
  created_at: z.string(),
});

export const State = z.object({
  version: z.string(),
  started_at: z.string(),
  /** What is wrong with the installation as a whole now, and what to do about it. */
  troubles: z.array(
    z.object({ name: z.enum(TROUBLE_NAMES), message: z.string(), since: z.string() }),
  ),
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

export const Node = z.object({
  id: z.string(),
  name: z.string(),
  /** A later version may have others. */
  roles: z.array(z.string()),
  version: z.string(),
  started_at: z.string(),
  seen_at: z.string(),
  is_live: z.boolean(),
  /** Whether it is the one that answers. */
  is_this: z.boolean(),
  online: z.enum(MONITOR_STATES),
  /** So far its own clock is ahead of the database's. */
  clock_off_ms: z.int(),
  /** For how long the work that is due longest has been due; null where it does none. */
  lag_ms: ofWorks(z.int().nullable()),
  /** What part of the work is its own, between 0 and 1. */
  share: ofWorks(z.number()),
});

export const Nodes = z.object({
  /** Whether other processes may serve the same database. */
  is_shared: z.boolean(),
  items: z.array(Node),
});

export const AccountQuery = z.object({ search: optionalText(255).optional(), ...paging() });
export type AccountQuery = z.output<typeof AccountQuery>;

export const NewAccount = z.object(
  { email: Email, tier: oneOf(TIERS).optional() },
  "must be a JSON object",
);

export const AccountChange = z.object({ tier: oneOf(TIERS) }, "must be a JSON object");

export const PersonChange = z.object(
  { role: oneOf(ROLES).optional(), is_admin: flag().optional() },
  "must be a JSON object",
);

export const toAccount = ({ account, linksUsed, people }: AdminAccount) => ({
  id: account.id,
  email: account.email,
  tier: account.tier,
  links_used: linksUsed,
  users: people.map(toUser),
  created_at: toIso(account.createdAt),
});
