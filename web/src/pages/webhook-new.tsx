import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { useLocation } from "preact-iso";
import { Dialog } from "../components/dialog.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { SigningSecret } from "../components/secret.tsx";
import { VerifyingExample } from "../components/webhook-example.tsx";
import { EventsField, subscriptionOf, TargetFields } from "../components/webhook-fields.tsx";
import { TestOutcome } from "../components/webhook-test-result.tsx";
import { textsOf } from "../lib/form.ts";
import { FORMATS } from "../lib/webhook-words.ts";
import {
  createWebhook,
  type Format,
  type FreshWebhook,
  type NewWebhook,
  WEBHOOKS,
} from "../lib/webhooks.ts";
import { useTest } from "./webhook-test.tsx";

/** What most people wait for. */
const USUAL_EVENTS: NewWebhook["events"] = ["link.dead", "link.alive"];

export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: createWebhook,
    // What is told only once does not wait for a list.
    onSuccess: () => void client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  if (creation.data) return <Created webhook={creation.data} onClose={onClose} />;
  const { error } = creation;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { url, format } = textsOf(event, ["url", "format"]);
    creation.mutate({ url, format: format as Format, ...subscriptionOf(event) });
  };
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form class="webhook-form" onSubmit={submit}>
        <TargetFields
          problems={{ url: problemOf(error, "url"), format: problemOf(error, "format") }}
        />
        <EventsField events={USUAL_EVENTS} problem={problemOf(error, "events")} />
        <Problem error={error} fields={["url", "format", "events"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={creation.isPending}>
            Create webhook
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

type CreatedProps = { webhook: FreshWebhook; onClose: () => void };

/** The secret in the only moment in which it is told, and a first test. */
function Created({ webhook, onClose }: CreatedProps) {
  const { route } = useLocation();
  const test = useTest(webhook.id);
  return (
    <Dialog title="Webhook created" onClose={onClose}>
      {webhook.format === "standard" ? (
        <>
          <SigningSecret value={webhook.signing_secret} />
          <VerifyingExample />
        </>
      ) : (
        <ForChat webhook={webhook} />
      )}
      <TestOutcome result={test.data} error={test.error} busy={test.isPending} />
      <footer>
        <button type="button" disabled={test.isPending} onClick={() => test.mutate()}>
          <Send aria-hidden="true" />
          Send a test
        </button>
        <button type="button" class="primary" onClick={() => route(`/webhooks/${webhook.id}`)}>
          {webhook.format === "standard" ? "I have copied it" : "Done"}
        </button>
      </footer>
    </Dialog>
  );
}

/** Chat services need no secret, but a receiver of one's own may read their messages too. */
const ForChat = ({ webhook }: { webhook: FreshWebhook }) => (
  <>
    <p>Messages go to {FORMATS[webhook.format].name} from now on. Send a test to see one arrive.</p>
    <details>
      <summary>Signing secret, for a receiver of your own</summary>
      <SigningSecret value={webhook.signing_secret} />
    </details>
  </>
);
