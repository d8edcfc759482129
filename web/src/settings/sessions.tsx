import { useQuery } from "@tanstack/preact-query";
import { MonitorSmartphone } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, complete, type DataOf, unwrap } from "../data/api.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading } from "../ui/section.tsx";
import { Line, List } from "./parts.tsx";
import { ACCOUNT } from "./queries.ts";
import type { Section } from "./settings.tsx";

const useSessions = () =>
  useQuery({ queryKey: [...ACCOUNT, "sessions"], queryFn: () => unwrap(api.sessions.get()) });
export const section: Section = {
  part: "You",
  place: 2,
  name: "Sessions",
  icon: MonitorSmartphone,
};

/** The browsers in which the user is signed in. */
export default function SessionsSection() {
  const sessions = useSessions();
  const [isEnding, setEnding] = useState(false);
  const others = (sessions.data?.items.length ?? 1) - 1;
  const end = others > 0 && (
    <Button onClick={() => setEnding(true)}>
      {others === 1 ? "End the other session" : `End all ${others} others`}
    </Button>
  );
  return (
    <>
      <Heading title="Sessions" action={end}>
        A session ends after 7 days without use, and after 30 days at the latest.
      </Heading>
      <List label="Sessions" query={sessions} items={sessions.data?.items}>
        {(session) => <SessionLine key={session.id} session={session} />}
      </List>
      {isEnding && <EndOthers count={others} onClose={() => setEnding(false)} />}
    </>
  );
}

function SessionLine({ session }: { session: DataOf<typeof useSessions>["items"][number] }) {
  const { id, is_current: isCurrent, last_seen_at: usedAt, created_at: startedAt } = session;
  const browser = session.browser ?? "Unknown browser";
  const [isEnding, setEnding] = useState(false);
  return (
    <Line
      icon={MonitorSmartphone}
      title={
        <>
          <b>{browser}</b>
          {isCurrent && <span class="chip">This one</span>}
        </>
      }
      hint={
        <>
          used <Moment at={usedAt} />, started <Moment at={startedAt} />
          {session.via === "oidc" && " by single sign-on"}
        </>
      }
    >
      {!isCurrent && (
        <Button quiet aria-label={`End the session of ${browser}`} onClick={() => setEnding(true)}>
          End
        </Button>
      )}
      {isEnding && (
        <Ask
          title="End this session?"
          action="End session"
          danger
          send={() => complete(api.sessions({ id }).delete())}
          said="The session has ended."
          renews={[ACCOUNT]}
          onClose={() => setEnding(false)}
        >
          <p>
            <b>{browser}</b> will have to sign in again.
          </p>
        </Ask>
      )}
    </Line>
  );
}

const EndOthers = ({ count, onClose }: Closable & { count: number }) => (
  <Ask
    title={count === 1 ? "End the other session?" : `End ${count} other sessions?`}
    action={count === 1 ? "End session" : `End ${count} sessions`}
    danger
    send={() => complete(api.sessions.delete())}
    said={count === 1 ? "The other session has ended." : `${count} sessions have ended.`}
    renews={[ACCOUNT]}
    onClose={onClose}
  >
    <p>This signs you out everywhere else.</p>
  </Ask>
);
