import type { ComponentChildren } from "preact";
import { Plot } from "./plot.tsx";
import { dayLabel, scaleOf, stepFill, stepPath, type Values } from "./scale.ts";

/** What happened on a day, shown at the value of that day. */
export type Note = { at: number; text: string; isNow?: boolean };

type Props = {
  name: string;
  days: string[];
  values: Values;
  /** Values of as many days before, dashed. */
  previous?: Values;
  tone: "dead" | "unknown" | "alive" | "plain";
  notes?: Note[];
  format: (value: number) => string;
  /** The smallest step between ticks. */
  least?: number;
  legend?: ComponentChildren;
  empty: string;
};

/** Steps by day over a filled ground. */
export function Area({ name, days, values, previous = [], tone, notes = [], ...rest }: Props) {
  const { format, least, legend, empty } = rest;
  const scale = scaleOf([...values, ...previous], least);
  const series = [{ name, values }];
  if (isCompared(previous)) series.push({ name: "Period before", values: previous });
  const now = values.at(-1) ?? null;
  return (
    <Plot
      {...{ name, days, scale, series, format, legend, empty }}
      kind="area"
      height={168}
      summary={summaryOf({ name, days, values, format })}
      above={(toY) => (
        <g class={`tone-${tone}`}>
          <Notes notes={notes} days={days.length} toY={(at) => toY(values[at] ?? 0)} />
          {now !== null && (
            <circle class="dot" cx={`${100 * (1 - 0.5 / days.length)}%`} cy={toY(now)} r="3.5" />
          )}
        </g>
      )}
    >
      <g class={`tone-${tone}`}>
        <path class="fill" d={stepFill(values, scale.most)} />
        {isCompared(previous) && <path class="before" d={stepPath(previous, scale.most)} />}
        <path class="line" d={stepPath(values, scale.most)} />
      </g>
    </Plot>
  );
}

/** Whether enough days are known to be compared with. */
export const isCompared = (previous: Values) =>
  previous.filter((value) => value !== null).length > previous.length / 10;

type Summed = Pick<Props, "name" | "days" | "values" | "format">;

function summaryOf({ name, days, values, format }: Summed): string {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  const [first] = known;
  if (!first) return name;
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  return `${name} over ${days.length} days: ${format(first.value)} at the start, at most ${format(most.value)} on ${dayLabel(days[most.at]!)}, ${format(known.at(-1)!.value)} now.`;
}

/** Width of a letter as a share of a chart of usual width. */
const LETTER = 0.0065;

/** Notes that would cover each other are moved down. */
function Notes({ notes, days, toY }: { notes: Note[]; days: number; toY: (at: number) => number }) {
  const placed: { from: number; to: number; y: number }[] = [];
  return (
    <>
      {notes.map(({ at, text, isNow }) => {
        const x = (at + (isNow ? 0.3 : 0.5)) / days;
        const isLeft = x > 0.6;
        const width = text.length * LETTER + 0.02;
        const [from, to] = isLeft ? [x - width, x] : [x, x + width];
        let y = toY(at) + (isNow ? 4 : 10);
        const covers = () =>
          placed.some((each) => each.from < to && from < each.to && Math.abs(each.y - y) < 16);
        while (covers()) y += 16;
        placed.push({ from, to, y });
        return (
          <g key={at} class={isNow ? "pin now" : "pin"}>
            <text
              x={`${x * 100}%`}
              y={y}
              dx={isLeft ? -10 : 10}
              text-anchor={isLeft ? "end" : "start"}
            >
              {text}
            </text>
          </g>
        );
      })}
    </>
  );
}
