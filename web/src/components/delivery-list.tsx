import type { Delivery } from "../lib/deliveries.ts";
import { storyOf } from "../lib/delivery-words.ts";
import { DeliveryStatus } from "./delivery-status.tsx";
import { Moment } from "./moment.tsx";

type DeliveryListProps = { deliveries: Delivery[]; hrefOf: (id: string) => string };

export const DeliveryList = ({ deliveries, hrefOf }: DeliveryListProps) => (
  <ul class="rows deliveries" aria-label="Deliveries">
    {deliveries.map((delivery) => (
      <li key={delivery.id}>
        <DeliveryRow delivery={delivery} href={hrefOf(delivery.id)} />
      </li>
    ))}
  </ul>
);

const DeliveryRow = ({ delivery, href }: { delivery: Delivery; href: string }) => (
  <>
    <DeliveryStatus of={delivery.status} />
    <div class="what">
      <a class="url" href={href}>
        {delivery.event}
      </a>
      {delivery.last_attempt?.trigger === "test" && <span class="tag">test</span>}
      <p class="why">
        <Story delivery={delivery} />
      </p>
    </div>
    <p class="code-of">{codeOf(delivery)}</p>
    <p class="when">
      <Moment at={delivery.created_at} />
      <span>{attemptsOf(delivery)}</span>
    </p>
  </>
);

/** What became of it and why, and when it goes on. */
export const Story = ({ delivery }: { delivery: Delivery }) => (
  <>
    {storyOf(delivery)}
    {delivery.next_attempt_at && <Next at={delivery.next_attempt_at} />}
  </>
);

/** What is due already is only waiting for its turn. */
const Next = ({ at }: { at: string }) => (
  <> {Date.parse(at) > Date.now() ? <Moment at={at} /> : "in a moment"}.</>
);

const codeOf = ({ last_attempt: last }: Delivery) =>
  last && last.status_code > 0 ? last.status_code : "–";

const attemptsOf = ({ attempts, status }: Delivery) => {
  if (attempts === 0) return status === "pending" ? "not tried yet" : "not tried";
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
};
