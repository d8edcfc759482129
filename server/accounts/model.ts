import * as z from "zod";
import { type AccountRow, TIERS } from "../db/tables.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";

export const Account = z
  .object({
    id: z.uuid(),
    email: z.string(),
    tier: z.enum(TIERS),
    limits: z.object({
      links: z.int(),
      linksUsed: z.int(),
      apiKeys: z.int(),
      webhooks: z.int(),
    }),
    createdAt: z.string(),
  })
  .meta({ id: "Account" });

export const Usage = z
  .object({
    requests: z.object({ total: z.int(), thisMonth: z.int(), today: z.int() }),
    links: z.object({ total: z.int(), active: z.int(), dead: z.int() }),
    checks: z.object({ thisMonth: z.int(), lastCheck: z.string().nullable() }),
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
