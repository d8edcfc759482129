import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { EventsField, subscriptionOf, UrlField } from "../components/webhook-fields.tsx";
import { textsOf } from "../lib/form.ts";
import { FORMATS } from "../lib/webhook-words.ts";
import { changeWebhook, WEBHOOKS, type Webhook, type WebhookChange } from "../lib/webhooks.ts";

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (next: WebhookChange) => changeWebhook(webhook.id, next),
    onSuccess: () => {
      say("The webhook was changed.");
      onClose();
      client.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  const { error } = change;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ url: textsOf(event, ["url"]).url, ...subscriptionOf(event) });
  };
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <form class="webhook-form" onSubmit={submit}>
        <UrlField
          format={webhook.format}
          hint={`${FORMATS[webhook.format].paste} It counts from the next attempt on, also for what waits.`}
          problem={problemOf(error, "url")}
          defaultValue={webhook.url_state === "full" ? webhook.url : ""}
        />
        <EventsField
          events={webhook.events}
          firstVerdicts={webhook.first_verdicts}
          isSubscribed
          problem={problemOf(error, "events")}
        />
        <p class="hint">
          The format, {FORMATS[webhook.format].name}, cannot be changed. For another, create another
          webhook.
        </p>
        <Problem error={error} fields={["url", "events"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={change.isPending}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
