import { CircleAlert, CircleCheck, CirclePause, CircleX, Unplug } from "lucide-preact";
import { adviceOn, failureOf } from "../lib/deliveries.ts";
import { stateOf } from "../lib/webhook-words.ts";
import type { TestResult, Webhook } from "../lib/webhooks.ts";
import { Moment, Pill } from "./elements.tsx";
import { Problem } from "./form.tsx";

const LOOKS = {
  on: { Icon: CircleCheck, word: "On", look: "active" },
  failing: { Icon: CircleAlert, word: "Failing", look: "unknown" },
  off: { Icon: CirclePause, word: "Off", look: "calm" },
  broken: { Icon: CircleX, word: "Switched off", look: "dead" },
  gone: { Icon: Unplug, word: "Gone", look: "dead" },
};

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { Icon, word, look } = LOOKS[stateOf(webhook)];
  return (
    <Pill Icon={Icon} look={`status-${look}`}>
      {word}
    </Pill>
  );
}

export function WebhookReason({ webhook }: { webhook: Webhook }) {
  const { failing_since: failing, disabled_at: offAt } = webhook;
  switch (stateOf(webhook)) {
    case "on":
      return <LastDelivery webhook={webhook} />;
    case "failing":
      return (
        <>
          It started failing {failing && <Moment at={failing} />}; nothing has been delivered since.
        </>
      );
    case "off":
      return <>Switched off by hand {offAt && <Moment at={offAt} />}.</>;
    case "broken":
      return <>Switched off {offAt && <Moment at={offAt} />}, after 5 days without a success.</>;
    case "gone":
      return <>The receiver answered 410 Gone {offAt && <Moment at={offAt} />}.</>;
  }
}

function LastDelivery({ webhook }: { webhook: Webhook }) {
  const { last_delivery_at: at, last_status_code: code } = webhook;
  if (!at) return <>No event has been sent yet.</>;
  return (
    <>
      Last sent <Moment at={at} />, {code ? `answered ${code}` : "without an answer"}.
    </>
  );
}

type TestOutcomeProps = { result: TestResult | undefined; error: Error | null; busy: boolean };

export const TestOutcome = ({ result, error, busy }: TestOutcomeProps) => (
  <>
    <Problem error={busy ? null : error} />
    <div role="status" class="test-place">
      {busy && <p class="hint">The test is under way…</p>}
      {!busy && !error && result && <Result {...result} />}
    </div>
  </>
);

function Result({ success, message, response }: TestResult) {
  const { statusCode, duration } = response;
  const Icon = success ? CircleCheck : CircleX;
  const advice = adviceOn({
    status_code: statusCode,
    error_code: statusCode === 0 ? message : null,
  });
  return (
    <div class={`notice test-result ${success ? "good" : "bad"}`}>
      <Icon aria-hidden="true" />
      <p>
        <strong>{success ? "The test arrived." : "The test did not arrive."}</strong>{" "}
        {statusCode > 0 ? message : `${failureOf(message)}.`} It took {duration} ms. {advice}
      </p>
    </div>
  );
}
