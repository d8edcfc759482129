import type { ComponentChildren } from "preact";
import { absoluteTime, clockTime, counted, lengthText, many } from "../lib/format.ts";
import { useServiceName } from "../lib/links.ts";
import {
  type ByStatus,
  hrefOfSpan,
  type Overview,
  responseChart,
  resultsChart,
  type ServiceCounts,
  SPAN_TEXTS,
  SPANS,
  type Span,
  type useSeries,
  type useServiceCounts,
} from "../lib/overview.ts";
import { Chart } from "./chart.tsx";
import { Chips, Fact, GroupName } from "./elements.tsx";
import { Loaded } from "./states.tsx";

type ChartsProps = { span: Span; series: ReturnType<typeof useSeries> };

export const Charts = ({ span, series }: ChartsProps) => (
  <section class="charts" aria-labelledby="over-time">
    <div class="charts-head">
      <h2 id="over-time">Over time</h2>
      <Chips
        label="Time shown"
        chips={SPANS.map((each) => ({
          name: SPAN_TEXTS[each],
          href: hrefOfSpan(each),
          isOn: each === span,
        }))}
      />
    </div>
    <div class="charts-place">
      <Loaded query={series}>
        {(known) => (
          <>
            <div class="card">
              <Chart label="Checks by result" {...resultsChart(known)} />
            </div>
            <div class="card">
              <Chart label="Time to answer" {...responseChart(known)} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  </section>
);

export const ServiceBars = ({ query }: { query: ReturnType<typeof useServiceCounts> }) => (
  <section class="card part" aria-labelledby="by-service">
    <h2 id="by-service">By service</h2>
    <Loaded query={query}>{(services) => <ServiceList services={services} />}</Loaded>
  </section>
);

const ServiceList = ({ services: { items, total } }: { services: ServiceCounts }) => (
  <>
    <ul class="bars">
      {items.map((item) => (
        <Bar
          key={item.service}
          href={`/links?service=${encodeURIComponent(item.service)}`}
          counts={item}
          most={mostOf(items)}
        >
          <ServiceName id={item.service} />
        </Bar>
      ))}
    </ul>
    {total > items.length && (
      <p class="hint">
        The {items.length} with most links, of {many(total)}.
      </p>
    )}
  </>
);

const ServiceName = ({ id }: { id: string }) => <>{useServiceName(id)}</>;

export function GroupBars({ groups: { items, total } }: { groups: Overview["groups"] }) {
  if (total === 0) return null;
  return (
    <section class="card part" aria-labelledby="by-group">
      <h2 id="by-group">By group</h2>
      <ul class="bars">
        {items.map((item) => (
          <Bar key={item.id} href={`/links?group_id=${item.id}`} counts={item} most={mostOf(items)}>
            <GroupName group={item} />
          </Bar>
        ))}
      </ul>
      {total > items.length && (
        <p class="more">
          <a href="/groups">All {many(total)} groups</a>
        </p>
      )}
    </section>
  );
}

const sumOf = ({ active, dead, unknown }: ByStatus) => active + dead + unknown;

const mostOf = (items: ByStatus[]) => Math.max(1, ...items.map(sumOf));

type BarProps = { href: string; counts: ByStatus; most: number; children: ComponentChildren };

/** As long as its share of the longest bar. Problems are also shown as text. */
const Bar = ({ href, counts, most, children }: BarProps) => (
  <li>
    <a href={href}>
      <span class="bar-name">{children}</span>
      <span class="bar-numbers">
        {counts.dead > 0 && <span class="text-bad">{many(counts.dead)} dead</span>}
        {counts.unknown > 0 && <span class="text-unsure">{many(counts.unknown)} unknown</span>}
        <b>
          {many(sumOf(counts))}
          <span class="unseen"> in all</span>
        </b>
      </span>
      <span class="bar" aria-hidden="true">
        <Share tone="bad" count={counts.dead} most={most} />
        <Share tone="unsure" count={counts.unknown} most={most} />
        <Share tone="good" count={counts.active} most={most} />
      </span>
    </a>
  </li>
);

type ShareProps = { tone: "good" | "bad" | "unsure"; count: number; most: number };

const Share = ({ tone, count, most }: ShareProps) =>
  count === 0 ? null : (
    <span class={`swatch-stacked tone-${tone}`} style={{ width: `${(count / most) * 100}%` }} />
  );

type CheckerProps = { checker: Overview["checker"]; webhooks: Overview["webhooks"] };

export const CheckerState = ({ checker, webhooks }: CheckerProps) => (
  <section class="card part" aria-labelledby="checker">
    <h2 id="checker">The checker</h2>
    <dl class="checker">
      <Fact name="Checks">{punctuality(checker)}</Fact>
      <Fact name="Due now">
        {checker.backlog === 0 ? "Nothing" : counted(checker.backlog, "link")}
      </Fact>
      <Fact name="Connection">
        <Connection checker={checker} />
      </Fact>
      <Fact name="Clock">{checker.clock === "ok" ? "Right" : "Wrong: set it right"}</Fact>
      <Fact name="Deliveries waiting">{waiting(webhooks)}</Fact>
      <Fact name="Webhooks">
        <WebhookState webhooks={webhooks} />
      </Fact>
    </dl>
  </section>
);

/** Starting a check and finishing the previous one take some time. */
const ON_TIME_S = 120;

function punctuality({ isChecking, state, lateSeconds }: Overview["checker"]): string {
  if (!isChecking) return "Not running";
  if (state === "offline") return "Paused while offline";
  return lateSeconds < ON_TIME_S ? "On time" : `${lengthText(lateSeconds * 1000)} late`;
}

const STATES = { online: "Online", degraded: "Poor", offline: "Offline" };

/** The state is unknown until a check fails. */
function Connection({ checker: { state, onlineSince } }: Pick<CheckerProps, "checker">) {
  if (state === "unknown") return <>No trouble seen</>;
  return (
    <>
      {STATES[state]}
      {onlineSince && (
        <>
          {" since "}
          <time dateTime={onlineSince} title={absoluteTime(onlineSince)}>
            {clockTime(onlineSince, Date.now())}
          </time>
        </>
      )}
    </>
  );
}

function waiting({ pending, oldestPendingSeconds }: Overview["webhooks"]): string {
  if (pending === 0) return "None";
  return `${many(pending)}, the oldest for ${lengthText(Math.max(oldestPendingSeconds, 1) * 1000)}`;
}

function WebhookState({ webhooks: { failing, disabled } }: Pick<CheckerProps, "webhooks">) {
  if (failing + disabled.total === 0) return <>No trouble</>;
  const parts = [
    failing > 0 && `${many(failing)} failing`,
    disabled.total > 0 && `${many(disabled.total)} switched off`,
  ];
  return <a href="/webhooks">{parts.filter(Boolean).join(", ")}</a>;
}
