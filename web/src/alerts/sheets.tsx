import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import {
  type Alert,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  FORMATS,
  type Format,
  formatFor,
  PAGE_KINDS,
  type Schedule,
} from "../data/alerts.ts";
import { useSession } from "../data/session.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, FieldProblem, TextField, useProblems } from "../ui/field.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { ANY, type Only } from "./narrowing.ts";
import { OnlyFor } from "./only-for.tsx";
import {
  ALERTS,
  type AlertChange,
  changeAlert,
  createAlert,
  type FreshAlert,
  testAlert,
} from "./queries.ts";
import { Sentence, type Task } from "./rule.tsx";
import { ScheduleFields } from "./schedule.tsx";
import { RotateSecret, SigningSecret, VerifyingExample } from "./secret.tsx";
import { addressOf, FIRST_WORDS, scheduleOf, testWords, urlOf, usualSchedule } from "./words.ts";

type TaskProps = Closable & { alert: Alert };

/** The sheet or dialog of a task. */
export const AlertTask = ({ task, ...props }: TaskProps & { task: Task }) =>
  task === "edit" ? <EditAlert {...props} /> : <RotateSecret {...props} />;

type Draft = {
  name: string;
  url: string;
  format: Format;
  events: EventType[];
  first_verdicts: boolean;
  /** Sent only with its event. */
  summary: Schedule;
  filter: Only;
};

const usualDraft = (sendsMail: boolean): Draft => ({
  name: "",
  url: "",
  format: sendsMail ? "email" : "standard",
  events: CHOICES.links.events,
  first_verdicts: false,
  summary: usualSchedule(),
  filter: ANY,
});

/** Creates an alert; then the sheet shows its secret once and offers a test. */
export function NewAlert({ onClose }: Closable) {
  const sendsMail = useSession().data?.sends_mail === true;
  const [draft, setDraft] = useState(() => usualDraft(sendsMail));
  const [isChosen, setChosen] = useState(false);
  const change = (more: Partial<Draft>) => setDraft((before) => ({ ...before, ...more }));
  /** A URL selects its format, until the user selects one. */
  const enter = (url: string) => {
    const known = formatFor(url) ?? (/^https?:/i.test(url) ? "standard" : draft.format);
    change({ url, ...(!isChosen && { format: known }) });
  };
  const choose = (format: Format) => {
    change({ format });
    setChosen(true);
  };
  return (
    <Ask
      title="New alert"
      action="Create alert"
      isSheet
      class="form alert-form"
      send={() =>
        createAlert({
          ...draft,
          first_verdicts: draft.first_verdicts && draft.format !== "email",
          url: urlOf(draft.url, draft.format),
          summary: wantedSummary(draft),
          filter: wantedFilter(draft),
        })
      }
      result={(alert) => <Created alert={alert} onClose={onClose} />}
      renews={[ALERTS]}
      onClose={onClose}
    >
      <NameField required value={draft.name} onInput={(name) => change({ name })} />
      <FormatField value={draft.format} onChange={choose} />
      <UrlField draft={draft} hint={FORMATS[draft.format].paste} onInput={enter} />
      <EventsField draft={draft} onChange={change} />
      <OnlyFor value={draft.filter} onChange={(filter) => change({ filter })} />
      {URL.canParse(urlOf(draft.url, draft.format)) && draft.events.length > 0 && (
        <Sentence alert={draft} />
      )}
    </Ask>
  );
}

type NameProps = { value: string; required?: boolean; onInput: (name: string) => void };

const NameField = ({ value, required = false, onInput }: NameProps) => (
  <TextField
    label="Name"
    name="name"
    required={required}
    maxLength={100}
    autoComplete="off"
    value={value}
    placeholder="Docs team"
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
);

function FormatField({ value, onChange }: { value: Format; onChange: (format: Format) => void }) {
  const sendsMail = useSession().data?.sends_mail;
  const kinds = (Object.keys(FORMATS) as Format[]).filter((kind) => kind !== "email" || sendsMail);
  return (
    <fieldset class="kinds">
      <legend>Send to</legend>
      {kinds.map((format) => (
        <label key={format}>
          <input
            type="radio"
            name="format"
            checked={format === value}
            onChange={() => onChange(format)}
          />
          {FORMATS[format].name}
        </label>
      ))}
      <FieldProblem name="format" />
    </fieldset>
  );
}

type UrlProps = {
  draft: Pick<Draft, "url" | "format">;
  hint: string;
  onInput: (url: string) => void;
};

const UrlField = ({ draft, onInput, ...field }: UrlProps) => (
  <TextField
    label={draft.format === "email" ? "E-mail address" : "URL"}
    name="url"
    type={draft.format === "email" ? "email" : "text"}
    required
    spellcheck={false}
    autoComplete="off"
    value={draft.url}
    placeholder={FORMATS[draft.format].example}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
    {...field}
  />
);

type EventsProps = {
  draft: Pick<Draft, "format" | "events" | "first_verdicts" | "summary" | "filter">;
  /** The events of an alert that is there, whose messages may be queued. */
  before?: EventType[];
  onChange: (more: Partial<Draft>) => void;
};

/** What most alerts are for. The last is for programs, which also get first verdicts. */
const CHOICES = {
  links: { label: "A link dies or comes back", events: ["link.dead", "link.alive"] },
  summary: { label: "A summary is due", events: ["summary.ready"] },
  all: {
    label: "Anything happens, for programs",
    events: EVENT_TYPES.filter((event) => event !== "check.complete" && event !== "summary.ready"),
  },
} satisfies Record<string, { label: string; events: EventType[] }>;

type Choice = keyof typeof CHOICES;

/** Undefined for other events than those of a choice. What is said about pages goes with any of them. */
function choiceOf({ events, filter }: Pick<Draft, "events" | "filter">): Choice | undefined {
  const chosen = events.filter((event) => event !== "link.changed" || filter.kinds === null);
  return (Object.keys(CHOICES) as Choice[]).find((choice) =>
    isEqual(CHOICES[choice].events.toSorted(), chosen.toSorted()),
  );
}

/** Three choices; each event on its own is folded away, for programs and where none of the choices fits. */
function EventsField({ draft, before = [], onChange }: EventsProps) {
  const { events } = draft;
  const problems = useProblems("events");
  const choice = choiceOf(draft);
  const [isOwn, setOwn] = useState(choice === undefined);
  const dropped = before.filter((event) => !events.includes(event));
  return (
    <fieldset>
      <legend>Send a message when</legend>
      {(Object.keys(CHOICES) as Choice[]).map((each) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name="events"
            checked={each === choice}
            onChange={() =>
              onChange({
                events: CHOICES[each].events,
                first_verdicts: each === "all",
                filter: { ...draft.filter, kinds: null },
              })
            }
          />
          {CHOICES[each].label}
        </label>
      ))}
      {choice === "links" && <PagesField draft={draft} onChange={onChange} />}
      {choice === "summary" && (
        <ScheduleFields value={draft.summary} onChange={(summary) => onChange({ summary })} />
      )}
      {(draft.format === "standard" || isOwn) && (
        <details
          class="folded"
          open={isOwn}
          onToggle={({ currentTarget }) => setOwn(currentTarget.open)}
        >
          <summary>Choose single events</summary>
          <SingleEvents draft={draft} isScheduled={choice !== "summary"} onChange={onChange} />
        </details>
      )}
      <div role="status">
        {events.map(
          (event) =>
            EVENTS[event].warning && (
              <p key={event} class="notice">
                {EVENTS[event].warning}
              </p>
            ),
        )}
        {dropped.length > 0 && (
          <p class="notice">Queued messages of {dropped.join(" and ")} are cancelled.</p>
        )}
      </div>
      {problems.length > 0 && (
        <p class="field-problem">
          {events.length === 0 ? "Select at least one event." : `Events ${problems.join(", ")}.`}
        </p>
      )}
    </fieldset>
  );
}

/** What is said about links that are alive is an event only for those who name its kinds. */
function PagesField({ draft, onChange }: Pick<EventsProps, "draft" | "onChange">) {
  const others = draft.events.filter((event) => event !== "link.changed");
  const choose = (isOn: boolean) =>
    onChange({
      events: isOn ? [...others, "link.changed"] : others,
      filter: { ...draft.filter, kinds: isOn ? PAGE_KINDS : null },
    });
  return (
    <div class="first-verdicts">
      <CheckField
        name="pages"
        label="Also when it leads to something else"
        hint="Another page or redirect, a new owner of its domain, a section that is gone."
        checked={draft.filter.kinds !== null}
        onChange={({ currentTarget }) => choose(currentTarget.checked)}
      />
    </div>
  );
}

type SingleProps = Pick<EventsProps, "draft" | "onChange"> & {
  /** Whether the schedule of summaries is part of it. */
  isScheduled: boolean;
};

function SingleEvents({ draft, isScheduled, onChange }: SingleProps) {
  const { events, first_verdicts: isFirst } = draft;
  const toggle = (event: EventType, isOn: boolean) =>
    onChange({ events: isOn ? [...events, event] : events.filter((each) => each !== event) });
  return (
    <div class="single-events">
      {EVENT_TYPES.map((event) => (
        <Fragment key={event}>
          <CheckField
            name={event}
            label={EVENTS[event].hint}
            hint={<code>{event}</code>}
            checked={events.includes(event)}
            onChange={({ currentTarget }) => toggle(event, currentTarget.checked)}
          />
          {event === "link.alive" && draft.format !== "email" && (
            <div class="first-verdicts">
              <CheckField
                name="first_verdicts"
                label={FIRST_WORDS}
                checked={isFirst}
                disabled={!events.includes(event)}
                onChange={({ currentTarget }) =>
                  onChange({ first_verdicts: currentTarget.checked })
                }
              />
            </div>
          )}
          {event === "summary.ready" && isScheduled && events.includes(event) && (
            <ScheduleFields value={draft.summary} onChange={(summary) => onChange({ summary })} />
          )}
        </Fragment>
      ))}
    </div>
  );
}

/** Shows the secret, which is shown only once, and offers a test. */
function Created({ alert, onClose }: Closable & { alert: FreshAlert }) {
  const { route } = useLocation();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => testAlert(alert.id),
    onSettled: () => void client.invalidateQueries({ queryKey: ALERTS }),
  });
  return (
    <Sheet
      title="Alert created"
      onClose={onClose}
      foot={
        <>
          {alert.is_active && (
            <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
              Send test
            </Button>
          )}
          <span class="gap" />
          <Button primary onClick={() => route(`/alerts/${alert.id}`)}>
            Done
          </Button>
        </>
      }
    >
      <div class="alert-made">
        <Sentence alert={alert} />
        {alert.format === "email" ? (
          <p class="soft">{mailWords(alert)}</p>
        ) : alert.format === "standard" ? (
          <>
            <SigningSecret value={alert.signing_secret} />
            <VerifyingExample />
          </>
        ) : (
          <details>
            <summary>Signing secret, for a receiver of your own</summary>
            <SigningSecret value={alert.signing_secret} />
          </details>
        )}
        <div role="status">
          {test.data && (
            <p class={test.data.success ? "good" : "field-problem"}>{testWords(test.data)}</p>
          )}
          {test.error && <p class="field-problem">{test.error.message}</p>}
        </div>
      </div>
    </Sheet>
  );
}

/** Sends only what was changed here, so that other changes meanwhile stay. */
function EditAlert({ alert, onClose }: TaskProps) {
  const [before] = useState<Draft>(() => ({
    name: alert.name ?? "",
    url: alert.url_state === "full" ? typedOf(alert) : "",
    format: alert.format,
    first_verdicts: alert.first_verdicts,
    summary: scheduleOf(alert) ?? usualSchedule(),
    ...listsOf(alert),
  }));
  const [draft, setDraft] = useState(before);
  const edit = (more: Partial<Draft>) => setDraft((last) => ({ ...last, ...more }));
  const change = changedIn(before, draft, listsOf(alert));
  const isChanged = Object.keys(change).length > 0;
  return (
    <Ask
      title="Edit alert"
      action="Save"
      isSheet
      class="form alert-form"
      send={async () => isChanged && changeAlert(alert.id, change)}
      said={isChanged ? "Alert changed." : undefined}
      undo={() => changeAlert(alert.id, changedIn(draft, before, listsOf(alert)))}
      renews={[ALERTS]}
      onClose={onClose}
    >
      <NameField value={draft.name} onInput={(name) => edit({ name })} />
      <UrlField
        draft={draft}
        hint={`${FORMATS[alert.format].paste} It applies from the next attempt on, also to queued messages.`}
        onInput={(url) => edit({ url })}
      />
      <EventsField draft={draft} before={before.events} onChange={edit} />
      <OnlyFor value={draft.filter} onChange={(filter) => edit({ filter })} />
      <p class="hint">
        The kind, {FORMATS[alert.format].name}, cannot be changed. For another, create another
        alert.
      </p>
    </Ask>
  );
}

const mailWords = ({ url, is_active: isActive }: Alert) =>
  isActive
    ? `Every message to ${addressOf(url)} has a link to unsubscribe.`
    : `${addressOf(url)} gets a message with a link to confirm. Nothing else is sent before that.`;

/** What the field shows. */
const typedOf = ({ url, format }: Alert) => (format === "email" ? addressOf(url) : url);

/** The schedule goes with its event. */
const wantedSummary = ({ events, summary }: Pick<Draft, "events" | "summary">) =>
  events.includes("summary.ready") ? summary : null;

const wantedFilter = ({ filter }: Pick<Draft, "filter">) =>
  Object.values(filter).some((values) => values !== null) ? filter : null;

/** What is sent as a whole, of which others may have changed another part. */
type Lists = Pick<Draft, "events" | "filter">;

const listsOf = ({ events, filter }: Alert): Lists => ({ events, filter: filter ?? ANY });

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** @param now what the alert has, which others may have changed since `before` */
function changedIn(before: Draft, draft: Draft, now: Lists): AlertChange {
  const { name, url, events, first_verdicts: isFirst } = draft;
  const summary = wantedSummary(draft);
  const added = events.filter((event) => !before.events.includes(event));
  const dropped = before.events.filter((event) => !events.includes(event));
  const next = new Set([...now.events, ...added]).difference(new Set(dropped));
  const narrowed = Object.entries(draft.filter).filter(
    ([key, values]) => !isEqual(values, before.filter[key as keyof Only]),
  );
  const filter = { ...now.filter, ...Object.fromEntries(narrowed) };
  return {
    ...(name !== before.name && { name: name.trim() || null }),
    ...(url !== before.url && { url: urlOf(url, before.format) }),
    ...(added.length + dropped.length > 0 && { events: [...next] }),
    ...(!isEqual(summary, wantedSummary(before)) && { summary }),
    ...(narrowed.length > 0 && { filter: wantedFilter({ filter }) }),
    ...(isFirst !== before.first_verdicts && { first_verdicts: isFirst }),
  };
}
