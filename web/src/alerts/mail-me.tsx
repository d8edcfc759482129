import type { Alert, EventType } from "../data/alerts.ts";
import { api, complete } from "../data/api.ts";
import { useCanWrite, useSession, useUser } from "../data/session.ts";
import { useSave } from "../frame/toast.tsx";
import { CheckField } from "../ui/field.tsx";
import { ALERTS, changeAlert, createAlert } from "./queries.ts";
import { addressOf, scheduleOf, usualSchedule } from "./words.ts";

const WISHES: { label: string; events: EventType[] }[] = [
  { label: "When links die or come back", events: ["link.dead", "link.alive"] },
  { label: "A summary every Monday", events: ["summary.ready"] },
];

/** Alerts to the reader's own address, one click each. */
export function MailMe({ alerts }: { alerts: Alert[] }) {
  const { email } = useUser();
  const canWrite = useCanWrite();
  const sendsMail = useSession().data?.sends_mail;
  const own = alerts.find(
    ({ format, url }) => format === "email" && addressOf(url).toLowerCase() === email,
  );
  const save = useSave({
    change: (events: EventType[]) => apply(own, email, events),
    said: (_, events) => (events.length > 0 ? `Mail to ${email} changed.` : "You get no mail."),
    renews: [ALERTS],
  });
  if (!sendsMail || !canWrite) return null;
  const present = own?.events ?? [];
  return (
    <fieldset class="panel mail-me" disabled={save.isPending}>
      <legend>Mail to {email}</legend>
      {WISHES.map(({ label, events }) => {
        const isOn = events.every((event) => present.includes(event));
        const others = present.filter((event) => !events.includes(event));
        return (
          <CheckField
            key={label}
            label={label}
            checked={isOn}
            onChange={() => save.mutate(isOn ? others : [...others, ...events])}
          />
        );
      })}
    </fieldset>
  );
}

async function apply(own: Alert | undefined, email: string, events: EventType[]): Promise<void> {
  if (own && events.length === 0) return complete(api.webhooks({ id: own.id }).delete());
  const schedule = (own && scheduleOf(own)) ?? usualSchedule();
  const summary = events.includes("summary.ready") ? schedule : null;
  if (own) await changeAlert(own.id, { events, summary });
  else {
    const alert = { url: `mailto:${email}`, format: "email", first_verdicts: false } as const;
    await createAlert({ ...alert, events, summary, filter: null });
  }
}
