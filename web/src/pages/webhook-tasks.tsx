import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { Confirm, Dialog } from "../components/dialog.tsx";
import { useDialogChange, useDirectChange } from "../components/use-change.ts";
import { TestOutcome } from "../components/webhook-state.tsx";
import { countDeliveries, type Totals, waitingOf } from "../lib/deliveries.ts";
import { discreetUrl } from "../lib/webhook-words.ts";
import {
  changeWebhook,
  deleteWebhook,
  testWebhook,
  WEBHOOKS,
  type Webhook,
} from "../lib/webhooks.ts";

type DeleteWebhookProps = { webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function DeleteWebhook({ webhook, onClose, onDeleted }: DeleteWebhookProps) {
  const client = useQueryClient();
  const { data: totals } = useQuery(totalsOf(webhook.id));
  const deletion = useDialogChange({
    change: () => deleteWebhook(webhook.id),
    said: "The webhook was deleted.",
    renews: [WEBHOOKS],
    onDone: () => {
      onDeleted();
      client.removeQueries({ queryKey: [...WEBHOOKS, webhook.id] });
    },
  });
  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete webhook"
      change={deletion}
      onClose={onClose}
    >
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        {totals ? lossOf(waitingOf(totals)) : "Pending deliveries are lost."} Its delivery log is
        deleted as well. This cannot be undone.
      </p>
    </Confirm>
  );
}

function lossOf(waiting: number): string {
  if (waiting === 0) return "No deliveries are pending.";
  if (waiting === 1) return "1 pending delivery is lost.";
  return `${waiting.toLocaleString("en")} pending deliveries are lost.`;
}

/** Switching on is harmless, so there is no confirmation. */
export const useSwitchOn = () =>
  useDirectChange({
    change: ({ id }: Webhook) => changeWebhook(id, { is_active: true }),
    said: "The webhook is on. What was held back is sent now.",
    renews: [WEBHOOKS],
  });

export function SwitchOff({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useDialogChange({
    change: () => changeWebhook(webhook.id, { is_active: false }),
    said: "The webhook is off.",
    renews: [WEBHOOKS],
    onDone: onClose,
  });
  return (
    <Confirm title="Switch this webhook off?" action="Switch off" change={change} onClose={onClose}>
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        Pending deliveries are held back, and are sent if you switch it on again within 72 hours.
        Events that happen while it is off are not sent.
      </p>
    </Confirm>
  );
}

export function useTest(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => testWebhook(id),
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
}

export function TestWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const test = useTest(webhook.id);
  const [event] = webhook.events;
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        Sends one <code>{event}</code> with sample data, marked as a test, also while the webhook is
        off. It is not retried and does not count as a failure.
      </p>
      <TestOutcome result={test.data} error={test.error} busy={test.isPending} />
      <footer>
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          class="primary"
          disabled={test.isPending}
          onClick={() => test.mutate()}
        >
          <Send aria-hidden="true" />
          {test.data ? "Send another" : "Send a test"}
        </button>
      </footer>
    </Dialog>
  );
}

/** Counting more deliveries takes the server so long that it is not repeated at every change. */
const QUICKLY_COUNTED = 20_000;
const RECOUNT_MS = 60_000;

export const totalsOf = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS, id, "totals"],
    queryFn: () => countDeliveries(id),
    staleTime: ({ state }) => (state.data && sum(state.data) > QUICKLY_COUNTED ? "static" : 0),
    refetchInterval: RECOUNT_MS,
  });

const sum = (totals: Totals) => Object.values(totals).reduce((before, count) => before + count, 0);
