import { Pencil, Power, Send } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { FAILING_MS, stateOf } from "../lib/webhook-words.ts";
import type { Webhook } from "../lib/webhooks.ts";
import { Moment } from "./moment.tsx";
import type { HeadProps } from "./webhook-head.tsx";

/** What to do next about a webhook that is not well, or off; nothing if all is well. */
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

/** It was sealed with a secret key that is lost. */
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
      Look below at what the receiver answered, fix it, and send a test. Unless something arrives,
      the webhook is switched off <SwitchedOff since={since} />.
    </>
  ),
  off: () => HELD_BACK,
  broken: () => <>Look below at what the receiver answered, fix it and send a test. {HELD_BACK}</>,
  gone: () => (
    <>
      The receiver says that it is gone for good. If it lives elsewhere now, change the URL; if it
      is no longer needed, delete the webhook. {HELD_BACK}
    </>
  ),
};

/** It takes a failure to switch it off, so the moment may pass while there is nothing to tell. */
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
