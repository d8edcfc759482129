import { Power, Send, Trash2 } from "lucide-preact";
import { discreetUrl, FORMATS } from "../lib/webhook-words.ts";
import type { Webhook } from "../lib/webhooks.ts";
import { IconButton, Moment } from "./elements.tsx";
import { WebhookReason, WebhookState } from "./webhook-state.tsx";

export type WebhookDeed = "test" | "off" | "on" | "delete";

type Deeds = { canWrite: boolean; onDeed: (deed: WebhookDeed, webhook: Webhook) => void };

export const WebhookList = ({ webhooks, ...deeds }: { webhooks: Webhook[] } & Deeds) => (
  <ul class="rows webhooks" aria-label="Webhooks">
    {webhooks.map((webhook) => (
      <li key={webhook.id}>
        <WebhookRow webhook={webhook} {...deeds} />
      </li>
    ))}
  </ul>
);

const WebhookRow = ({ webhook, canWrite, onDeed }: { webhook: Webhook } & Deeds) => (
  <>
    <WebhookState webhook={webhook} />
    <div class="what">
      <a class="url" href={`/webhooks/${webhook.id}`}>
        {discreetUrl(webhook)}
      </a>
      <p class="why">
        <WebhookReason webhook={webhook} />
      </p>
      <ul class="tags" aria-label="Events">
        {webhook.events.map((event) => (
          <li key={event}>
            <code>{event}</code>
          </li>
        ))}
      </ul>
    </div>
    <p class="when">
      <span>{FORMATS[webhook.format].name}</span>
      <LastCode webhook={webhook} />
    </p>
    {canWrite && <RowDeeds webhook={webhook} onDeed={onDeed} />}
  </>
);

/** For a working webhook, the reason already says it. */
function LastCode({ webhook }: { webhook: Webhook }) {
  const { last_delivery_at: at, last_status_code: code } = webhook;
  if (!at || (webhook.is_active && !webhook.failing_since)) return null;
  return (
    <span>
      {code ? `last ${code}` : "no answer"}, <Moment at={at} />
    </span>
  );
}

function RowDeeds({ webhook, onDeed }: { webhook: Webhook } & Pick<Deeds, "onDeed">) {
  const name = discreetUrl(webhook);
  const isOn = webhook.is_active;
  return (
    <div class="deeds">
      <IconButton
        label={`Send a test to ${name}`}
        title="Send a test"
        icon={Send}
        onClick={() => onDeed("test", webhook)}
      />
      <IconButton
        label={`Switch ${isOn ? "off" : "on"} ${name}`}
        title={isOn ? "Switch off" : "Switch on"}
        icon={Power}
        onClick={() => onDeed(isOn ? "off" : "on", webhook)}
      />
      <IconButton
        label={`Delete ${name}`}
        title="Delete"
        icon={Trash2}
        onClick={() => onDeed("delete", webhook)}
      />
    </div>
  );
}
