import { useQuery } from "@tanstack/preact-query";
import { RotateCw } from "lucide-preact";
import { useRoute } from "preact-iso";
import { type Alert, FORMATS, messageTitle } from "../data/alerts.ts";
import { api, unwrap } from "../data/api.ts";
import { shownUrl } from "../data/display-url.ts";
import { many, milliseconds } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { DELIVERY_WORDS } from "../data/words.ts";
import { useBar } from "../frame/bar.tsx";
import { useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";

import { Fact, Heading, Section } from "../ui/section.tsx";
import { NextAttempt } from "./messages.tsx";

import { ALERTS, type Attempt, type MessageDetail, messageOf, useAlert } from "./queries.ts";
import { adviceOn, nameOf, outcomeOf, prettyBody, storyOf, TRIGGERS } from "./words.ts";
import "./alerts.css";

/** One message: what was sent, and how each attempt ended. */
export default function MessagePage() {
  const { id = "", message: messageId = "" } = useRoute().params;
  const alert = useAlert(id);
  const message = useQuery(messageOf(id, messageId));
  const title = message.data ? messageTitle(message.data) : "Message";
  useBar({
    crumbs: [
      { label: "Alerts", href: "/alerts" },
      { label: alert.data ? nameOf(alert.data) : "Alert", href: `/alerts/${id}` },
      { label: title },
    ],
  });
  return (
    <div class="pad narrow">
      <Loaded query={alert} heading="Message">
        {(found) => (
          <Loaded query={message} heading="Message">
            {(shown) => <MessageParts alert={found} message={shown} />}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

type PartProps = { alert: Alert; message: MessageDetail };

const MessageParts = ({ alert, message }: PartProps) => (
  <article class="message">
    <Heading title={messageTitle(message)} action={<Redeliver alert={alert} message={message} />}>
      <strong>{DELIVERY_WORDS[message.status]}.</strong> {storyOf(message)}
      {message.next_attempt_at && (
        <>
          <NextAttempt at={message.next_attempt_at} />.
        </>
      )}
    </Heading>
    <dl class="panel known">
      <Fact name="Event">
        <code>{message.event}</code>
      </Fact>
      {message.link && !message.test && (
        <Fact name="Link">
          <a href={`/links/${message.link.id}`} title={message.link.url}>
            {shownUrl(message.link.url)}
          </a>
        </Fact>
      )}
      {message.digest_id && (
        <Fact name="Digest">
          <a href={`/alerts/${alert.id}/messages/${message.digest_id}`}>Show the digest</a>
        </Fact>
      )}
      <Fact name="Alert">
        <a href={`/alerts/${alert.id}`}>{nameOf(alert)}</a>
      </Fact>
      <Fact name="Happened">
        <Moment at={message.created_at} />
      </Fact>
      {message.completed_at && (
        <Fact name="Finished">
          <Moment at={message.completed_at} />
        </Fact>
      )}
    </dl>
    {message.event === "digest" && (
      <p class="hint">
        A digest is one message about many events.{" "}
        <a href={`/alerts/${alert.id}?result=digest`}>Show what was sent in digests</a>
      </p>
    )}
    <Attempts message={message} />
    <RequestPart alert={alert} message={message} />
  </article>
);

function Redeliver({ alert, message }: PartProps) {
  const delivery = api.webhooks({ id: alert.id }).deliveries({ delivery_id: message.id });
  const again = useSave({
    change: () => unwrap(delivery.redeliver.post()),
    said: "The message is sent again.",
    renews: [ALERTS],
  });
  if (!useCanWrite()) return null;
  return (
    <Button
      icon={RotateCw}
      busy={again.isPending}
      disabled={!alert.is_active}
      title={alert.is_active ? undefined : "Turn the alert on first"}
      onClick={() => again.mutate()}
    >
      Send again
    </Button>
  );
}

function Attempts({ message }: { message: MessageDetail }) {
  const { all_attempts: all, attempts, status } = message;
  const isCut = attempts > all.length && all.length > 0 && status !== "delivering";
  return (
    <Section title="Attempts" hint={isCut && `The last ${all.length} of ${many(attempts)}`}>
      {all.length === 0 && <p class="hint">No attempts have finished yet.</p>}
      <ol class="attempts">
        {all.toReversed().map((attempt) => (
          <li key={attempt.number}>
            <AttemptPart attempt={attempt} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function AttemptPart({ attempt }: { attempt: Attempt }) {
  const { number, trigger, started_at: at, duration_ms: ms, status_code: code } = attempt;
  const advice = adviceOn(attempt);
  const isGood = code >= 200 && code < 300;
  return (
    <>
      <p class="attempt-head">
        <span class="number">{number}</span>
        <strong class={isGood ? undefined : "bad"}>{outcomeOf(attempt)}</strong>
        {ms !== null && <span>{milliseconds(ms)}</span>}
        <span class="soft">{TRIGGERS[trigger]}</span>
        <Moment at={at} />
      </p>
      {advice && <p class="hint">{advice}</p>}
      <Response attempt={attempt} />
    </>
  );
}

/** A stranger's text, which is shown as plain text only. */
function Response({ attempt }: { attempt: Attempt }) {
  const { response_body: body, response_content_type: type, response_truncated: isCut } = attempt;
  if (!body) return null;
  return (
    <figure>
      <figcaption class="hint">
        {type ?? "No content type"}
        {isCut && ", only its beginning"}
      </figcaption>
      <Scrolling label="The receiver's response" text={body} />
    </figure>
  );
}

const RequestPart = ({ alert: { format }, message }: PartProps) => (
  <Section title="Request">
    <dl class="msg-headers">
      {headersOf(format, message).map(([name, value]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <Scrolling label="The body of the request" text={prettyBody(message.request_body)} />
  </Section>
);

function headersOf(format: Alert["format"], { message_id: id }: MessageDetail) {
  const { contentType = "application/json", header } = FORMATS[format];
  return [
    ["content-type", contentType],
    ["user-agent", "Stillup-Webhooks"],
    ...(header ? [header] : []),
    ["webhook-id", id],
    ["webhook-timestamp", "the second of each attempt"],
    ["webhook-signature", "created for each attempt"],
  ];
}

const Scrolling = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
  <section class="scrolling" tabIndex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
);
