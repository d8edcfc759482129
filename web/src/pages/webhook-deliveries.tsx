import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { RotateCw } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DeliveryFilters, DeliveryList } from "../components/deliveries.tsx";
import { DeliveryDetails } from "../components/delivery-details.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FormFooter, Problem, problemOf, SelectField } from "../components/form.tsx";
import { NoMatch, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useToast } from "../components/toast.tsx";
import { withTexts } from "../lib/browser.ts";
import {
  type Delivery,
  type DeliveryDetail,
  type DeliveryFilter,
  findDelivery,
  hrefOfDeliveries,
  listDeliveries,
  readDeliveryFilter,
  redeliver,
  redeliverFailed,
  refreshDeliveriesAfter,
} from "../lib/deliveries.ts";
import { useCanWrite } from "../lib/session.ts";
import { WEBHOOKS, type Webhook } from "../lib/webhooks.ts";
import { totalsOf } from "./webhook-tasks.tsx";

export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { query, route } = useLocation();
  const filter = readDeliveryFilter(query);
  const deliveries = useDeliveries(webhook.id, filter);
  const totals = useQuery(totalsOf(webhook.id));
  useWebhookRefetch(webhook.id, deliveries.data?.items);
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

/** A delivery also changes the totals and the webhook's health. */
function useWebhookRefetch(id: string, items: Delivery[] | undefined) {
  const client = useQueryClient();
  const seen = items?.map((each) => `${each.id} ${each.status} ${each.attempts}`).join();
  const before = useRef(seen);
  useEffect(() => {
    const isChanged = before.current !== undefined && before.current !== seen;
    before.current = seen;
    for (const what of isChanged ? ["totals", "one"] : []) {
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
        <p class="hint">Deliveries of the last 30 days, and pending ones.</p>
      </div>
      {useCanWrite() && (
        <button
          type="button"
          disabled={!webhook.is_active}
          title={webhook.is_active ? undefined : "Switch the webhook on first"}
          onClick={() => setAsking(true)}
        >
          <RotateCw aria-hidden="true" />
          Redeliver failed
        </button>
      )}
      {isAsking && <RedeliverFailed webhook={webhook} onClose={() => setAsking(false)} />}
    </header>
  );
}

function Nothing({ filter, webhookId }: { filter: DeliveryFilter; webhookId: string }) {
  if (filter.status || filter.event || filter.page > 1) {
    return (
      <NoMatch
        title="No delivery matches"
        href={`/webhooks/${webhookId}`}
        showAll="Show all deliveries"
      />
    );
  }
  return (
    <Empty title="Nothing was sent yet">
      <p>Each event that is sent to the webhook is listed here. Send a test to see one.</p>
    </Empty>
  );
}

type DeliveryDialogProps = {
  webhook: Webhook;
  id: string;
  hrefOf: (id: string) => string;
  onClose: () => void;
};

function DeliveryDialog({ webhook, id, hrefOf, onClose }: DeliveryDialogProps) {
  const delivery = useQuery({
    queryKey: [...WEBHOOKS, webhook.id, "delivery", id],
    queryFn: () => findDelivery(webhook.id, id),
    refetchInterval: ({ state }) => refreshDeliveriesAfter(state.data && [state.data]),
  });
  const canWrite = useCanWrite();
  return (
    <Dialog title="Delivery" onClose={onClose}>
      <div class="sheet">
        <Loaded query={delivery}>
          {(found) => (
            <>
              <DeliveryDetails delivery={found} format={webhook.format} hrefOf={hrefOf} />
              {canWrite && <Redeliver webhook={webhook} delivery={found} />}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Redeliver({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryDetail }) {
  const toast = useToast();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(webhook.id, delivery.id),
    onSuccess: () => toast("It is sent once more."),
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  return (
    <div class="redeliver">
      <Problem error={again.error} />
      <footer>
        <p class="hint">
          {webhook.is_active
            ? "Sends it once more, with the same webhook-id, to where the webhook is now."
            : "The webhook is off. Switch it on to send this once more."}
        </p>
        <button
          type="button"
          disabled={!webhook.is_active || again.isPending}
          onClick={() => again.mutate()}
        >
          <RotateCw aria-hidden="true" />
          Redeliver
        </button>
      </footer>
    </div>
  );
}

const HOUR_MS = 3_600_000;
/** The server allows at most 14 days by its own clock, when the request arrives. */
const MOST_HOURS = 14 * 24 - 0.1;
const SPANS = [
  { value: 1, name: "The last hour" },
  { value: 24, name: "The last 24 hours" },
  { value: 72, name: "The last 3 days" },
  { value: 168, name: "The last 7 days" },
  { value: MOST_HOURS, name: "The last 14 days" },
];
const USUAL_HOURS = 24;

function RedeliverFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const toast = useToast();
  const client = useQueryClient();
  const all = useMutation({
    mutationFn: (hours: number) =>
      redeliverFailed(webhook.id, new Date(Date.now() - hours * HOUR_MS).toISOString()),
    onSuccess: ({ queued }) => {
      toast(saidOf(queued));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  const submit = withTexts(["hours"], ({ hours }) => all.mutate(Number(hours)));
  return (
    <Dialog title="Redeliver failed" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Everything that will be retried, was given up or is too old is sent once more. A receiver
          that has an event already knows it by its <code>webhook-id</code>. Tests are left out.
        </p>
        <SelectField
          label="What happened in"
          name="hours"
          options={SPANS}
          chosen={USUAL_HOURS}
          problem={problemOf(all.error, "since")}
        />
        <Problem error={all.error} fields={["since"]} />
        <FormFooter action="Redeliver" busy={all.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function saidOf(queued: number): string {
  if (queued === 0) return "Nothing failed in that time.";
  return queued === 1
    ? "1 delivery is sent once more."
    : `${queued.toLocaleString("en")} deliveries are sent once more.`;
}
