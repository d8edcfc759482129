import {
  Archive,
  Ban,
  CircleCheck,
  CirclePause,
  CircleX,
  Clock,
  Layers,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
} from "lucide-preact";
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryFilter,
  STATUS_WORDS,
  type DeliveryStatus as Status,
  storyOf,
  type Totals,
} from "../lib/deliveries.ts";
import { DELIVERED_TYPES } from "../lib/webhook-words.ts";
import { Chips, Moment, Pill } from "./elements.tsx";

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

export const Story = ({ delivery }: { delivery: Delivery }) => (
  <>
    {storyOf(delivery)}
    {delivery.next_attempt_at && <Next at={delivery.next_attempt_at} />}
  </>
);

/** An attempt that is already due waits only for its turn. */
const Next = ({ at }: { at: string }) => (
  <> {Date.parse(at) > Date.now() ? <Moment at={at} /> : "in a moment"}.</>
);

const codeOf = ({ last_attempt: last }: Delivery) =>
  last && last.status_code > 0 ? last.status_code : "–";

const attemptsOf = ({ attempts, status }: Delivery) => {
  if (attempts === 0) return status === "pending" ? "not tried yet" : "not tried";
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
};

type DeliveryFiltersProps = {
  filter: DeliveryFilter;
  /** Undefined until loaded. */
  totals: Totals | undefined;
  hrefOf: (filter: DeliveryFilter) => string;
  onChange: (filter: DeliveryFilter) => void;
};

/** Offers only statuses that exist, and the chosen one. */
export function DeliveryFilters({ filter, totals, hrefOf, onChange }: DeliveryFiltersProps) {
  const offered = DELIVERY_STATUSES.filter((each) => totals?.[each] || each === filter.status);
  const change = (more: Partial<DeliveryFilter>) => ({ ...filter, page: 1, delivery: "", ...more });
  return (
    <div class="filters">
      <Chips
        label="Filter by status"
        chips={[undefined, ...offered].map((status) => ({
          name: status ? STATUS_WORDS[status].word : "All",
          href: hrefOf(change({ status })),
          title: status && STATUS_WORDS[status].meaning,
          isOn: filter.status === status,
          count: totals && countOf(totals, status),
        }))}
      />
      <select
        aria-label="Event"
        value={filter.event ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange(change({ event: DELIVERED_TYPES.find((event) => event === value) }))
        }
      >
        <option value="">All events</option>
        {DELIVERED_TYPES.map((event) => (
          <option key={event} value={event}>
            {event}
          </option>
        ))}
      </select>
    </div>
  );
}

const countOf = (totals: Totals, status: Status | undefined) =>
  status ? totals[status] : Object.values(totals).reduce((sum, count) => sum + count, 0);

const LOOKS: Record<Status, { Icon: LucideIcon; look: string }> = {
  pending: { Icon: Clock, look: "waiting" },
  delivering: { Icon: LoaderCircle, look: "checking" },
  succeeded: { Icon: CircleCheck, look: "active" },
  failed: { Icon: RotateCw, look: "unknown" },
  exhausted: { Icon: CircleX, look: "dead" },
  cancelled: { Icon: Ban, look: "calm" },
  paused: { Icon: CirclePause, look: "calm" },
  expired: { Icon: Archive, look: "dead" },
  digested: { Icon: Layers, look: "calm" },
};

export function DeliveryStatus({ of }: { of: Status }) {
  const { Icon, look } = LOOKS[of];
  const { word, meaning } = STATUS_WORDS[of];
  return (
    <Pill Icon={Icon} look={`status-${look}`} title={meaning}>
      {word}
    </Pill>
  );
}
