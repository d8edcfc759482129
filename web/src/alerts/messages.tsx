import { RotateCw, Send } from "lucide-preact";
import { useLocation } from "preact-iso";
import {
  type Alert,
  deliveredWords,
  EVENT_TYPES,
  messageTitle,
  targetName,
} from "../data/alerts.ts";
import { counted } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { useSave } from "../frame/toast.tsx";
import { Button, Seg } from "../ui/button.tsx";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { FilterPick, Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import {
  ALERTS,
  DAYS,
  type DayCounts,
  type Message,
  type MessageFilter,
  RESULTS,
  type Result,
  retryFailed,
  useMessages,
} from "./queries.ts";
import { nameOf, RESULT_WORDS, shortResult } from "./words.ts";

/** The filter in an address; what is wrong there is ignored. */
export const readFilter = (query: Record<string, string>): MessageFilter => {
  const { result, alert, event } = query;
  const known = RESULTS.find((each) => each === result);
  const type = OFFERED_EVENTS.find((each) => each === event);
  return {
    ...(known && { result: known }),
    ...(alert && /^[\da-f-]{36}$/.test(alert) && { alert }),
    ...(type && { event: type }),
  };
};

const OFFERED_EVENTS = [...EVENT_TYPES, "digest"] as const;

type MessagesProps = { alerts: Alert[]; days: Map<string, DayCounts> | undefined; path: string };

/** The messages of the alerts, newest first; of one alert, its host is not repeated. */
export function Messages({ alerts, days, path }: MessagesProps) {
  const { query, route } = useLocation();
  const only = alerts.length === 1 && path !== "/alerts" ? alerts[0] : undefined;
  const inAddress = readFilter(query);
  const filter = only ? { ...inAddress, alert: only.id } : inAddress;
  const messages = useMessages(filter);
  const change = (more: Partial<Record<keyof MessageFilter, string | undefined>>) => {
    const { alert, ...next } = { ...inAddress, ...more };
    const entries = Object.entries({ ...next, ...(!only && { alert }) }).filter(([, text]) => text);
    const search = new URLSearchParams(entries as [string, string][]).toString();
    route(search ? `${path}?${search}` : path, true);
  };
  const retried = alerts.filter(({ id }) => !filter.alert || id === filter.alert);
  const tools = (
    <>
      <MessageFilters alerts={only ? null : alerts} filter={inAddress} onChange={change} />
      <RetryFailed alerts={retried} days={days} />
    </>
  );
  return (
    <Section title="Messages" class="messages" action={tools}>
      <Loaded query={messages}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          if (all.length === 0)
            return (
              <Nothing
                isFiltered={Object.keys(inAddress).length > 0}
                onAll={() => route(path, true)}
              />
            );
          return (
            <>
              <ol class={only ? "msgs of-one" : "msgs"} aria-label="Messages">
                {all.map((message) => (
                  <MessageRow
                    key={`${message.webhook_id} ${message.id}`}
                    message={message}
                    isAlertShown={!only}
                  />
                ))}
              </ol>
              {messages.hasNextPage && (
                <Button
                  busy={messages.isFetchingNextPage}
                  onClick={() => void messages.fetchNextPage()}
                >
                  Show older messages
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

const Nothing = ({ isFiltered, onAll }: { isFiltered: boolean; onAll: () => void }) =>
  isFiltered ? (
    <Empty title="No matching messages">
      <Button onClick={onAll}>Show all messages</Button>
    </Empty>
  ) : (
    <Empty title="No messages yet">
      <p>Every message is listed here for 30 days. Send a test to see one.</p>
    </Empty>
  );

type FiltersProps = {
  /** Null where there is only one. */
  alerts: Alert[] | null;
  filter: MessageFilter;
  onChange: (more: Partial<Record<keyof MessageFilter, string | undefined>>) => void;
};

function MessageFilters({ alerts, filter, onChange }: FiltersProps) {
  return (
    <>
      <Seg<Result | "all">
        label="Result"
        tiny
        value={filter.result ?? "all"}
        options={[
          { value: "all", label: "All" },
          ...RESULTS.filter((each) => each !== "cancelled" || filter.result === each).map(
            (value) => ({ value, label: RESULT_WORDS[value] }),
          ),
        ]}
        onChange={(value) => onChange({ result: value === "all" ? undefined : value })}
      />
      {alerts && alerts.length > 1 && (
        <FilterPick
          label="Alert"
          any="All alerts"
          value={filter.alert}
          options={alerts.map((alert) => ({
            value: alert.id,
            label: nameOf(alert),
          }))}
          onPick={(alert) => onChange({ alert: alert ?? undefined })}
        />
      )}
      <FilterPick
        label="Event"
        any="All events"
        value={filter.event}
        options={OFFERED_EVENTS.map((value) => ({ value, label: deliveredWords(value).word }))}
        onPick={(event) => onChange({ event: event ?? undefined })}
      />
    </>
  );
}

/** The server allows at most 14 days by its own clock, when the request arrives. */
const SPANS = [
  { hours: 1, label: "Of the last hour" },
  { hours: 24, label: "Of the last 24 hours" },
  { hours: 72, label: "Of the last 3 days" },
  { hours: 168, label: "Of the last 7 days" },
  { hours: 14 * 24 - 0.1, label: "Of the last 14 days" },
];

/** Not offered while nothing has failed; paused alerts send nothing. */
function RetryFailed({ alerts, days }: Pick<MessagesProps, "alerts" | "days">) {
  const canWrite = useCanWrite();
  const wanted = alerts.filter(({ id, is_active: isOn }) => isOn && days?.get(id)?.failed);
  const retry = useSave({
    change: (hours: number) => retryFailed(wanted, hours),
    said: queuedText,
    renews: [ALERTS],
  });
  if (!canWrite || wanted.length === 0) return null;
  return (
    <Menu
      label="Retry failed messages"
      button="Retry failed"
      items={SPANS.map(({ hours, label }) => ({
        label,
        icon: RotateCw,
        onSelect: () => retry.mutate(hours),
      }))}
    />
  );
}

const queuedText = (queued: number) =>
  queued === 0
    ? "No message failed in that time."
    : `${counted(queued, "message")} ${queued === 1 ? "is" : "are"} sent again.`;

const MessageRow = ({ message, isAlertShown }: { message: Message; isAlertShown: boolean }) => (
  <li class={["failed", "exhausted", "expired"].includes(message.status) ? "bad" : undefined}>
    <Moment at={message.created_at} clock />
    <EventMark message={message} />
    <a href={`/alerts/${message.webhook_id}/messages/${message.id}`} title={message.link?.url}>
      {messageTitle(message)}
    </a>
    {isAlertShown && <span class="to">{targetName(message)}</span>}
    <span class="how">
      {shortResult(message)}
      {message.next_attempt_at && <NextAttempt at={message.next_attempt_at} />}
    </span>
  </li>
);

/** An attempt that is already due waits only for its turn. */
export const NextAttempt = ({ at }: { at: string }) => (
  <> {Date.parse(at) > Date.now() ? <Moment at={at} /> : "in a moment"}</>
);

function EventMark({ message: { event, test } }: { message: Message }) {
  if (test) return <Send class="i" aria-hidden="true" />;
  const { mark: Mark = Send } = deliveredWords(event);
  if (typeof Mark === "string") return <State status={Mark} hidden />;
  return <Mark class="i" aria-hidden="true" />;
}

type Counts = Pick<DayCounts, "delivered" | "failed" | "pending">;

export const totalOf = ({ delivered, failed, pending }: Counts): number =>
  delivered + failed + pending;

export function countsText(days: DayCounts | undefined): string {
  if (!days) return "Messages";
  const failed = days.failed > 0 ? `, ${days.failed} failed` : "";
  return `${counted(totalOf(days), "message")} in ${DAYS} days${failed}`;
}

const HEIGHT = 20;

/** A bar a day, whose failed part has the color of dead links. */
export function Spark({ days: { days } }: { days: DayCounts }) {
  const most = Math.max(1, ...days.map(totalOf));
  const heightOf = (count: number) => (HEIGHT * count) / most;
  return (
    <svg
      class="msg-bars"
      viewBox={`0 0 ${days.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map((each, x) => {
        const [all, failed] = [heightOf(totalOf(each)), heightOf(each.failed)];
        if (all === 0) return <rect class="z" x={x} y={HEIGHT - 1} width={1.02} height={1} />;
        return (
          <>
            <rect x={x} y={HEIGHT - all} width={1.02} height={all - failed} />
            {failed > 0 && (
              <rect class="bad" x={x} y={HEIGHT - failed} width={1.02} height={failed} />
            )}
          </>
        );
      })}
    </svg>
  );
}
