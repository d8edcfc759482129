import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import { RotateCw } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DeliveryFilters } from "../components/delivery-filters.tsx";
import { DeliveryList } from "../components/delivery-list.tsx";
import { Pager } from "../components/pager.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import {
  type Delivery,
  type DeliveryFilter,
  hrefOfDeliveries,
  listDeliveries,
  readDeliveryFilter,
  refreshDeliveriesAfter,
} from "../lib/deliveries.ts";
import { useCanWrite } from "../lib/session.ts";
import { WEBHOOKS, type Webhook } from "../lib/webhooks.ts";
import { DeliveryDialog } from "./webhook-delivery.tsx";
import { RedeliverFailed } from "./webhook-redeliver.tsx";
import { totalsOf } from "./webhook-totals.ts";

/** What was sent to the webhook and what waits for it. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { query, route } = useLocation();
  const filter = readDeliveryFilter(query);
  const deliveries = useDeliveries(webhook.id, filter);
  const totals = useQuery(totalsOf(webhook.id));
  useRestAfter(webhook.id, deliveries.data?.items);
  const hrefOf = (next: DeliveryFilter) => hrefOfDeliveries(webhook.id, next);
  const close = () => route(hrefOf({ ...filter, delivery: "" }), true);
  return (
    <section>
      <LogHead webhook={webhook} />
      <DeliveryFilters
        filter={filter}
        totals={totals.data}
        hrefOf={hrefOf}
        onChange={(next) => route(hrefOf(next), true)}
      />
      <Loaded query={deliveries}>
        {({ items, pagination }) => (
          <>
            {items.length > 0 ? (
              <DeliveryList
                deliveries={items}
                hrefOf={(delivery) => hrefOf({ ...filter, delivery })}
              />
            ) : (
              <Nothing filter={filter} webhookId={webhook.id} />
            )}
            {pagination.total > 0 && (
              <Pager
                pagination={pagination}
                what="deliveries"
                hrefOf={(page) => hrefOf({ ...filter, page })}
              />
            )}
          </>
        )}
      </Loaded>
      {filter.delivery && (
        <DeliveryDialog
          webhook={webhook}
          id={filter.delivery}
          hrefOf={(delivery) => hrefOf({ ...filter, delivery })}
          onClose={close}
        />
      )}
    </section>
  );
}

const useDeliveries = (id: string, filter: DeliveryFilter) => {
  const { status, event, page } = filter;
  return useQuery({
    queryKey: [...WEBHOOKS, id, "deliveries", { status, event, page }],
    queryFn: () => listDeliveries(id, filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshDeliveriesAfter(state.data?.items),
  });
};

/** What becomes of a delivery changes the counts and the webhook's health as well. */
function useRestAfter(id: string, items: Delivery[] | undefined) {
  const client = useQueryClient();
  const seen = items?.map((each) => `${each.id} ${each.status} ${each.attempts}`).join();
  const before = useRef(seen);
  useEffect(() => {
    const isNews = before.current !== undefined && before.current !== seen;
    before.current = seen;
    for (const what of isNews ? ["totals", "one"] : []) {
      client.invalidateQueries({ queryKey: [...WEBHOOKS, id, what] });
    }
  }, [seen]);
}

function LogHead({ webhook }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <header class="page-head">
      <div>
        <h2>Deliveries</h2>
        <p class="hint">What was sent in the last 30 days, and what waits.</p>
      </div>
      {useCanWrite() && (
        <button
          type="button"
          disabled={!webhook.is_active}
          title={webhook.is_active ? undefined : "Switch the webhook on first"}
          onClick={() => setAsking(true)}
        >
          <RotateCw aria-hidden="true" />
          Redeliver what failed
        </button>
      )}
      {isAsking && <RedeliverFailed webhook={webhook} onClose={() => setAsking(false)} />}
    </header>
  );
}

function Nothing({ filter, webhookId }: { filter: DeliveryFilter; webhookId: string }) {
  if (filter.status || filter.event || filter.page > 1) {
    return (
      <Empty title="No delivery matches">
        <p>
          <a class="button" href={`/webhooks/${webhookId}`}>
            Show all deliveries
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was sent yet">
      <p>Each event that is sent to the webhook is listed here. Send a test to see one.</p>
    </Empty>
  );
}
