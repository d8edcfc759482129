import type { ComponentChildren } from "preact";
import { counted, many } from "../lib/counted.ts";
import { lengthText } from "../lib/length.ts";
import type { Overview } from "../lib/overview.ts";
import { absoluteTime, clockTime } from "../lib/time.ts";

type CheckerProps = { checker: Overview["checker"]; webhooks: Overview["webhooks"] };

/** Whether the work keeps up: checks, and what is told of them. */
export const CheckerState = ({ checker, webhooks }: CheckerProps) => (
  <section class="card part" aria-labelledby="checker">
    <h2 id="checker">The checker</h2>
    <dl class="checker">
      <Fact name="Checks">{punctuality(checker)}</Fact>
      <Fact name="Due now">
        {checker.backlog === 0 ? "Nothing" : counted(checker.backlog, "link")}
      </Fact>
      <Fact name="Connection">
        <Connection checker={checker} />
      </Fact>
      <Fact name="Clock">{checker.clock === "ok" ? "Right" : "Wrong: set it right"}</Fact>
      <Fact name="Deliveries waiting">{waiting(webhooks)}</Fact>
      <Fact name="Webhooks">
        <WebhookState webhooks={webhooks} />
      </Fact>
    </dl>
  </section>
);

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Starting a check takes a moment, and so does ending the one before it. */
const ON_TIME_S = 120;

function punctuality({ isChecking, state, lateSeconds }: Overview["checker"]): string {
  if (!isChecking) return "Not running";
  if (state === "offline") return "Paused while offline";
  return lateSeconds < ON_TIME_S ? "On time" : `${lengthText(lateSeconds * 1000)} late`;
}

const STATES = { online: "Online", degraded: "Poor", offline: "Offline" };

/** Nobody is asked before something fails. */
function Connection({ checker: { state, onlineSince } }: Pick<CheckerProps, "checker">) {
  if (state === "unknown") return <>No trouble seen</>;
  return (
    <>
      {STATES[state]}
      {onlineSince && (
        <>
          {" since "}
          <time dateTime={onlineSince} title={absoluteTime(onlineSince)}>
            {clockTime(onlineSince, Date.now())}
          </time>
        </>
      )}
    </>
  );
}

function waiting({ pending, oldestPendingSeconds }: Overview["webhooks"]): string {
  if (pending === 0) return "None";
  return `${many(pending)}, the oldest for ${lengthText(Math.max(oldestPendingSeconds, 1) * 1000)}`;
}

function WebhookState({ webhooks: { failing, disabled } }: Pick<CheckerProps, "webhooks">) {
  if (failing + disabled.total === 0) return <>No trouble</>;
  const parts = [
    failing > 0 && `${many(failing)} failing`,
    disabled.total > 0 && `${many(disabled.total)} switched off`,
  ];
  return <a href="/webhooks">{parts.filter(Boolean).join(", ")}</a>;
}
