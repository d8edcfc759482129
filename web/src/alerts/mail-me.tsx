import { useQuery } from "@tanstack/preact-query";
import type { EventType } from "../data/alerts.ts";
import { api, unwrap } from "../data/api.ts";
import { ownTimeZone } from "../data/format.ts";
import { useSession, useUser } from "../data/session.ts";
import { useSave } from "../frame/toast.tsx";
import { CheckField } from "../ui/field.tsx";
import { ALERTS } from "./queries.ts";
import { scheduleOf, usualSchedule } from "./words.ts";

const WISHES: { label: string; events: EventType[] }[] = [
  { label: "When links die or come back", events: ["link.dead", "link.alive"] },
  { label: "A summary every Monday", events: ["summary.ready"] },
];

/** Mail to the reader's own address, one click each; also for those who can only read. */
export function MailMe() {
  const { email } = useUser();
  const sendsMail = useSession().data?.sends_mail === true;
  const own = useQuery({
    queryKey: [...ALERTS, "me"],
    queryFn: () => unwrap(api.mail.me.get()),
    enabled: sendsMail,
  });
  const save = useSave({
    change: ({ events, assigned }: { events?: EventType[]; assigned?: boolean }) => {
      const schedule = (own.data && scheduleOf(own.data)) ?? usualSchedule();
      const summary = events?.includes("summary.ready") ? schedule : null;
      const wish = events ? { events, summary, time_zone: ownTimeZone() } : { assigned };
      return unwrap(api.mail.me.post(wish));
    },
    said: ({ events, assigned }) =>
      events.length > 0 || assigned ? `Mail to ${email} changed.` : "You get no mail.",
    renews: [ALERTS],
  });
  if (!own.data) return null;
  const present = own.data.events;
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
            onChange={() => save.mutate({ events: isOn ? others : [...others, ...events] })}
          />
        );
      })}
      <CheckField
        label="When others assign links to me"
        hint={
          !own.data.is_proven &&
          "Only once your address is confirmed, for example by “Forgot your password?” at sign-in."
        }
        checked={own.data.assigned}
        onChange={({ currentTarget }) => save.mutate({ assigned: currentTarget.checked })}
      />
    </fieldset>
  );
}
