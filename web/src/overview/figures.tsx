import type { UseQueryResult } from "@tanstack/preact-query";
import { ArrowUpRight } from "lucide-preact";
import { useState } from "preact/hooks";
import type { LinkStatus } from "../../../server/ground/lib/vocabulary.ts";
import { Area, isCompared } from "../chart/area.tsx";
import { Bar, mostOf } from "../chart/bars.tsx";
import { daysUntil } from "../chart/scale.ts";
import { hrefOf } from "../data/changes.ts";
import type { Overview } from "../data/counts.ts";
import { shownHost } from "../data/display-url.ts";
import { many } from "../data/format.ts";

import { reasonWords } from "../data/words.ts";
import { Seg } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { Trace } from "../ui/trace.tsx";
import { type Causes, MOST_BARS, type Period, type Series, type useDeadSites } from "./queries.ts";
import {
  ageOf,
  FIGURE_NAMES,
  type Figure,
  figuresOf,
  formatOf,
  largestOf,
  notesOf,
  PERIOD_NAMES,
  shownOf,
  valuesOf,
} from "./words.ts";

type Props = {
  overview: Overview;
  series: Series | undefined;
  causes: Causes | undefined;
  period: Period;
};

/** Five figures, of which the pressed one is drawn. */
export function Figures(props: Props) {
  const [figure, setFigure] = useState<Figure>("dead");
  const { overview, series, period } = props;
  return (
    <section class="panel hero" aria-label={`${FIGURE_NAMES[figure]}, ${PERIOD_NAMES[period]}`}>
      <ul class="stats">
        {figuresOf(series).map((each) => (
          <FigureButton
            key={each}
            figure={each}
            {...shownOf(each, overview, series, period)}
            isOn={each === figure}
            onPress={() => setFigure(each)}
          />
        ))}
      </ul>
      {series && ageOf(series) > 1 && <FigureChart {...props} series={series} figure={figure} />}
      {series && ageOf(series) === 1 && <p class="hint">The chart begins tomorrow.</p>}
    </section>
  );
}

type FigureProps = ReturnType<typeof shownOf> & {
  figure: Figure;
  isOn: boolean;
  onPress: () => void;
};

const FigureButton = ({ figure, value, change, brief, isWorse, isOn, onPress }: FigureProps) => (
  <li class={isOn ? "on" : undefined}>
    <button type="button" class={`f-${figure}`} aria-pressed={isOn} onClick={onPress}>
      <span>
        {LOOKS[figure].status && <State status={LOOKS[figure].status} hidden />}
        {FIGURE_NAMES[figure]}
      </span>
      <b>{value}</b>
      <em class={isWorse ? "bad" : undefined}>
        {isWorse && <ArrowUpRight class="i" aria-hidden="true" />}
        <span class={brief && "wide"}>{change}</span>
        {brief && (
          <span class="brief" aria-hidden="true">
            {brief}
          </span>
        )}
      </em>
    </button>
  </li>
);

type Look = {
  /** Of the chart. */
  name: string;
  tone: "dead" | "unknown" | "alive" | "plain";
  status?: LinkStatus;
};

const LOOKS: Record<Figure, Look> = {
  dead: { name: "Dead links", tone: "dead", status: "dead" },
  unknown: { name: "Unknown links", tone: "unknown", status: "unknown" },
  alive: { name: "Alive links", tone: "alive", status: "active" },
  came_back: { name: "Links that came back", tone: "alive" },
  time_dead: { name: FIGURE_NAMES.time_dead, tone: "plain" },
};

type ChartProps = Omit<Props, "series"> & { series: Series; figure: Figure };

function FigureChart({ figure, series, causes, period, overview }: ChartProps) {
  const count = Math.min(Number(period), ageOf(series));
  const today = series.days.at(-1)?.day ?? new Date().toISOString().slice(0, 10);
  const days = daysUntil(today, count);
  const before = daysUntil(days[0]!, count + 1).slice(0, -1);
  const most = largestOf(causes, overview.counts.dead);
  const previous = valuesOf(figure, series.previous, before);
  const { name, tone } = LOOKS[figure];
  return (
    <Area
      name={name}
      days={days}
      values={valuesOf(figure, series.days, days)}
      previous={previous}
      tone={tone}
      notes={figure === "dead" ? notesOf(series, causes, days) : []}
      format={formatOf(figure)}
      least={figure === "time_dead" ? 0.5 : 1}
      empty="No data yet."
      legend={
        <>
          <span class={`tone-${tone}`}>
            <i class="k-line" />
            {name}
          </span>
          {isCompared(previous) && (
            <span>
              <i class="k-before" />
              previous {PERIOD_NAMES[period]}
            </span>
          )}
          {figure === "dead" && most && (
            <span class="phone-only">
              {most.replace(" on ", ` of the ${many(overview.counts.dead)} are on `)}
            </span>
          )}
        </>
      }
    />
  );
}

type Sites = ReturnType<typeof useDeadSites>;

/** Whether where dead links are says more than how many there are. */
export const hasPlaces = (sites: Sites["data"], { groups }: Overview) =>
  (sites?.pagination.total ?? 0) > 1 || groups.items.filter(({ dead }) => dead > 0).length > 1;

/** Dead links by site and by group. */
export function Where({ sites, groups }: { sites: Sites; groups: Overview["groups"]["items"] }) {
  const [by, setBy] = useState<"sites" | "groups">("sites");
  const options = [
    { value: "sites", label: "Sites" },
    { value: "groups", label: "Groups" },
  ] as const;
  const choice = groups.length > 0 && (
    <Seg tiny label="Where" value={by} onChange={setBy} options={options} />
  );
  return (
    <Section title="Where" action={choice}>
      {by === "groups" ? (
        <PlaceBars places={groupPlaces(groups)} />
      ) : (
        <Loaded query={sites as UseQueryResult<NonNullable<Sites["data"]>, Error>}>
          {({ items }) => <PlaceBars places={items.map(sitePlace)} />}
        </Loaded>
      )}
    </Section>
  );
}

type Place = { href: string; name: string; dead: number; links: number };

const groupPlaces = (groups: Overview["groups"]["items"]): Place[] =>
  groups
    .map(({ id, name, active, dead, unknown }) => ({
      href: hrefOf("/links", { status: "dead", group_id: id }),
      name,
      dead,
      links: active + dead + unknown,
    }))
    .filter(({ dead }) => dead > 0)
    .sort((a, b) => b.dead - a.dead)
    .slice(0, MOST_BARS);

type Site = { site: string; dead: number; links: number };

const sitePlace = ({ site, dead, links }: Site): Place => ({
  href: hrefOf("/links", { status: "dead", site }),
  name: shownHost(site),
  dead,
  links,
});

function PlaceBars({ places }: { places: Place[] }) {
  const most = mostOf(places.map(({ dead }) => dead));
  if (places.length === 0) return <p class="hint">No dead links.</p>;
  return (
    <ul class="bars">
      {places.map(({ href, name, dead, links }) => (
        <Bar key={href} href={href} share={dead / most} tone="dead">
          <span>{name}</span>
          <em>of {many(links)}</em>
          <b>{many(dead)}</b>
        </Bar>
      ))}
    </ul>
  );
}

/** Dead and unknown links by reason. */
export function Why({ overview: { dead, unknown } }: { overview: Overview }) {
  const [of, setOf] = useState<"dead" | "unknown">(dead.total > 0 ? "dead" : "unknown");
  const reasons = (of === "dead" ? dead.reasons : unknown.items).slice(0, MOST_BARS);
  const most = mostOf(reasons.map(({ count }) => count));
  const options = [
    { value: "dead", label: "Dead" },
    { value: "unknown", label: "Unknown" },
  ] as const;
  const choice = <Seg tiny label="Why" value={of} onChange={setOf} options={options} />;
  return (
    <Section title="Why" action={choice}>
      {(dead.total === 0 || reasons.length === 0) && (
        <p class="hint">
          {dead.total === 0 && of === "unknown"
            ? "No dead links. Unknown ones:"
            : `No ${of} links.`}
        </p>
      )}
      <ul class="bars">
        {reasons.map(({ reason, count }) => (
          <Bar
            key={reason}
            href={hrefOf("/links", { status: of, reason })}
            share={count / most}
            tone={of}
          >
            <span>{reason === null ? "Not checked yet" : reasonWords(reason)}</span>
            {reason !== null && <Trace reason={reason} status={of} />}
            <b>{many(count)}</b>
          </Bar>
        ))}
      </ul>
    </Section>
  );
}
