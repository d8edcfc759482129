import type { LinkEvent, LinkEventDelivery } from "../lib/link.ts";
import { EVENTS } from "../lib/webhook-words.ts";
import { Moment } from "./elements.tsx";

export const LinkEventList = ({ events }: { events: LinkEvent[] }) => (
  <ul class="link-events">
    {events.map((event) => (
      <li key={event.id}>
        <p>
          {event.event === "digest" ? "Digest" : EVENTS[event.event].title}
          <code>{event.event}</code>
        </p>
        <Moment at={event.created_at} />
        {event.deliveries.length === 0 ? (
          <p class="hint">Its webhook is gone.</p>
        ) : (
          <ul>
            {event.deliveries.map((delivery) => (
              <Delivery key={delivery.webhook_id} eventId={event.id} delivery={delivery} />
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
);

type DeliveryProps = { eventId: string; delivery: LinkEventDelivery };

const Delivery = ({ eventId, delivery }: DeliveryProps) => (
  <li>
    <a href={`/webhooks/${delivery.webhook_id}?delivery=${eventId}`}>{delivery.webhook_host}</a>
    <span class={`sent text-${TONES[delivery.status]}`}>{WORDS[delivery.status]}</span>
    <span class="hint">
      {attemptsText(delivery)}
      {delivery.next_attempt_at && delivery.attempts > 0 && (
        <>
          , next <Moment at={delivery.next_attempt_at} />
        </>
      )}
    </span>
  </li>
);

function attemptsText({ attempts, last_status_code: code }: LinkEventDelivery): string {
  if (attempts === 0) return "not tried yet";
  const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  if (code === null) return count;
  return code === 0 ? `${count}, no answer` : `${count}, answered ${code}`;
}

const WORDS: Record<LinkEventDelivery["status"], string> = {
  pending: "Waiting",
  delivering: "Under way",
  succeeded: "Delivered",
  failed: "Failed, will retry",
  exhausted: "Failed permanently",
  cancelled: "Unsubscribed",
  expired: "Waited too long",
  paused: "Held until switched on",
  digested: "Sent in a digest",
};

const TONES: Record<LinkEventDelivery["status"], "good" | "bad" | "unsure" | "busy"> = {
  pending: "busy",
  delivering: "busy",
  succeeded: "good",
  failed: "unsure",
  exhausted: "bad",
  cancelled: "unsure",
  expired: "bad",
  paused: "unsure",
  digested: "good",
};
