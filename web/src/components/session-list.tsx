import { LogOut, MonitorSmartphone } from "lucide-preact";
import type { OwnSession } from "../lib/account.ts";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";

type SessionListProps = { sessions: OwnSession[]; onEnd: (session: OwnSession) => void };

export const SessionList = ({ sessions, onEnd }: SessionListProps) => (
  <ul class="rows sessions" aria-label="Sessions">
    {sessions.map((session) => (
      <li key={session.id}>
        <MonitorSmartphone aria-hidden="true" />
        <div class="what">
          <p class="name">
            {browserName(session)} {session.is_current && <span class="tag here">This one</span>}
          </p>
          <p class="why">
            used <Moment at={session.last_seen_at} />, begun <Moment at={session.created_at} />
          </p>
        </div>
        {!session.is_current && (
          <IconButton
            label={`End the session of ${browserName(session)}`}
            title="End this session"
            icon={LogOut}
            onClick={() => onEnd(session)}
          />
        )}
      </li>
    ))}
  </ul>
);

export const browserName = ({ browser }: OwnSession) => browser ?? "Unknown browser";
