import { CircleCheck, CircleX } from "lucide-preact";
import { adviceOn, failureOf } from "../lib/delivery-words.ts";
import type { TestResult } from "../lib/webhooks.ts";
import { Problem } from "./problem.tsx";

type TestOutcomeProps = { result: TestResult | undefined; error: Error | null; busy: boolean };

/** What the receiver answered to a test, and what to do when it was no success. */
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
