import { Eye, EyeOff, Pencil, Power, RotateCcwKey, Send, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { discreetUrl, FAILING_MS, FORMATS, stateOf } from "../lib/webhook-words.ts";
import type { Webhook } from "../lib/webhooks.ts";
import { Fact, IconButton, Moment } from "./elements.tsx";
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

/** The URL may be a secret, so it is shown in full only on request. */
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

/** Null when the webhook works. */
export function NextStep({ webhook, canWrite, onDeed }: HeadProps) {
  const state = stateOf(webhook);
  if (webhook.url_state === "unreadable") return <EnterAgain canWrite={canWrite} onDeed={onDeed} />;
  if (state === "on") return null;
  return (
    <div class={`next-step ${state === "off" ? "calm" : state === "failing" ? "unsure" : "bad"}`}>
      <p>{STEPS[state](webhook)}</p>
      {canWrite && <StepDeed state={state} onDeed={onDeed} />}
    </div>
  );
}

/** The URL was encrypted with a secret key that is lost. */
const EnterAgain = ({ canWrite, onDeed }: Omit<HeadProps, "webhook">) => (
  <div class="next-step bad">
    <p>
      This server's secret key was replaced, so it cannot read the URL of this webhook. Enter the
      URL again, then create a new signing secret.
    </p>
    {canWrite && (
      <button type="button" class="primary" onClick={() => onDeed("edit")}>
        <Pencil aria-hidden="true" />
        Enter the URL
      </button>
    )}
  </div>
);

type Trouble = Exclude<ReturnType<typeof stateOf>, "on">;

const HELD_BACK =
  "What was held back for less than 72 hours is sent when you switch it on again; what happened meanwhile is not.";

const STEPS: Record<Trouble, (webhook: Webhook) => ComponentChildren> = {
  failing: ({ failing_since: since }) => (
    <>
      See below what the receiver answered, fix the problem, and send a test. Without a successful
      delivery, the webhook is switched off <SwitchedOff since={since} />.
    </>
  ),
  off: () => HELD_BACK,
  broken: () => (
    <>See below what the receiver answered, fix the problem, and send a test. {HELD_BACK}</>
  ),
  gone: () => (
    <>
      The receiver says that it is gone permanently. If it has moved, change the URL; if it is no
      longer needed, delete the webhook. {HELD_BACK}
    </>
  ),
};

/** Switching off takes a failure, so the time may pass while there is nothing to send. */
function SwitchedOff({ since }: { since: string | null }) {
  const at = since === null ? 0 : Date.parse(since) + FAILING_MS;
  if (at <= Date.now()) return <>at the next failure</>;
  return <Moment at={new Date(at).toISOString()} />;
}

const StepDeed = ({ state, onDeed }: { state: Trouble } & Pick<HeadProps, "onDeed">) => (
  <button type="button" class="primary" onClick={() => onDeed(state === "failing" ? "test" : "on")}>
    {state === "failing" ? <Send aria-hidden="true" /> : <Power aria-hidden="true" />}
    {state === "failing" ? "Send a test" : "Switch on again"}
  </button>
);
