import { Ellipsis } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Menu } from "../ui/menu.tsx";
import { dayLabel, namedDays, type Scale, type Values, weekdayLabel } from "./scale.ts";
import "./chart.css";

export type Series = { name: string; values: Values };

type Props = {
  /** Names the chart, as "Dead links". */
  name: string;
  /** One sentence on what it shows. */
  summary: string;
  kind: "area" | "lat";
  height: number;
  days: string[];
  scale: Scale;
  series: Series[];
  format: (value: number) => string;
  legend?: ComponentChildren;
  /** Instead of the chart, where there is no value. */
  empty?: string;
  /** Shapes in days and values from the top. */
  children: ComponentChildren;
  /** Shapes in pixels from the top and per cent from the left. */
  above?: (toY: (value: number) => number) => ComponentChildren;
};

const TOP = 8;
/** Room for the names of the days. */
const BELOW = 26;

/** Axes of a chart by day, whose values can be read by pointer, by arrow keys and as a table. */
export function Plot(props: Props) {
  const [isTable, setTable] = useState(false);
  const { name, series, empty, legend, height } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  return (
    <>
      {isEmpty ? (
        <svg class="plot plot-empty" width="100%" height={height} role="img" aria-label={empty}>
          <text x="50%" y={height / 2} text-anchor="middle">
            {empty}
          </text>
        </svg>
      ) : isTable ? (
        <Table {...props} />
      ) : (
        <Drawing {...props} />
      )}
      <div class="key">
        {legend}
        {!isEmpty && (
          <Menu
            label={`Options (${name})`}
            icon={Ellipsis}
            items={[
              {
                label: isTable ? "Show as chart" : "Show as table",
                onSelect: () => setTable(!isTable),
              },
            ]}
          />
        )}
      </div>
    </>
  );
}

function Drawing({ children, above, ...props }: Props) {
  const { summary, kind, height, days, scale, format } = props;
  const room = height - TOP - BELOW;
  const toY = (value: number) => TOP + room * (1 - value / scale.most);
  const labels = scale.ticks.map(format);
  const width = 10 + 7 * Math.max(...labels.map(({ length }) => length));
  const base = height - BELOW;
  return (
    <div class="plot">
      <svg width={width} height={height} aria-hidden="true">
        {scale.ticks.map((tick, i) => (
          <text key={tick} class="tick" x={width - 8} y={toY(tick) + 4} text-anchor="end">
            {labels[i]}
          </text>
        ))}
      </svg>
      <Reader {...props}>
        <svg class={kind} width="100%" height={height} role="img" aria-label={summary}>
          {scale.ticks.slice(1).map((tick) => (
            <line key={tick} class="grid" x1="0" x2="100%" y1={toY(tick)} y2={toY(tick)} />
          ))}
          <svg
            aria-hidden="true"
            y={TOP}
            width="100%"
            height={room}
            viewBox={`0 0 ${days.length} ${scale.most}`}
            preserveAspectRatio="none"
          >
            {children}
          </svg>
          <line class="base" x1="0" x2="100%" y1={base} y2={base} />
          <DayNames days={days} base={base} />
          {above?.(toY)}
        </svg>
      </Reader>
    </div>
  );
}

function DayNames({ days, base }: { days: string[]; base: number }) {
  const named = namedDays(days);
  // A phone has no room for them next to others.
  const look = named.length > 0 ? "tick wide-only" : "tick";
  return (
    <>
      {named.map((i) => {
        const x = `${(i / days.length) * 100}%`;
        return (
          <g key={days[i]}>
            <line class="mtick" x1={x} x2={x} y1={base} y2={base + 5} />
            <text class="tick" x={x} y={base + 20} text-anchor="middle">
              {dayLabel(days[i]!)}
            </text>
          </g>
        );
      })}
      <text class={look} x="2" y={base + 20}>
        {dayLabel(days[0]!)}
      </text>
      <text class={look} x="100%" y={base + 20} text-anchor="end">
        today
      </text>
    </>
  );
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageUp: (at) => at - 7,
  PageDown: (at) => at + 7,
  Home: () => 0,
  End: (_, last) => last,
};

/** Reads the values of the day that the pointer or the arrow keys are at. */
function Reader({ name, days, series, format, children }: Omit<Props, "above">) {
  const last = days.length - 1;
  const [chosen, setChosen] = useState<number | null>(null);
  const at = Math.min(chosen ?? last, last);
  const read = readingOf({ series, format }, at);
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * days.length))));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, step(at, last))));
  };
  return (
    <div
      class="reader"
      role="slider"
      tabIndex={0}
      aria-label={`${name}, by day`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={`${weekdayLabel(days[at]!)}: ${read.map(({ name, text }) => `${name} ${text}`).join(", ")}`}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setChosen(null)}
      onFocus={() => setChosen(at)}
      onBlur={() => setChosen(null)}
      onKeyDown={onKeyDown}
    >
      {children}
      {chosen !== null && (
        <div
          class={`reading ${at > days.length / 2 ? "reading-left" : ""}`}
          style={{ left: `${((at + 0.5) / days.length) * 100}%` }}
          aria-hidden="true"
        >
          <p>
            <b>{weekdayLabel(days[at]!)}</b>
            {read.map(({ name, text }) => (
              <span key={name}>
                {name} <b>{text}</b>
              </span>
            ))}
          </p>
        </div>
      )}
    </div>
  );
}

const readingOf = ({ series, format }: Pick<Props, "series" | "format">, at: number) =>
  series.map(({ name, values }) => {
    const value = values[at] ?? null;
    return { name, text: value === null ? "–" : format(value) };
  });

/** The days with a value, the latest first. */
function Table({ name, days, series, format, height }: Props) {
  const shown = days.flatMap((day, at) =>
    series.some(({ values }) => values[at] != null) ? [{ day, at }] : [],
  );
  return (
    <section
      class="chart-table"
      style={{ height: `${height}px` }}
      aria-label={`${name} as a table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.reverse().map(({ day, at }) => (
            <tr key={day}>
              <th scope="row">{weekdayLabel(day)}</th>
              {readingOf({ series, format }, at).map(({ name, text }) => (
                <td key={name}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
