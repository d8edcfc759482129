import { useState } from "preact/hooks";
import { browserName, Section, SessionList } from "../components/account-sections.tsx";
import { Confirm } from "../components/dialog.tsx";
import { Loaded } from "../components/states.tsx";
import { useDialogChange } from "../components/use-change.ts";
import {
  ACCOUNT,
  endOtherSessions,
  endSession,
  type OwnSession,
  useSessions,
} from "../lib/account.ts";

export function SessionsSection() {
  const sessions = useSessions();
  const [ending, setEnding] = useState<OwnSession | "others" | null>(null);
  const others = (sessions.data?.items.length ?? 1) - 1;
  const close = () => setEnding(null);
  return (
    <Section
      title="Sessions"
      about="A session ends after 7 days without use, and after 30 days at the latest."
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <>
            <SessionList sessions={items} onEnd={setEnding} />
            {others > 0 && (
              <p class="actions">
                <button type="button" onClick={() => setEnding("others")}>
                  {others === 1 ? "End the other session" : `End all ${others} others`}
                </button>
              </p>
            )}
          </>
        )}
      </Loaded>
      {ending === "others" && <EndOthers count={others} onClose={close} />}
      {ending && ending !== "others" && <EndOne session={ending} onClose={close} />}
    </Section>
  );
}

function EndOthers({ count, onClose }: { count: number; onClose: () => void }) {
  const what = count === 1 ? "the other session" : `${count} other sessions`;
  const ended = count === 1 ? "The other session has ended." : `${count} sessions have ended.`;
  const ending = useEnding(endOtherSessions, ended, onClose);
  return (
    <Confirm
      title={`End ${what}?`}
      action={count === 1 ? "End session" : `End ${count} sessions`}
      change={ending}
      onClose={onClose}
    >
      <p>
        {count === 1 ? "This browser has" : "These browsers have"} to sign in again. You stay signed
        in here.
      </p>
    </Confirm>
  );
}

function EndOne({ session, onClose }: { session: OwnSession; onClose: () => void }) {
  const end = () => endSession(session.id);
  const ending = useEnding(end, "The session has ended.", onClose);
  return (
    <Confirm title="End this session?" action="End session" change={ending} onClose={onClose}>
      <p class="name">{browserName(session)}</p>
      <p>That browser will have to sign in again.</p>
    </Confirm>
  );
}

const useEnding = (end: () => Promise<void>, ended: string, onClose: () => void) =>
  useDialogChange({ change: end, said: ended, renews: [ACCOUNT], onDone: onClose });
