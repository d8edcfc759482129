import type { ComponentChildren } from "preact";
import { many } from "../lib/counted.ts";
import type { ByStatus, Overview, ServiceCounts, useServiceCounts } from "../lib/overview.ts";
import { useServiceName } from "../lib/services.ts";
import { GroupName } from "./group-name.tsx";
import { Loaded } from "./states.tsx";

/** The services with most links. */
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

/** The groups with most links; nothing where there are no groups. */
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

/** As long as its share of the longest. The trouble stands in words as well. */
const Bar = ({ href, counts, most, children }: BarProps) => (
  <li>
    <a href={href}>
      <span class="bar-name">{children}</span>
      <span class="bar-numbers">
        {counts.dead > 0 && <span class="bar-dead">{many(counts.dead)} dead</span>}
        {counts.unknown > 0 && <span class="bar-unknown">{many(counts.unknown)} unknown</span>}
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
