import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { useSay } from "../components/said.tsx";
import { discreetUrl } from "../lib/webhook-words.ts";
import { changeWebhook, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";

/** Switching on does no harm and is done at once. */
export function useSwitchOn() {
  const say = useSay();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => changeWebhook(id, { is_active: true }),
    onSuccess: () => say("The webhook is on. What was held back goes out now."),
    onError: ({ message }) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
}

export function SwitchOff({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => changeWebhook(webhook.id, { is_active: false }),
    onSuccess: () => {
      say("The webhook is off.");
      onClose();
      client.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  return (
    <Confirm
      title="Switch this webhook off?"
      action="Switch off"
      busy={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onClose={onClose}
    >
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        What waits is held back, and is sent when you switch it on again within 72 hours. What
        happens while it is off is not sent later.
      </p>
    </Confirm>
  );
}
