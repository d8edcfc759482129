import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Dialog } from "../components/dialog.tsx";
import { FormFooter, Problem, problemOf } from "../components/form.tsx";
import { Copyable, SigningSecret } from "../components/secret.tsx";
import { EventsField, subscriptionOf, TargetFields } from "../components/webhook-fields.tsx";
import { TestOutcome } from "../components/webhook-state.tsx";
import { textsOf } from "../lib/browser.ts";
import { FORMATS } from "../lib/webhook-words.ts";
import {
  createWebhook,
  type Format,
  type FreshWebhook,
  type NewWebhook,
  WEBHOOKS,
} from "../lib/webhooks.ts";
import { useTest } from "./webhook-tasks.tsx";

const USUAL_EVENTS: NewWebhook["events"] = ["link.dead", "link.alive"];

export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: createWebhook,
    // A value that is shown only once does not wait for a refetch.
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
        <FormFooter action="Create webhook" busy={creation.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

type CreatedProps = { webhook: FreshWebhook; onClose: () => void };

/** Shows the secret, which is shown only once, and offers a test. */
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

/** Chat services do not verify signatures, but an own receiver in the same format can. */
const ForChat = ({ webhook }: { webhook: FreshWebhook }) => (
  <>
    <p>Messages go to {FORMATS[webhook.format].name} from now on. Send a test to see one arrive.</p>
    <details>
      <summary>Signing secret, for a receiver of your own</summary>
      <SigningSecret value={webhook.signing_secret} />
    </details>
  </>
);

const TYPESCRIPT = `// npm install standardwebhooks
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET!);

/** Throws unless the message is ours and new. \`body\`: the raw bytes. */
export const verify = (headers: Headers, body: Buffer) =>
  webhook.verify(body, Object.fromEntries(headers));`;

const PYTHON = `import base64, hmac, time

def verify(secret: str, headers, body: bytes) -> None:
    """Raises unless the message is ours and new. body: the raw bytes."""
    sent = headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        raise ValueError("the message is too old or too new")
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    given = headers["webhook-signature"].encode().split()
    if not any(hmac.compare_digest(each, right) for each in given):
        raise ValueError("bad signature")`;

const EXAMPLES = [
  { language: "TypeScript", code: TYPESCRIPT },
  { language: "Python", code: PYTHON },
];

function VerifyingExample() {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const step = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next =
      (chosen + (event.key === "ArrowLeft" ? -1 : 1) + EXAMPLES.length) % EXAMPLES.length;
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  const { language, code } = EXAMPLES[chosen]!;
  return (
    <div class="example">
      <div class="tabs" role="tablist" aria-label="Language" onKeyDown={step}>
        {EXAMPLES.map(({ language: name }, index) => (
          <button
            key={name}
            id={`${id}-${index}`}
            type="button"
            role="tab"
            class="plain"
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        <Copyable label={`Verify in ${language}`} value={code} rows={6} />
      </div>
      <p class="hint">
        Answer 2xx within 15 seconds and drop repetitions by <code>webhook-id</code>. Every message
        and field is in the{" "}
        <a href="/docs" target="_blank" rel="noopener">
          documentation
        </a>
        .
      </p>
    </div>
  );
}
