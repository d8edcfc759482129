import * as z from "zod";
import { type AccountRow, TIERS } from "../db/tables.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";

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
