import { CircleAlert, LogOut, MonitorSmartphone, TriangleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Account, OwnSession } from "../lib/account.ts";
import { startUpper } from "../lib/format.ts";
import type { User } from "../lib/session.ts";
import { IconButton, Moment } from "./elements.tsx";

type SectionProps = { title: string; about?: ComponentChildren; children: ComponentChildren };

/** A part of a settings page: its title on the left, its content on the right. */
export function Section({ title, about, children }: SectionProps) {
  const id = useId();
  return (
    <section class="matter" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {about && <p class="hint">{about}</p>}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}

const ROLES = {
  owner: "Owner: full access",
  editor: "Editor: can change links, groups, webhooks and keys",
  viewer: "Viewer: read-only",
};

/** The signed-in user. Dashes keep the place of the account until it is loaded. */
export const Who = ({ user, account }: { user: User; account: Account | undefined }) => (
  <dl class="who-facts">
    <div>
      <dt>E-mail</dt>
      <dd class="url">{user.email}</dd>
    </div>
    <div>
      <dt>Role</dt>
      <dd>{ROLES[user.role]}</dd>
    </div>
    <div>
      <dt>Account</dt>
      <dd class="url">{account ? `${startUpper(account.tier)} tier, ${account.email}` : "…"}</dd>
    </div>
    <div>
      <dt>Made</dt>
      <dd>{account ? <Moment at={account.createdAt} /> : "…"}</dd>
    </div>
  </dl>
);

/** From this share of a limit on, a warning shows. */
const NEAR = 0.9;

export function Usage({ account: { limits, usage, counts } }: { account: Account }) {
  return (
    <>
      <ul class="allowances">
        <Bar name="Links" used={limits.linksUsed} limit={limits.links} />
        <Bar name="API keys" used={counts.apiKeys} limit={limits.apiKeys} />
        <Bar name="Webhooks" used={counts.webhooks} limit={limits.webhooks} />
      </ul>
      <dl class="numbers">
        <Count name="Requests today" value={usage.requests.today} />
        <Count name="Requests this month" value={usage.requests.thisMonth} />
        <Count name="Requests in all" value={usage.requests.total} />
        <Count name="Checks this month" value={usage.checks.thisMonth} />
        <div>
          <dt>Last check</dt>
          <dd>{usage.checks.lastCheck ? <Moment at={usage.checks.lastCheck} /> : "never"}</dd>
        </div>
      </dl>
      <p class="hint">
        Days and months are UTC's. Requests are those with an API key; the dashboard's own are not
        counted.
      </p>
    </>
  );
}

type BarProps = { name: string; used: number; limit: number };

function Bar({ name, used, limit }: BarProps) {
  const state = stateOf(used, limit);
  return (
    <li class={`allowance allowance-${state}`}>
      <span>{name}</span>
      <span class="allowance-count">
        <b>{shown(used)}</b> of {shown(limit)}
      </span>
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={shareOf(used, limit) * 100} height="1" />
      </svg>
      <Remark state={state} used={used} limit={limit} />
    </li>
  );
}

type State = "fine" | "near" | "full" | "over" | "none";

function stateOf(used: number, limit: number): State {
  if (used > limit) return "over";
  if (limit === 0) return "none";
  if (used === limit) return "full";
  return used >= limit * NEAR ? "near" : "fine";
}

/** Even one of a million stays visible. */
function shareOf(used: number, limit: number): number {
  if (used === 0) return 0;
  return limit === 0 ? 1 : Math.min(Math.max(used / limit, 0.006), 1);
}

function Remark({ state, used, limit }: { state: State; used: number; limit: number }) {
  if (state === "fine") return null;
  const Icon = state === "over" ? CircleAlert : TriangleAlert;
  return (
    <span class="allowance-remark">
      {state !== "none" && <Icon aria-hidden="true" />}
      {remarkOf(state, used, limit)}
    </span>
  );
}

function remarkOf(state: Exclude<State, "fine">, used: number, limit: number): string {
  if (state === "none") return "Not part of this tier.";
  if (state === "full") return "None left.";
  if (state === "near") return `${shown(limit - used)} left.`;
  return `${shown(used - limit)} more than the tier allows. They go on working; no more can be added.`;
}

const Count = ({ name, value }: { name: string; value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{shown(value)}</dd>
  </div>
);

const shown = (count: number) => count.toLocaleString("en");

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
