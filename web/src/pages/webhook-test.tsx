import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { Dialog } from "../components/dialog.tsx";
import { TestOutcome } from "../components/webhook-test-result.tsx";
import { discreetUrl } from "../lib/webhook-words.ts";
import { testWebhook, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";

export function useTest(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => testWebhook(id),
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
}

/** Sends a test when it is told to, and stays to tell the result. */
export function TestWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const test = useTest(webhook.id);
  const [event] = webhook.events;
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <p class="name url">{discreetUrl(webhook)}</p>
      <p>
        Sends one <code>{event}</code> with made-up data, marked as a test, also while the webhook
        is off. It is not tried again and does not count as a failure.
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
