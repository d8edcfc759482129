import type { DueWebhook } from "../../server/notify/claim.ts";
import type { ClaimedDelivery } from "../../server/notify/delivery-steps.ts";
import { createPerWebhookQueues } from "../../server/notify/per-webhook-queues.ts";
import { movableClock } from "../clock.ts";
import { START } from "../harness.ts";

/** What a receiver takes that never answers. */
export const SLOW_MS = 15_000;
export const names = (count: number) => Array.from({ length: count }, (_, i) => `webhook ${i}`);

export const claimedFor = (webhookId: string, count: number): ClaimedDelivery[] =>
  Array.from({ length: count }, (_, i) => ({
    webhookId,
    lease: "lease",
    heldUntil: Number.POSITIVE_INFINITY,
    attempts: 1,
    scheduledAttempts: 1,
    resting: null,
    event: { id: `${i}`, accountId: "", type: "link.created", data: "{}", createdAt: 0 },
  }));

export const due = (id: string, more: Partial<DueWebhook> = {}): DueWebhook => ({
  id,
  heldElsewhere: 0,
  lastDeliveryAt: null,
  isFailing: false,
  isMail: false,
  ...more,
});

/** Queues on a clock of their own. */
export function openQueues() {
  const clock = movableClock(START);
  const queues = createPerWebhookQueues(clock);
  const take = (claimed: ClaimedDelivery[]) => {
    queues.wanted([...new Set(webhooksOf(claimed))].map((id) => due(id)));
    queues.add(claimed);
  };
  return {
    clock,
    ...queues,
    /** Takes what was claimed, whether or not so much was wanted. */
    take,
    /** Begins all that may be begun. */
    beginAll() {
      const begun: ClaimedDelivery[] = [];
      for (let next = queues.begin(); next; next = queues.begin()) begun.push(next);
      return begun;
    },
    /** Claims as many as are wanted for one webhook, or fewer; says how many were wanted. */
    claim(id: string, { most = 1000, heldElsewhere = 0 } = {}) {
      const wanted = queues.wanted([due(id, { heldElsewhere })]).get(id) ?? 0;
      queues.add(claimedFor(id, Math.min(wanted, most)));
      return wanted;
    },
    /** One delivery from its claim to its end, while another of the webhook waits. */
    paced(id: string, paceMs: number) {
      take(claimedFor(id, 2));
      queues.end(queues.begin()!, paceMs);
    },
  };
}

export const webhooksOf = (claimed: ClaimedDelivery[]) => claimed.map(({ webhookId }) => webhookId);
