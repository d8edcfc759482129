import { useQuery } from "@tanstack/preact-query";
import { ChevronLeft } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { Loaded } from "../components/states.tsx";
import { type PageDeed, WebhookFacts, WebhookHead } from "../components/webhook-head.tsx";
import { NextStep } from "../components/webhook-next-step.tsx";
import { useCanWrite } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { discreetUrl } from "../lib/webhook-words.ts";
import { findWebhook, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";
import { DeleteWebhook } from "./webhook-delete.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { EditWebhook } from "./webhook-edit.tsx";
import { RotateSecret } from "./webhook-rotate.tsx";
import { SwitchOff, useSwitchOn } from "./webhook-switch.tsx";
import { TestWebhook } from "./webhook-test.tsx";

export function WebhookPage() {
  const { id = "" } = useRoute().params;
  const webhook = useQuery({
    queryKey: [...WEBHOOKS, id, "one"],
    queryFn: () => findWebhook(id),
  });
  useTitle(webhook.data ? discreetUrl(webhook.data) : "Webhook");
  return (
    <>
      <p class="back">
        <a href="/webhooks">
          <ChevronLeft aria-hidden="true" />
          All webhooks
        </a>
      </p>
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
