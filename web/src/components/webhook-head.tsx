import { Eye, EyeOff, Pencil, Power, RotateCcwKey, Send, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { discreetUrl, FORMATS, stateOf } from "../lib/webhook-words.ts";
import type { Webhook } from "../lib/webhooks.ts";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";
import { WebhookReason, WebhookState } from "./webhook-state.tsx";

export type PageDeed = "test" | "edit" | "rotate" | "off" | "on" | "delete";

export type HeadProps = { webhook: Webhook; canWrite: boolean; onDeed: (deed: PageDeed) => void };

export const WebhookHead = ({ webhook, canWrite, onDeed }: HeadProps) => (
  <header class="webhook-head">
    <h1>
      <DiscreetUrl webhook={webhook} />
    </h1>
    <div class="verdict">
      <WebhookState webhook={webhook} />
      <p>
        <WebhookReason webhook={webhook} />
      </p>
    </div>
    {canWrite && <HeadDeeds webhook={webhook} onDeed={onDeed} />}
  </header>
);

/** Shown whole only when asked for, since it may be a secret in itself. */
function DiscreetUrl({ webhook }: { webhook: Webhook }) {
  const [isShown, setShown] = useState(false);
  const discreet = discreetUrl(webhook);
  const isPartial =
    webhook.url_state === "full" && discreet !== webhook.url && `${discreet}/` !== webhook.url;
  return (
    <>
      <span class="url">{isShown ? webhook.url : discreet}</span>
      {isPartial && (
        <IconButton
          label="Show the whole URL"
          title={isShown ? "Hide the whole URL" : "Show the whole URL"}
          icon={isShown ? EyeOff : Eye}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
      )}
    </>
  );
}

function HeadDeeds({ webhook, onDeed }: Omit<HeadProps, "canWrite">) {
  return (
    <div class="deeds">
      {stateOf(webhook) !== "failing" && (
        <button type="button" onClick={() => onDeed("test")}>
          <Send aria-hidden="true" />
          Send a test
        </button>
      )}
      <button type="button" onClick={() => onDeed("edit")}>
        <Pencil aria-hidden="true" />
        Edit
      </button>
      <button type="button" onClick={() => onDeed("rotate")}>
        <RotateCcwKey aria-hidden="true" />
        New secret
      </button>
      {webhook.is_active && (
        <button type="button" onClick={() => onDeed("off")}>
          <Power aria-hidden="true" />
          Switch off
        </button>
      )}
      <button type="button" onClick={() => onDeed("delete")}>
        <Trash2 aria-hidden="true" />
        Delete
      </button>
    </div>
  );
}

/** What it is and how it fares. */
export const WebhookFacts = ({ webhook }: { webhook: Webhook }) => (
  <dl class="facts card">
    <Fact name="Format">{FORMATS[webhook.format].name}</Fact>
    <Fact name="Last sent">
      {webhook.last_delivery_at ? <Moment at={webhook.last_delivery_at} /> : "never"}
    </Fact>
    <Fact name="Last answer">{answerOf(webhook)}</Fact>
    <Fact name="Failing since">
      {webhook.failing_since ? <Moment at={webhook.failing_since} /> : "–"}
    </Fact>
    <Fact name="First verdicts">{webhook.first_verdicts ? "sent" : "not sent"}</Fact>
    <Fact name="Created">
      <Moment at={webhook.created_at} />
    </Fact>
    <div class="all">
      <dt>Events</dt>
      <dd class="tags">
        {webhook.events.map((event) => (
          <code key={event}>{event}</code>
        ))}
      </dd>
    </div>
  </dl>
);

function answerOf({ last_delivery_at: at, last_status_code: code }: Webhook) {
  if (!at) return "–";
  return code ? <code>{code}</code> : "none came";
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
