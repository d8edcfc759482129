import { useQueryClient } from "@tanstack/preact-query";
import { KeyRound, Pause, Pencil, Play, Send, Trash2 } from "lucide-preact";
import {
  type Alert,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  FORMATS,
  formatIcon,
} from "../data/alerts.ts";
import { api, complete } from "../data/api.ts";
import { useIsPhone } from "../data/browser.ts";
import { counted } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { useHold, useSave, useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { State } from "../ui/state.tsx";
import { countsText, Spark, totalOf } from "./messages.tsx";
import { narrowed, useNames } from "./narrowing.ts";
import {
  ALERTS,
  type AlertChange,
  askRecipient,
  changeAlert,
  type DayCounts,
  testAlert,
} from "./queries.ts";
import {
  type AlertState,
  addressOf,
  FIRST_WORDS,
  hostOf,
  isBad,
  nameOf,
  type Occasion,
  occasionsOf,
  STATE_WORDS,
  scheduleOf,
  stateOf,
  testWords,
  usualSchedule,
} from "./words.ts";

type RuleProps = {
  alert: Alert;
  /** Undefined until loaded. */
  days: DayCounts | undefined;
  onTask(task: Task): void;
};

/** An alert in the list: its sentence, its last problem, two weeks of messages and its state. */
export function Rule({ alert, days, onTask }: RuleProps) {
  const Icon = formatIcon(alert.format);
  return (
    <li class="rule" aria-label={STATE_WORDS[stateOf(alert)]}>
      <span class="rule-ic">
        <Icon class="i" aria-hidden="true" />
      </span>
      <div>
        {alert.name && (
          <a class="rule-name" href={`/alerts/${alert.id}`}>
            {alert.name}
          </a>
        )}
        <Sentence alert={alert} editable={{ alert, days, onEdit: () => onTask("edit") }} />
        <div class="waits soft">
          <p>
            <Problem alert={alert} days={days} />
          </p>
          <AskAgain alert={alert} />
        </div>
      </div>
      <a class="rule-sp" href={`/alerts/${alert.id}`} aria-label={countsText(days)}>
        {days && <Spark days={days} />}
        <em>{days && totalOf(days)}</em>
      </a>
      <a class={`rule-st ${isBad(stateOf(alert)) ? "bad" : "ok"}`} href={`/alerts/${alert.id}`}>
        <StateWord state={stateOf(alert)} />
      </a>
      <AlertMenu alert={alert} onTask={onTask} />
    </li>
  );
}

/** Sends the recipient who has not confirmed yet the link once more. */
export function AskAgain({ alert }: { alert: Alert }) {
  const canWrite = useCanWrite();
  const asking = useSave({
    change: () => askRecipient(alert.id),
    said: `The link was sent to ${addressOf(alert.url)} again.`,
    renews: [ALERTS],
  });
  if (stateOf(alert) !== "unconfirmed" || !canWrite) return null;
  return (
    <Button quiet icon={Send} busy={asking.isPending} onClick={() => asking.mutate()}>
      Send again
    </Button>
  );
}

const SHAPES = {
  working: "active",
  failing: "dead",
  stopped: "dead",
  gone: "dead",
  paused: "waiting",
  unconfirmed: "waiting",
  unsubscribed: "waiting",
} as const;

/** "Working", "Failing" … */
export const StateWord = ({ state }: { state: AlertState }) => (
  <>
    <State status={SHAPES[state]} hidden />
    {STATE_WORDS[state]}
  </>
);

/** Since when and why messages do not arrive; else when the last one was sent. */
export function Problem({ alert, days }: Pick<RuleProps, "alert" | "days">) {
  const { failing_since: failing, disabled_at: offAt } = alert;
  if (alert.url_state === "unreadable") {
    return <>This server's secret key was replaced, so it cannot read the URL of this alert.</>;
  }
  switch (stateOf(alert)) {
    case "working":
      return <LastSent alert={alert} />;
    case "failing":
      return (
        <>
          Failing since {failing && <Moment at={failing} clock />}: {lastOutcome(alert)}.{" "}
          {days && <NotSent days={days} />}
        </>
      );
    case "paused":
      return <>Paused {offAt && <Moment at={offAt} />}.</>;
    case "stopped":
      return (
        <>
          Turned off {offAt && <Moment at={offAt} />} after 5 days without a delivery:{" "}
          {lastOutcome(alert)}.
        </>
      );
    case "gone":
      return (
        <>
          Turned off {offAt && <Moment at={offAt} />}:{" "}
          {alert.format === "email" ? "there is no such address" : "the receiver returned 410 Gone"}
          .
        </>
      );
    case "unconfirmed":
      return alert.last_status_code === null ? (
        <>Waiting for {addressOf(alert.url)} to confirm.</>
      ) : (
        <>
          The mail server did not accept the message to {addressOf(alert.url)} (
          {alert.last_status_code}).
        </>
      );
    case "unsubscribed":
      return <>The recipient unsubscribed {offAt && <Moment at={offAt} />}.</>;
  }
}

const lastOutcome = ({ last_status_code: code }: Alert) =>
  code ? `the receiver returned ${code}` : "the receiver did not respond";

function NotSent({ days: { failed, pending } }: { days: DayCounts }) {
  const parts = [
    failed > 0 && `${counted(failed, "message")} failed`,
    pending > 0 && `${pending} ${pending === 1 ? "is" : "are"} queued`,
  ].filter(Boolean);
  return parts.length > 0 ? <>{parts.join(", ")}.</> : null;
}

const LastSent = ({ alert: { last_delivery_at: at } }: { alert: Alert }) =>
  at ? (
    <>
      Last sent <Moment at={at} />.
    </>
  ) : (
    <>No messages yet.</>
  );

/** What the sentence of an alert, or of one that is being created, says. */
type Said = Occasion & Pick<Alert, "format" | "url" | "filter">;

type SentenceProps = {
  alert: Said;
  class?: string;
  /** Without it, nothing in the sentence can be pressed. */
  editable?: { alert: Alert; days?: DayCounts | undefined; onEdit(): void } | undefined;
};

/** The alert as a sentence, whose dotted words can be changed: "When a link in Docs dies, send mail to …". */
export function Sentence({ alert, editable, ...look }: SentenceProps) {
  const names = useNames(alert.filter);
  const canWrite = useCanWrite();
  // A button breaks no lines, and a phone has few words in one.
  const isPhone = useIsPhone();
  const own = canWrite && !isPhone ? editable : undefined;
  const word = (text: string) =>
    own ? (
      <button type="button" class="word" aria-haspopup="dialog" onClick={own.onEdit}>
        {text}
      </button>
    ) : (
      <strong>{text}</strong>
    );
  const links = narrowed(alert.filter, names).map((piece) =>
    typeof piece === "string" ? piece : word(piece.name),
  );
  const { link, others } = occasionsOf(alert);
  const occasion = [link, others].filter(Boolean).join(", or ") || "nothing happens";
  return (
    <p class={look.class ?? "sent"}>
      When {link && <>a link{links} </>}
      {own ? <OccasionMenu {...own} button={occasion} /> : <strong>{occasion}</strong>}
      {!link && links.length > 0 && <> about links{links}</>}, {verbOf(alert)} {word(hostOf(alert))}
      {formatOf(alert)}.
    </p>
  );
}

const verbOf = ({ format }: Pick<Alert, "format">) => FORMATS[format].verb ?? "send a message to";

const formatOf = ({ format }: Pick<Alert, "format">) =>
  FORMATS[format].verb ? "" : ` on ${FORMATS[format].name}`;

const FIRST = "first_verdicts";
type Choice = EventType | typeof FIRST;

/** The events as one dotted word; each choice is saved at once. */
function OccasionMenu({
  alert,
  days,
  button,
}: NonNullable<SentenceProps["editable"]> & { button: string }) {
  const toast = useToast();
  const change = useSave({
    change: ([next]: [AlertChange, AlertChange]) => changeAlert(alert.id, next),
    said: (_, [next]) => savedText(alert, next, days),
    undo: ([, before]) => changeAlert(alert.id, before),
    renews: [ALERTS],
  });
  const toggle = (choice: Choice) => {
    const both = toggled(alert, choice);
    if (both[0].events?.length === 0) toast("Select at least one event.");
    else change.mutate(both);
  };
  const offered = CHOICES.filter((each) => each !== FIRST || alert.events.includes("link.alive"));
  return (
    <Menu
      label="Events"
      button={button}
      plain
      multiple
      items={offered.map((choice) => ({
        label: choice === FIRST ? FIRST_WORDS : EVENTS[choice].hint,
        checked: choice === FIRST ? alert.first_verdicts : alert.events.includes(choice),
        onSelect: () => toggle(choice),
      }))}
    />
  );
}

const CHOICES: Choice[] = EVENT_TYPES.flatMap((type) =>
  type === "link.alive" ? [type, FIRST] : [type],
);

/** What the choice changes, and what takes it back. */
function toggled(alert: Alert, choice: Choice): [AlertChange, AlertChange] {
  const { events, first_verdicts: isFirst } = alert;
  if (choice === FIRST) return [{ first_verdicts: !isFirst }, { first_verdicts: isFirst }];
  const isOn = events.includes(choice);
  if (choice === "summary.ready") {
    const summary = scheduleOf(alert);
    const on = { events: [...events, choice], summary: usualSchedule() };
    const off = { events: events.filter((each) => each !== choice), summary: null };
    return isOn ? [off, { events, summary }] : [on, { events, summary: null }];
  }
  const next = isOn ? events.filter((each) => each !== choice) : [...events, choice];
  return [{ events: next }, { events }];
}

/** Queued messages of a removed event are not sent. */
function savedText(alert: Alert, { events }: AlertChange, days: DayCounts | undefined): string {
  const isFewer = events !== undefined && events.length < alert.events.length;
  return isFewer && (days?.pending || days?.failed)
    ? "Alert changed. Its queued messages of this event were cancelled."
    : "Alert changed.";
}

/** What opens a sheet or a dialog. */
export type Task = "edit" | "rotate";

type AlertMenuProps = {
  alert: Alert;
  onTask(task: Task): void;
  /** Without what stands next to it as buttons. */
  isShort?: boolean;
};

/** Everything that can be done with an alert; nothing for viewers. */
export function AlertMenu({ alert, onTask, isShort }: AlertMenuProps) {
  const test = useTest(alert.id);
  const turn = useTurn(alert);
  const remove = useRemove(alert);
  if (!useCanWrite()) return null;
  const usual = [
    { label: "Send test", icon: Send, onSelect: () => test.mutate() },
    alert.is_active
      ? { label: "Pause", icon: Pause, onSelect: () => turn(false) }
      : { label: "Turn on", icon: Play, onSelect: () => turn(true) },
    { label: "Edit", icon: Pencil, onSelect: () => onTask("edit") },
  ];
  return (
    <Menu
      label={`More about ${nameOf(alert)}`}
      items={[
        ...(isShort ? [] : usual),
        { label: "Rotate secret", icon: KeyRound, onSelect: () => onTask("rotate") },
        "line",
        { label: "Delete", icon: Trash2, danger: true, onSelect: remove },
      ]}
    />
  );
}

/** Sends a test, and says what became of it. */
export const useTest = (id: string) =>
  useSave({ change: () => testAlert(id), said: testWords, renews: [ALERTS] });

/** Pauses the alert or turns it on, which can be undone. */
export const useTurn = ({ id }: Alert) =>
  useSave({
    change: (isOn: boolean) => changeAlert(id, { is_active: isOn }),
    said: (_, isOn) =>
      isOn
        ? "Alert turned on. Sending queued messages."
        : "Alert paused. Queued messages are kept for 72 hours.",
    undo: (isOn) => changeAlert(id, { is_active: !isOn }),
    renews: [ALERTS],
  }).mutate;

/** Hides the alert at once and deletes it when it can no longer be taken back. */
function useRemove(alert: Alert): () => void {
  const hold = useHold();
  const client = useQueryClient();
  return () =>
    hold([alert.id], "Alert deleted.", async () => {
      // Sent also while the page is left.
      const options = { fetch: { keepalive: true } };
      await complete(api.webhooks({ id: alert.id }).delete(undefined, options));
      client.removeQueries({ queryKey: [...ALERTS, "one", alert.id] });
      await client.invalidateQueries({ queryKey: ALERTS });
    });
}
