import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { type Alert, CHATS } from "../data/alerts.ts";
import { counted, many } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import { useBar } from "../frame/bar.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded, Together } from "../ui/loaded.tsx";
import { Heading } from "../ui/section.tsx";
import { MailMe } from "./mail-me.tsx";
import { Messages, totalOf } from "./messages.tsx";
import { DAYS, type DayCounts, useAlerts, useDays } from "./queries.ts";
import { Rule, type Task } from "./rule.tsx";
import { AlertTask, NewAlert } from "./sheets.tsx";
import { isBad, stateOf } from "./words.ts";
import "./alerts.css";

/** Who hears about it, and does it arrive? */
export default function AlertsPage() {
  useBar({ crumbs: [{ label: "Alerts" }] });
  const alerts = useAlerts();
  const { data: days } = useDays();
  const held = useHeld();
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="pad narrow">
      <Together>
        <Loaded query={alerts} heading="Alerts">
          {(all) => {
            const shown = all.filter(({ id }) => !held.has(id));
            const none = shown.length === 0;
            return (
              <>
                {none && <Nothing onAdd={() => setAdding(true)} />}
                {!none && <AlertList alerts={shown} days={days} onAdd={() => setAdding(true)} />}
                <MailMe />
              </>
            );
          }}
        </Loaded>
      </Together>
      {isAdding && <NewAlert onClose={() => setAdding(false)} />}
    </div>
  );
}

const Nothing = ({ onAdd }: { onAdd: () => void }) => (
  <div class="empty">
    <h1>No alerts yet</h1>
    <p>
      Get notified when links die or come back: in {CHATS.map(({ name }) => name).join(", ")} or
      your own program.
    </p>
    <NewButton onAdd={onAdd} />
  </div>
);

const NewButton = ({ onAdd }: { onAdd: () => void }) =>
  useCanWrite() ? (
    <Button icon={Plus} onClick={onAdd}>
      New alert
    </Button>
  ) : null;

type ListProps = { alerts: Alert[]; days: Map<string, DayCounts> | undefined; onAdd: () => void };

function AlertList({ alerts, days, onAdd }: ListProps) {
  const [task, setTask] = useState<{ what: Task; id: string } | null>(null);
  const chosen = alerts.find(({ id }) => id === task?.id);
  return (
    <>
      <Heading title={headingOf(alerts)} action={<NewButton onAdd={onAdd} />}>
        {days && sentText(alerts, days)}
      </Heading>
      <ul class="panel rules" aria-label="Alerts">
        {alerts.map((alert) => (
          <Rule
            key={alert.id}
            alert={alert}
            days={days?.get(alert.id)}
            onTask={(what) => setTask({ what, id: alert.id })}
          />
        ))}
      </ul>
      <Messages alerts={alerts} days={days} path="/alerts" />
      {task && chosen && (
        <AlertTask task={task.what} alert={chosen} onClose={() => setTask(null)} />
      )}
    </>
  );
}

/** The worst first. */
function headingOf(alerts: Alert[]): string {
  const states = alerts.map(stateOf);
  const bad = states.filter(isBad).length;
  if (bad > 0) return `${areAlerts(bad)} failing`;
  for (const [state, words] of NOT_SENDING) {
    const count = states.filter((each) => each === state).length;
    if (count > 0) return `${areAlerts(count)} ${words}`;
  }
  return "All alerts are delivered";
}

const areAlerts = (count: number) => `${counted(count, "alert")} ${count === 1 ? "is" : "are"}`;

const NOT_SENDING = [
  ["paused", "paused"],
  ["unconfirmed", "waiting for confirmation"],
  ["unsubscribed", "unsubscribed"],
] as const;

/** "4 alerts sent 32 messages in the last 14 days." */
function sentText(alerts: Alert[], days: Map<string, DayCounts>): string {
  const sent = alerts.reduce((sum, { id }) => {
    const counts = days.get(id);
    return counts ? sum + totalOf(counts) : sum;
  }, 0);
  const what = sent === 0 ? "no messages" : counted(sent, "message");
  return `${counted(alerts.length, "alert")} sent ${what} in the last ${many(DAYS)} days.`;
}
