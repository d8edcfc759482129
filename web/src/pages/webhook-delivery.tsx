import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { RotateCw } from "lucide-preact";
import { DeliveryDetails } from "../components/delivery-details.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Problem } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { Loaded } from "../components/states.tsx";
import {
  type DeliveryDetail,
  findDelivery,
  redeliver,
  refreshDeliveriesAfter,
} from "../lib/deliveries.ts";
import { useCanWrite } from "../lib/session.ts";
import { WEBHOOKS, type Webhook } from "../lib/webhooks.ts";

type DeliveryDialogProps = {
  webhook: Webhook;
  id: string;
  hrefOf: (id: string) => string;
  onClose: () => void;
};

/** One delivery, opened by the address. */
export function DeliveryDialog({ webhook, id, hrefOf, onClose }: DeliveryDialogProps) {
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
  const say = useSay();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(webhook.id, delivery.id),
    onSuccess: () => say("It is sent once more."),
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
