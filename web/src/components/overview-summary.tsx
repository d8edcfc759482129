import {
  ArrowRight,
  CircleCheck,
  CircleHelp,
  CircleX,
  Link2,
  LoaderCircle,
  TriangleAlert,
  Unplug,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { counted, many } from "../lib/format.ts";
import { useServiceName } from "../lib/links.ts";
import { headlineOf, type Overview } from "../lib/overview.ts";
import { Moment } from "./elements.tsx";

const ICONS = { good: CircleCheck, bad: CircleX, unsure: CircleHelp };

export function OverviewHead({ overview }: { overview: Overview }) {
  const { state, title, rest } = headlineOf(overview);
  const Icon = ICONS[state];
  return (
    <header class="overview-head">
      <div class={`headline headline-${state}`}>
        <Icon aria-hidden="true" />
        <div>
          <h1>{title}</h1>
          <p>{rest}</p>
        </div>
      </div>
      <Counts counts={overview.counts} />
    </header>
  );
}

const COUNTED = [
  { name: "total", word: "Links", href: "/links", Icon: Link2 },
  { name: "active", word: "Alive", href: "/links?status=active", Icon: CircleCheck },
  { name: "dead", word: "Dead", href: "/links?status=dead", Icon: CircleX },
  { name: "unknown", word: "Unknown", href: "/links?status=unknown", Icon: CircleHelp },
  { name: "checking", word: "Checking now", href: "/links?status=checking", Icon: LoaderCircle },
] as const;

const Counts = ({ counts }: { counts: Overview["counts"] }) => (
  <nav class="tallies" aria-label="Links by status">
    {COUNTED.map(({ name, word, href, Icon }) => (
      <a key={name} href={href} class={`tally tally-${name} ${counts[name] === 0 ? "none" : ""}`}>
        <span>
          <Icon aria-hidden="true" />
          {word}
        </span>
        <b>{many(counts[name])}</b>
      </a>
    ))}
  </nav>
);

type Webhooks = Overview["webhooks"];
type Disabled = Webhooks["disabled"]["items"][number];

/** The others are only counted. */
const MOST_SHOWN = 3;

/** Webhooks that the server switched off, which send no notifications any more. */
export function SwitchedOff({ webhooks: { disabled } }: { webhooks: Webhooks }) {
  if (disabled.total === 0) return null;
  const shown = disabled.items.slice(0, MOST_SHOWN);
  const rest = disabled.total - shown.length;
  return (
    <div class="notice notice-warn overview-notice">
      <Unplug aria-hidden="true" />
      <ul>
        {shown.map((webhook) => (
          <li key={webhook.id}>
            The <a href={`/webhooks/${webhook.id}`}>webhook to {webhook.host}</a> was switched off
            {webhook.since && (
              <>
                {" "}
                <Moment at={webhook.since} />
              </>
            )}
            {why(webhook)}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <a href="/webhooks">{rest === 1 ? "One more webhook" : `${rest} more webhooks`}</a>{" "}
            {rest === 1 ? "was" : "were"} switched off.
          </li>
        )}
      </ul>
    </div>
  );
}

const why = ({ reason }: Disabled) =>
  reason === "gone"
    ? ": its receiver answered 410 (gone)."
    : ": nothing could be delivered for days.";

/** Omits sections without content. */
export function Attention({ overview: { dead, recovered, unknown } }: { overview: Overview }) {
  if (dead.total + recovered.total + unknown.items.length === 0) return null;
  return (
    <div class="attention">
      {dead.total > 0 && <Dead dead={dead} />}
      {(recovered.total > 0 || unknown.items.length > 0) && (
        <div class="attention-side">
          {unknown.items.length > 0 && <Unknown unknown={unknown} />}
          {recovered.total > 0 && <Recovered recovered={recovered} />}
        </div>
      )}
    </div>
  );
}

type PartProps = {
  id: string;
  title: string;
  more?: ComponentChildren;
  children: ComponentChildren;
};

const Part = ({ id, title, more, children }: PartProps) => (
  <section class="card part" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
    {more && <p class="more">{more}</p>}
  </section>
);

const More = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href}>
    {children}
    <ArrowRight aria-hidden="true" />
  </a>
);

const Dead = ({ dead: { total, items } }: { dead: Overview["dead"] }) => (
  <Part
    id="dead-now"
    title="Dead now"
    more={
      total > items.length && (
        <More href="/links?status=dead&sort=-status_changed_at">
          All {counted(total, "dead link")}
        </More>
      )
    }
  >
    <ul class="brief">
      {items.map((link) => (
        <li key={link.id}>
          <a class="url" href={`/links/${link.id}`} title={link.url}>
            {link.url}
          </a>
          <p class="brief-when">
            <Moment at={link.since} />
          </p>
          <p class="brief-why">{link.message}</p>
          <ServiceName id={link.service} />
        </li>
      ))}
    </ul>
  </Part>
);

/** "generic" means that the link belongs to no service. */
function ServiceName({ id }: { id: string }) {
  const name = useServiceName(id);
  return id === "generic" ? null : <p class="brief-where">{name}</p>;
}

const Recovered = ({ recovered: { total, items } }: { recovered: Overview["recovered"] }) => (
  <Part
    id="recovered"
    title="Back again"
    more={total > items.length && `${many(total)} came back within the last 7 days.`}
  >
    <ul class="brief">
      {items.map((link) => (
        <li key={link.id}>
          <a class="url" href={`/links/${link.id}`} title={link.url}>
            {link.url}
          </a>
          <p class="brief-when back-again">
            <CircleCheck aria-hidden="true" />
            <Moment at={link.recoveredAt} />
          </p>
        </li>
      ))}
    </ul>
  </Part>
);

const MOST_REASONS = 6;

function Unknown({ unknown: { items, isWhole } }: { unknown: Overview["unknown"] }) {
  const shown = items.slice(0, MOST_REASONS);
  const rest = items.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return (
    <Part
      id="unknown-why"
      title="Unknown, and why"
      more={<More href="/links?status=unknown">All unknown links</More>}
    >
      <ul class="reasons">
        {shown.map(({ reason, message, count }) => (
          <li key={reason ?? "none"}>
            <b>{counted(count, "link")}</b> {message}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <b>{counted(rest, "link")}</b> For other reasons.
          </li>
        )}
      </ul>
      {!isWhole && <p class="hint">Only the newest unknown links are counted here.</p>}
    </Part>
  );
}

export const BackupNotice = ({ problem }: { problem: string }) => (
  <div class="notice notice-warn overview-notice" role="status">
    <TriangleAlert aria-hidden="true" />
    <p>
      {problem} <a href="/admin#backups">See the backups</a>
    </p>
  </div>
);
