import type { ComponentChildren } from "preact";
import {
  type Attempt,
  adviceOn,
  type DeliveryDetail,
  outcomeOf,
  prettyBody,
  STATUS_WORDS,
  TRIGGERS,
} from "../lib/deliveries.ts";
import type { Webhook } from "../lib/webhooks.ts";
import { DeliveryStatus, Story } from "./deliveries.tsx";
import { Fact, Moment } from "./elements.tsx";

type DetailsProps = {
  delivery: DeliveryDetail;
  format: Webhook["format"];
  hrefOf: (id: string) => string;
};

export const DeliveryDetails = ({ delivery, format, hrefOf }: DetailsProps) => (
  <div class="delivery">
    <div class="verdict">
      <DeliveryStatus of={delivery.status} />
      <p>
        <Story delivery={delivery} />
      </p>
    </div>
    <Remark delivery={delivery} hrefOf={hrefOf} />
    <dl class="facts">
      <Fact name="Event">
        <code>{delivery.event}</code>
      </Fact>
      <Fact name="Happened">
        <Moment at={delivery.created_at} />
      </Fact>
      <Fact name="Settled">
        {delivery.completed_at ? <Moment at={delivery.completed_at} /> : "not yet"}
      </Fact>
    </dl>
    <Attempts delivery={delivery} />
    <Request delivery={delivery} format={format} />
  </div>
);

function Remark({ delivery, hrefOf }: Omit<DetailsProps, "format">) {
  if (delivery.digest_id) {
    return (
      <p class="hint">
        Many events at once are sent as one message.{" "}
        <a href={hrefOf(delivery.digest_id)}>Show the digest</a>
      </p>
    );
  }
  if (delivery.event === "digest") {
    return (
      <p class="hint">
        This is a digest: one message about many events, which are “{STATUS_WORDS.digested.word}” in
        the log.
      </p>
    );
  }
  return null;
}

function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const { all_attempts: all, attempts } = delivery;
  return (
    <section>
      <h3>Attempts</h3>
      {all.length === 0 && <p class="hint">No attempts have finished yet.</p>}
      {attempts > all.length && all.length > 0 && delivery.status !== "delivering" && (
        <p class="hint">
          The last {all.length} of {attempts}.
        </p>
      )}
      <ol class="attempts">
        {all.toReversed().map((attempt) => (
          <li key={attempt.number}>
            <AttemptPart attempt={attempt} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function AttemptPart({ attempt }: { attempt: Attempt }) {
  const { number, trigger, started_at: at, duration_ms: ms, status_code: code } = attempt;
  const advice = adviceOn(attempt);
  const look = code >= 200 && code < 300 ? "text-good" : "text-bad";
  return (
    <>
      <p class="attempt-head">
        <span class="number">{number}</span>
        <strong class={look}>{outcomeOf(attempt)}</strong>
        {ms !== null && <span>{ms} ms</span>}
        <span class="hint">{TRIGGERS[trigger]}</span>
        <span class="hint">
          <Moment at={at} />
        </span>
      </p>
      {advice && <p class="hint">{advice}</p>}
      <Answer attempt={attempt} />
    </>
  );
}

/** A stranger's text, which is shown as plain text only. */
function Answer({ attempt }: { attempt: Attempt }) {
  const { response_body: body, response_content_type: type, response_truncated: isCut } = attempt;
  if (!body) return null;
  return (
    <figure>
      <figcaption class="hint">
        {type ?? "No content type"}
        {isCut && ", only its beginning"}
      </figcaption>
      <Scrolling label="The receiver's answer" text={body} />
    </figure>
  );
}

function Request({ delivery, format }: Omit<DetailsProps, "hrefOf">) {
  return (
    <section>
      <h3>Request</h3>
      <dl class="headers">
        <Header name="content-type">
          {format === "ntfy" ? "text/plain; charset=utf-8" : "application/json"}
        </Header>
        <Header name="user-agent">Stillup-Webhooks</Header>
        {format === "ntfy" && <Header name="title, tags, priority">what ntfy shows</Header>}
        <Header name="webhook-id">{delivery.message_id}</Header>
        <Header name="webhook-timestamp">the second of each attempt</Header>
        <Header name="webhook-signature">created for each attempt</Header>
      </dl>
      <Scrolling label="The body of the request" text={prettyBody(delivery.request_body)} />
    </section>
  );
}

const Header = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>
      <code>{name}</code>
    </dt>
    <dd>{children}</dd>
  </div>
);

const Scrolling = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
  <section class="scrolling" tabIndex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
);
