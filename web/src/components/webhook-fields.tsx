import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { EVENT_TYPES, EVENTS, FORMAT_NAMES, FORMATS, formatFor } from "../lib/webhook-words.ts";
import type { EventType, Format } from "../lib/webhooks.ts";
import { TextField } from "./form.tsx";

type Problems = { url: string | undefined; format: string | undefined };

/** A known URL selects its format, until the user selects one. */
export function TargetFields({ problems }: { problems: Problems }) {
  const [format, setFormat] = useState<Format>("standard");
  const [isChosen, setChosen] = useState(false);
  const recognise = (event: Event) => {
    if (isChosen || !(event.target instanceof HTMLInputElement)) return;
    setFormat(formatFor(event.target.value) ?? "standard");
  };
  const choose = (next: Format) => {
    setFormat(next);
    setChosen(true);
  };
  return (
    <>
      <div onInput={recognise}>
        <UrlField hint={FORMATS[format].paste} format={format} problem={problems.url} />
      </div>
      <fieldset>
        <legend>Format</legend>
        <div class="formats">
          {FORMAT_NAMES.map((name) => (
            <label key={name} class="format">
              <input
                type="radio"
                name="format"
                value={name}
                checked={name === format}
                onChange={() => choose(name)}
              />
              {FORMATS[name].name}
            </label>
          ))}
        </div>
        {problems.format && <p class="field-problem">{problems.format}</p>}
      </fieldset>
    </>
  );
}

type UrlFieldProps = {
  format: Format;
  hint?: string;
  problem: string | undefined;
  defaultValue?: string;
};

export const UrlField = ({ format, ...field }: UrlFieldProps) => (
  <TextField
    label="URL"
    name="url"
    class="code"
    required
    spellcheck={false}
    autoComplete="off"
    placeholder={FORMATS[format].example}
    {...field}
  />
);

type EventsFieldProps = {
  /** Initially checked. */
  events: EventType[];
  firstVerdicts?: boolean;
  /** Whether the webhook exists, so that deliveries may be pending. */
  isSubscribed?: boolean;
  problem: string | undefined;
};

export function EventsField({
  events,
  firstVerdicts = false,
  isSubscribed = false,
  problem,
}: EventsFieldProps) {
  const [chosen, setChosen] = useState(events);
  const dropped = isSubscribed ? events.filter((event) => !chosen.includes(event)) : [];
  const toggle = (event: EventType, isOn: boolean) =>
    setChosen((before) => [...before.filter((each) => each !== event), ...(isOn ? [event] : [])]);
  return (
    <fieldset>
      <legend>Events</legend>
      {EVENT_TYPES.map((event) => (
        <Fragment key={event}>
          <label class="choice event">
            <input
              type="checkbox"
              name={event}
              checked={chosen.includes(event)}
              onChange={({ currentTarget }) => toggle(event, currentTarget.checked)}
            />
            <span>
              <code>{event}</code> <span class="hint">{EVENTS[event].hint}</span>
            </span>
          </label>
          {event === "link.alive" && (
            <FirstVerdicts isAsked={firstVerdicts} isOffered={chosen.includes(event)} />
          )}
        </Fragment>
      ))}
      <div role="status">
        {chosen.includes("check.complete") && (
          <p class="notice notice-warn">
            check.complete is one message for every check: a thousand hourly links make 24,000 a
            day.
          </p>
        )}
        {dropped.length > 0 && (
          <p class="notice notice-warn">
            Waiting deliveries of {dropped.join(" and ")} are cancelled.
          </p>
        )}
      </div>
      {problem && (
        <p class="field-problem">
          {chosen.length === 0 ? "Choose at least one event." : `Events ${problem}.`}
        </p>
      )}
    </fieldset>
  );
}

/** An option of `link.alive`, which most people want for recoveries only. */
const FirstVerdicts = ({ isAsked, isOffered }: { isAsked: boolean; isOffered: boolean }) => (
  <label class="choice event detail">
    <input type="checkbox" name="first_verdicts" defaultChecked={isAsked} disabled={!isOffered} />
    <span>
      <span>First verdicts</span>{" "}
      <span class="hint">Also new links that are alive at their first check.</span>
    </span>
  </label>
);

export function subscriptionOf(event: SubmitEvent): {
  events: EventType[];
  first_verdicts: boolean;
} {
  const form = new FormData(event.currentTarget as HTMLFormElement);
  return {
    events: EVENT_TYPES.filter((type) => form.has(type)),
    first_verdicts: form.has("first_verdicts"),
  };
}
