import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { useSay } from "../components/said.tsx";
import { waitingOf } from "../lib/deliveries.ts";
import { discreetUrl } from "../lib/webhook-words.ts";
import { deleteWebhook, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";
import { totalsOf } from "./webhook-totals.ts";

type DeleteWebhookProps = { webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function DeleteWebhook({ webhook, onClose, onDeleted }: DeleteWebhookProps) {
  const say = useSay();
  const client = useQueryClient();
  const { data: totals } = useQuery(totalsOf(webhook.id));
  const deletion = useMutation({
    mutationFn: () => deleteWebhook(webhook.id),
    onSuccess: () => {
      say("The webhook was deleted.");
      onDeleted();
      client.removeQueries({ queryKey: [...WEBHOOKS, webhook.id] });
      client.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete webhook"
      busy={deletion.isPending}
      error={deletion.error}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        {totals ? lossOf(waitingOf(totals)) : "What waits to be sent is lost."} Its delivery log
        goes as well. This cannot be taken back.
      </p>
    </Confirm>
  );
}

function lossOf(waiting: number): string {
  if (waiting === 0) return "Nothing waits to be sent.";
  if (waiting === 1) return "1 delivery waits to be sent and is lost.";
  return `${waiting.toLocaleString("en")} deliveries wait to be sent and are lost.`;
}
