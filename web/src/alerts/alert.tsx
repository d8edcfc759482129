import { Eye, EyeOff, Pause, Pencil, Play, Send } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import type { Alert } from "../data/alerts.ts";
import { counted, dayText, many } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import type { Closable } from "../frame/ask.tsx";
import { useBar } from "../frame/bar.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { Loaded, Redirect, Together } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Dialog } from "../ui/overlay.tsx";
import { Fact } from "../ui/section.tsx";
import { Messages, Spark } from "./messages.tsx";
import { type DayCounts, useAlert, useDays } from "./queries.ts";
import {
  AlertMenu,
  AskAgain,
  Problem,
  Sentence,
  StateWord,
  type Task,
  useTest,
  useTurn,
} from "./rule.tsx";
import { AlertTask } from "./sheets.tsx";
import {
  type AlertState,
  addressOf,
  discreetUrl,
  FAILING_MS,
  isBad,
  isUpToRecipient,
  stateOf,
} from "./words.ts";
import "./alerts.css";

/** One alert: what it is for, whether it arrives, and its messages. */
export default function AlertPage() {
  const { id = "" } = useRoute().params;
  const alert = useAlert(id);
  const held = useHeld();
  const name = alert.data ? (alert.data.name ?? discreetUrl(alert.data)) : "Alert";
  useBar({ crumbs: [{ label: "Alerts", href: "/alerts" }, { label: name }] });
  if (held.has(id)) return <Redirect to="/alerts" />;
  return (
    <div class="pad narrow">
      <Together>
        <Loaded query={alert} heading="Alert">
          {(found) => <AlertParts alert={found} />}
        </Loaded>
      </Together>
    </div>
  );
}

function AlertParts({ alert }: { alert: Alert }) {
  const { data: days } = useDays();
  const [task, setTask] = useState<Task | null>(null);
  const counts = days?.get(alert.id);
  const edit = () => setTask("edit");
  return (
    <article class="alert">
      <div class="lead">
        <div>
          <h1>{alert.name ?? <DiscreetUrl alert={alert} />}</h1>
          <Sentence alert={alert} editable={{ alert, days: counts, onEdit: edit }} />
        </div>
        <Deeds alert={alert} onTask={setTask} />
      </div>
      <Trouble alert={alert} days={counts} onEdit={edit} />
      <Figures alert={alert} days={counts} />
      {counts && <Days days={counts} />}
      <Messages alerts={[alert]} days={days} path={`/alerts/${alert.id}`} />
      {task && <AlertTask task={task} alert={alert} onClose={() => setTask(null)} />}
    </article>
  );
}

/** The URL may be a secret, so it is shown in full only on request. */
function DiscreetUrl({ alert }: { alert: Alert }) {
  const [isShown, setShown] = useState(false);
  const discreet = discreetUrl(alert);
  const isPartial =
    alert.url_state === "full" && discreet !== alert.url && `${discreet}/` !== alert.url;
  return (
    <>
      <span>{isShown ? alert.url : discreet}</span>
      {isPartial && (
        <IconButton
          label={isShown ? "Hide the whole URL" : "Show the whole URL"}
          icon={isShown ? EyeOff : Eye}
          onClick={() => setShown(!isShown)}
        />
      )}
    </>
  );
}

function Deeds({ alert, onTask }: { alert: Alert; onTask(task: Task): void }) {
  const test = useTest(alert.id);
  const turn = useTurn(alert);
  const [isPreviewing, setPreviewing] = useState(false);
  if (!useCanWrite()) return null;
  return (
    <div class="alert-deeds">
      {alert.disabled_reason !== "unconfirmed" && (
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
          Send test
        </Button>
      )}
      {alert.disabled_reason !== "unconfirmed" && (
        <Button icon={alert.is_active ? Pause : Play} onClick={() => turn(!alert.is_active)}>
          {alert.is_active ? "Pause" : "Turn on"}
        </Button>
      )}
      {alert.format === "email" && (
        <Button icon={Eye} onClick={() => setPreviewing(true)}>
          Preview
        </Button>
      )}
      <Button icon={Pencil} onClick={() => onTask("edit")}>
        Edit
      </Button>
      <AlertMenu alert={alert} onTask={onTask} isShort />
      {isPreviewing && <MailPreview alert={alert} onClose={() => setPreviewing(false)} />}
    </div>
  );
}

type TroubleProps = { alert: Alert; days: DayCounts | undefined; onEdit: () => void };

/** What is wrong and what to do about it; nothing while the alert works. */
function Trouble({ alert, days, onEdit }: TroubleProps) {
  const state = stateOf(alert);
  const canWrite = useCanWrite();
  if (state === "working") return null;
  const isLost = alert.url_state === "unreadable";
  if (isUpToRecipient(state) && !isLost) {
    return (
      <div class="waits soft">
        <p>
          <Problem alert={alert} days={days} /> {ADVICE[state](alert)}
        </p>
        <AskAgain alert={alert} />
      </div>
    );
  }
  return (
    <div class={isBad(state) ? "failed bad" : "failed"}>
      <p>
        <Problem alert={alert} days={days} />{" "}
        {isLost ? "Enter the URL again, then rotate the secret." : ADVICE[state](alert)}
      </p>
      {isLost && canWrite && (
        <Button icon={Pencil} onClick={onEdit}>
          Enter the URL
        </Button>
      )}
    </div>
  );
}

const HELD_BACK = "Messages from the last 72 hours are sent when you turn it on again.";

const ADVICE: Record<Exclude<AlertState, "working">, (alert: Alert) => ComponentChildren> = {
  failing: ({ failing_since: since }) => (
    <>
      See below what the receiver returned, fix it and send a test. Without a delivered message, the
      alert is turned off <TurnedOff since={since} />.
    </>
  ),
  paused: () => HELD_BACK,
  stopped: () => <>See below what the receiver returned, fix it and send a test. {HELD_BACK}</>,
  unconfirmed: ({ url, last_status_code: refusal }) =>
    refusal === null ? (
      <>{addressOf(url)} got a message with a link. Nothing else is sent before they confirm.</>
    ) : (
      <>Check the address, and send the link again when it is right.</>
    ),
  unsubscribed: ({ url }) => (
    <>
      Only {addressOf(url)} can subscribe again, with the link to unsubscribe in any message that
      they got.
    </>
  ),
  gone: () => (
    <>
      If the receiver has moved, change the URL; if it is no longer needed, delete the alert.{" "}
      {HELD_BACK}
    </>
  ),
};

/** Turning off takes a failure, so the time may pass while there is nothing to send. */
function TurnedOff({ since }: { since: string | null }) {
  const at = since === null ? 0 : Date.parse(since) + FAILING_MS;
  if (at <= Date.now()) return <>at the next failure</>;
  return <Moment at={new Date(at).toISOString()} />;
}

const Figures = ({ alert, days }: Omit<TroubleProps, "onEdit">) => (
  <dl class="panel known">
    <Fact name="State">
      <span class={isBad(stateOf(alert)) ? "rule-st bad" : "rule-st"}>
        <StateWord state={stateOf(alert)} />
      </span>
    </Fact>
    {alert.name && (
      <Fact name="Sent to">
        <DiscreetUrl alert={alert} />
      </Fact>
    )}
    <Fact name="Delivered">{days ? deliveredText(days) : "…"}</Fact>
    <Fact name="Last sent">
      <LastSent alert={alert} />
    </Fact>
    {alert.format !== "standard" && <Fact name="Time zone">{alert.time_zone ?? "UTC"}</Fact>}
    <Fact name="Created">
      <Moment at={alert.created_at} />
    </Fact>
  </dl>
);

/** "7 messages, 1 failed" */
const deliveredText = ({ delivered, failed, pending }: DayCounts): string =>
  [
    counted(delivered, "message"),
    failed > 0 && `${many(failed)} failed`,
    pending > 0 && `${many(pending)} queued`,
  ]
    .filter(Boolean)
    .join(", ");

function LastSent({ alert: { last_delivery_at: at, last_status_code: code } }: { alert: Alert }) {
  if (!at) return <>–</>;
  return (
    <>
      <Moment at={at} />, {code ? `returned ${code}` : "no response"}
    </>
  );
}

/** The messages of each day, with the first and the last day below. */
const Days = ({ days }: { days: DayCounts }) => (
  <figure class="alert-days panel">
    <Spark days={days} />
    <figcaption>
      <span>{dayText(days.days[0]!.day, Date.now())}</span>
      <span>Messages by day</span>
      <span>Today</span>
    </figcaption>
  </figure>
);

const THEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
type Theme = (typeof THEMES)[number]["value"];

/** What a mail of the alert looks like, in both themes. */
function MailPreview({ alert, onClose }: Closable & { alert: Alert }) {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const [theme, setTheme] = useState<Theme>(isDark ? "dark" : "light");
  return (
    <Dialog
      title="Preview"
      onClose={onClose}
      foot={
        <>
          <Seg label="Theme" value={theme} onChange={setTheme} options={THEMES} />
          <span class="gap" />
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <iframe
        class="mail-preview"
        title={`The message, ${theme}`}
        src={`/dashboard/api/mail/preview/${alert.id}?theme=${theme}`}
        sandbox=""
      />
    </Dialog>
  );
}
