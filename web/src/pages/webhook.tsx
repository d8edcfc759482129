import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { Dialog } from "../components/dialog.tsx";
import { CloseFooter, FormFooter, Problem, problemOf, SelectField } from "../components/form.tsx";
import { BackLink } from "../components/lists.tsx";
import { SigningSecret } from "../components/secret.tsx";
import { Loaded } from "../components/states.tsx";
import { useDialogChange } from "../components/use-change.ts";
import { EventsField, subscriptionOf, UrlField } from "../components/webhook-fields.tsx";
import { NextStep, type PageDeed, WebhookFacts, WebhookHead } from "../components/webhook-head.tsx";
import { RequestFailed } from "../lib/api.ts";
import { textsOf, useTitle, withTexts } from "../lib/browser.ts";
import { absoluteTime } from "../lib/format.ts";
import { useCanWrite } from "../lib/session.ts";
import { discreetUrl, FORMATS } from "../lib/webhook-words.ts";
import {
  changeWebhook,
  findWebhook,
  type Rotated,
  rotateSecret,
  WEBHOOKS,
  type Webhook,
  type WebhookChange,
} from "../lib/webhooks.ts";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { DeleteWebhook, SwitchOff, TestWebhook, useSwitchOn } from "./webhook-tasks.tsx";

export function WebhookPage() {
  const { id = "" } = useRoute().params;
  const webhook = useQuery({
    queryKey: [...WEBHOOKS, id, "one"],
    queryFn: () => findWebhook(id),
  });
  useTitle(webhook.data ? discreetUrl(webhook.data) : "Webhook");
  return (
    <>
      <BackLink href="/webhooks">All webhooks</BackLink>
      <Loaded query={webhook} heading="Webhook">
        {(found) => <WebhookDetails webhook={found} />}
      </Loaded>
    </>
  );
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const canWrite = useCanWrite();
  const [task, setTask] = useState<Exclude<PageDeed, "on"> | null>(null);
  const switchOn = useSwitchOn();
  const begin = (deed: PageDeed) => (deed === "on" ? switchOn.mutate(webhook) : setTask(deed));
  return (
    <article class="webhook">
      <WebhookHead webhook={webhook} canWrite={canWrite} onDeed={begin} />
      <NextStep webhook={webhook} canWrite={canWrite} onDeed={begin} />
      <WebhookFacts webhook={webhook} />
      <WebhookDeliveries webhook={webhook} />
      {task && <PageTask task={task} webhook={webhook} onClose={() => setTask(null)} />}
    </article>
  );
}

type PageTaskProps = {
  task: Exclude<PageDeed, "on">;
  webhook: Webhook;
  onClose: () => void;
};

function PageTask({ task, ...props }: PageTaskProps) {
  const { route } = useLocation();
  if (task === "test") return <TestWebhook {...props} />;
  if (task === "edit") return <EditWebhook {...props} />;
  if (task === "rotate") return <RotateSecret {...props} />;
  if (task === "off") return <SwitchOff {...props} />;
  return <DeleteWebhook {...props} onDeleted={() => route("/webhooks", true)} />;
}

function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useDialogChange({
    change: (next: WebhookChange) => changeWebhook(webhook.id, next),
    said: "The webhook was changed.",
    renews: [WEBHOOKS],
    onDone: onClose,
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
          hint={`${FORMATS[webhook.format].paste} It applies from the next attempt on, also to pending deliveries.`}
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
        <FormFooter action="Save" busy={change.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const GRACES = [
  { value: 0, name: "Now: the secret has leaked" },
  { value: 3_600, name: "In 1 hour" },
  { value: 86_400, name: "In 24 hours" },
  { value: 604_800, name: "In 7 days" },
];
const USUAL_SECONDS = 86_400;

function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const client = useQueryClient();
  const rotation = useMutation({
    mutationFn: (seconds: number) => rotateSecret(webhook.id, seconds),
    // A value that is shown only once does not wait for a refetch.
    onSuccess: () => void client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  if (rotation.data) return <NewSecret rotated={rotation.data} onClose={onClose} />;
  const submit = withTexts(["seconds"], ({ seconds }) => rotation.mutate(Number(seconds)));
  return (
    <Dialog title="New signing secret" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Until the old secret expires, every message is signed with both, so that your receiver can
          switch without missing one.
        </p>
        <SelectField
          label="The old secret expires"
          name="seconds"
          options={GRACES}
          chosen={USUAL_SECONDS}
          problem={problemOf(rotation.error, "grace_period_seconds")}
        />
        <Problem error={inOurWords(rotation.error)} fields={["grace_period_seconds"]} />
        <FormFooter action="Create secret" busy={rotation.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const NewSecret = ({ rotated, onClose }: { rotated: Rotated; onClose: () => void }) => (
  <Dialog title="New signing secret" onClose={onClose}>
    <SigningSecret value={rotated.signing_secret} />
    <OldSecrets ends={rotated.previous_secrets_expire_at} />
    <CloseFooter label="I have copied it" onClose={onClose} />
  </Dialog>
);

function OldSecrets({ ends }: { ends: string[] }) {
  if (ends.length === 0) return <p>All old secrets have expired. Only this one is valid now.</p>;
  const moments = ends.map(absoluteTime).join(" and ");
  return (
    <p>
      {ends.length === 1 ? "The old one is valid until" : "Two old ones are valid until"} {moments}.
    </p>
  );
}

/** The server's message names an API field. */
function inOurWords(error: Error | null): Error | null {
  const details = error instanceof RequestFailed ? error.details : {};
  if (details.reason !== "too_many_secrets") return error;
  const firstEnd = absoluteTime(String(details.firstExpiresAt));
  return new Error(
    `Two old secrets are still valid, which is the maximum. Wait until ${firstEnd}, or end all old ones now.`,
  );
}
