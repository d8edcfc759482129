import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { chunksOf } from "../server/ground/lib/steps.ts";
import type { EventType } from "../server/ground/lib/vocabulary.ts";
import { OPERATOR } from "../server/http/caller.ts";
import { sampleOf } from "../server/notify/event-types.ts";
import { type NewEvent, publishEvents } from "../server/notify/events.ts";
import { createWebhook } from "../server/notify/webhooks.ts";
import { makeChange } from "../server/work/unit.ts";

type Webhooks = {
  urls: string[];
  events?: EventType[];
  /** How many messages about dead links wait to be sent to each. */
  pending?: number;
};

const ROWS_AT_ONCE = 5000;

/** Webhooks on this machine that get first verdicts too, for an account that is there already. Every message is about another link. */
export async function seedWebhooks(
  env: Record<string, string>,
  accountId: string,
  { urls, events = ["link.dead"], pending = 0 }: Webhooks,
): Promise<void> {
  const allowed = { STILLUP_WEBHOOK_ALLOWED_HOSTS: "loopback" };
  const { deps } = await openDeps(readConfig({ ...env, ...allowed }), systemClock);
  const permissions = { read: true, write: true };
  const caller = {
    accountId,
    accountNo: 0,
    tier: "enterprise" as const,
    permissions,
    by: OPERATOR,
  };
  for (const url of urls)
    await makeChange(deps, caller, (unit) =>
      createWebhook(unit, caller, { url, events, first_verdicts: true }),
    );
  const at = Date.now() - pending;
  const happened = Array.from({ length: pending }, (_, n) => deadLink(accountId, at + n));
  for (const some of chunksOf(ROWS_AT_ONCE, happened)) {
    await deps.store.transaction((tx) => publishEvents(tx, some));
  }
  await deps.store.engine.close();
}

const deadLink = (accountId: string, at: number): NewEvent => ({
  type: "link.dead",
  accountId,
  at,
  data: sampleOf("link.dead", at),
});
