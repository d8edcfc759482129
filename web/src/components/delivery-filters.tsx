import {
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliveryStatus,
  type Totals,
} from "../lib/deliveries.ts";
import { STATUS_WORDS } from "../lib/delivery-words.ts";
import { DELIVERED_TYPES } from "../lib/webhook-words.ts";

type DeliveryFiltersProps = {
  filter: DeliveryFilter;
  /** Unknown until they are counted. */
  totals: Totals | undefined;
  hrefOf: (filter: DeliveryFilter) => string;
  onChange: (filter: DeliveryFilter) => void;
};

/** Which deliveries are shown. A status that none has is not offered, unless it is the one chosen. */
export function DeliveryFilters({ filter, totals, hrefOf, onChange }: DeliveryFiltersProps) {
  const offered = DELIVERY_STATUSES.filter((each) => totals?.[each] || each === filter.status);
  const change = (more: Partial<DeliveryFilter>) => ({ ...filter, page: 1, delivery: "", ...more });
  return (
    <div class="filters">
      <nav class="chips" aria-label="Filter by status">
        {[undefined, ...offered].map((status) => (
          <a
            key={status ?? "all"}
            href={hrefOf(change({ status }))}
            title={status && STATUS_WORDS[status].meaning}
            aria-current={filter.status === status ? "true" : undefined}
          >
            {status ? STATUS_WORDS[status].word : "All"}{" "}
            {totals && <Count status={status} totals={totals} />}
          </a>
        ))}
      </nav>
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

function Count({ status, totals }: { status: DeliveryStatus | undefined; totals: Totals }) {
  const all = Object.values(totals).reduce((before, count) => before + count, 0);
  return <span class="count">{(status ? totals[status] : all).toLocaleString("en")}</span>;
}
