import { completeBatches } from "../server/links/complete-batches.ts";
import { fillBatches } from "../server/links/fill-batches.ts";
import { type CheckerDeps, checkOne } from "../server/monitor/checker.ts";
import { type ClaimedLink, claimDueLinks } from "../server/monitor/claim.ts";
import { recordResults } from "../server/monitor/record.ts";
import { claimDue, type DueWebhook } from "../server/notify/claim.ts";
import { attempt, type DeliveryOptions } from "../server/notify/deliverer.ts";
import { releaseDeliveries } from "../server/notify/leases.ts";
import { AT_ONCE, AT_ONCE_PER_WEBHOOK, slotsLeft } from "../server/notify/per-webhook-queues.ts";
import { settle } from "../server/notify/settle.ts";
import type { Deps } from "../server/work/deps.ts";

/** Fills batches, claims due links, checks them all and records the results. Returns how many links that were. */
export async function checkDueLinks(deps: CheckerDeps): Promise<number> {
  await fillBatches(deps);
  const claimed = await claimDueLinks(deps, deps.config.checkConcurrency);
  const { signal } = new AbortController();
  const check = async (link: ClaimedLink) => {
    const conclusion = await checkOne(deps, link, signal);
    return { link, conclusion, at: deps.clock.now() };
  };
  await recordResults(deps, await Promise.all(claimed.map(check)));
  await completeBatches(deps);
  return claimed.length;
}

/** Claims due deliveries, sends them all and records the outcomes. Returns how many deliveries that were. */
export async function deliverDue(deps: Deps, options: DeliveryOptions = {}): Promise<number> {
  const { claimed } = await claimDue(deps, new Map(), shareOut);
  const sent = await Promise.all(claimed.map((delivery) => attempt(deps, delivery, options)));
  const ended = sent.filter((each) => typeof each === "object");
  if (ended.length > 0) await settle(deps, ended);
  await releaseDeliveries(
    deps,
    claimed.filter((_, i) => sent[i] === "unsent"),
  );
  return claimed.length;
}

/** One to each before a second to any; the one that has waited longest comes first. */
function shareOut(due: DueWebhook[]): Map<string, number> {
  const inOrder = due.toSorted((a, b) => (a.lastDeliveryAt ?? 0) - (b.lastDeliveryAt ?? 0));
  const shares = new Map<string, number>();
  let left = AT_ONCE;
  for (let level = 0; level < AT_ONCE_PER_WEBHOOK; level++) {
    for (const { id: webhookId, heldElsewhere } of inOrder) {
      if (level >= slotsLeft(heldElsewhere) || left === 0) continue;
      shares.set(webhookId, (shares.get(webhookId) ?? 0) + 1);
      left--;
    }
  }
  return shares;
}
