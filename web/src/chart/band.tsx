import type { ComponentChildren } from "preact";
import { Plot } from "./plot.tsx";
import { scaleOf, spansOf, type Values } from "./scale.ts";

type Props = {
  name: string;
  /** One sentence on what it shows. */
  summary: string;
  days: string[];
  fastest: Values;
  average: Values;
  slowest: Values;
  /** The days to shade. */
  dead: boolean[];
  /** Days on which nothing was measured, over which the line goes on. */
  skipped: boolean[];
  format: (value: number) => string;
  legend?: ComponentChildren;
  empty: string;
};

/** A line of averages in a band from the lowest to the highest value of each day. */
export function Band(props: Props) {
  const { name, summary, days, fastest, average, slowest, dead, skipped, ...rest } = props;
  const deadSpans = spansOf(dead.map((is) => (is ? 1 : null)));
  const scale = scaleOf([...slowest, ...average]);
  // The word stands above the line.
  if (deadSpans.length > 0) scale.most *= NAMED_ROOM;
  const y = (value: number) => Number((scale.most - value).toFixed(2));
  const series = [
    { name: "Average", values: average },
    { name: "Fastest", values: fastest },
    { name: "Slowest", values: slowest },
  ];
  return (
    <Plot
      {...{ name, summary, days, scale, series, ...rest }}
      kind="lat"
      height={132}
      above={() => <DeadLabels spans={deadSpans} days={days.length} />}
    >
      {deadSpans.map(([from, end]) => (
        <rect key={from} class="deadzone" x={from} width={end - from} y="0" height={scale.most} />
      ))}
      <path class="band" d={bandPath({ lowest: fastest, highest: slowest, skipped, y })} />
      <path class="med" d={linePath({ values: average, skipped, y })} />
    </Plot>
  );
}

/** Below this share of the chart, the word would be wider than what it names. */
const LEAST_NAMED = 0.06;
const NAMED_ROOM = 1.25;

const DeadLabels = ({ spans, days }: { spans: [number, number][]; days: number }) => (
  <>
    {spans
      .filter(([from, end]) => end - from >= days * LEAST_NAMED)
      .map(([from, end]) => (
        <text
          key={from}
          class="tick deadlabel"
          x={`${((from + end) / 2 / days) * 100}%`}
          y="20"
          text-anchor="middle"
        >
          dead
        </text>
      ))}
  </>
);

type ToY = (value: number) => number;
type Drawn = { skipped: boolean[]; y: ToY };

/** Spans of days with a value, across those that were skipped. */
const bridged = (values: Values, skipped: boolean[]) =>
  spansOf(values.map((value, i) => value ?? (skipped[i] ? 0 : null)));

/** A day alone is as wide as the day. */
function pointsOf(values: Values, [from, end]: [number, number], y: ToY): string[] {
  const known = values
    .slice(from, end)
    .flatMap((value, i) => (value === null ? [] : [{ day: from + i, at: y(value) }]));
  const [first] = known;
  if (first && known.length === 1)
    return [`${first.day} ${first.at}`, `${first.day + 1} ${first.at}`];
  return known.map(({ day, at }) => `${day + 0.5} ${at}`);
}

const linePath = ({ values, skipped, y }: Drawn & { values: Values }) =>
  bridged(values, skipped)
    .map((span) => pointsOf(values, span, y))
    .filter(({ length }) => length > 0)
    .map((points) => `M${points.join("L")}`)
    .join("");

function bandPath({ lowest, highest, skipped, y }: Drawn & { lowest: Values; highest: Values }) {
  return bridged(lowest, skipped)
    .map((span) => [...pointsOf(highest, span, y), ...pointsOf(lowest, span, y).toReversed()])
    .filter(({ length }) => length > 0)
    .map((points) => `M${points.join("L")}Z`)
    .join("");
}
