import type uPlot from "uplot";
import { type ChartData, shortText } from "../lib/chart.ts";
import type { Colours } from "./chart-colours.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Steps between two labels, in milliseconds. */
const TIME_STEPS = [1, 2, 3, 4, 6, 12, 24, 48, 72, 168, 336, 672].map((hours) => hours * HOUR_MS);
const COUNT_STEPS = [1, 2, 5].flatMap((n) => Array.from({ length: 13 }, (_, i) => n * 10 ** i));

/** Time below, values at the left; few and quiet lines. */
export function axesOf(data: ChartData, colours: () => Colours): uPlot.Axis[] {
  const look = {
    stroke: () => colours().words,
    font: `12px ${fontOf(document.body)}`,
    ticks: { show: false },
  };
  return [
    {
      ...look,
      size: 26,
      gap: 6,
      space: 64,
      grid: { show: false },
      incrs: TIME_STEPS.filter((step) => areHoursTold(data) || step >= DAY_MS),
      values: (plot, times, _, __, step) =>
        times.map((time) => (hasRoom(plot, time) ? timeText(time, step, data.bucket) : null)),
    },
    {
      ...look,
      size: widthOf,
      gap: 8,
      space: 40,
      grid: { stroke: () => colours().line, width: 1 },
      incrs: COUNT_STEPS.toSorted((a, b) => a - b),
      values: (_, splits) => splits.map((value) => shortText(value, data.unit)),
    },
  ];
}

/** Hours of several days would not say which day is meant. */
const areHoursTold = ({ times, bucket }: ChartData) =>
  bucket === "hour" && times.at(-1)! - times[0]! < 2 * DAY_MS;

const HALF_A_LABEL = 8;

/** A label that would reach over the right edge is left out; there is some padding as well. */
const hasRoom = (plot: uPlot, time: number) =>
  plot.valToPos(time, "x") + HALF_A_LABEL <= plot.valToPos(plot.scales.x!.max!, "x");

const fontOf = (element: Element) => getComputedStyle(element).fontFamily;

const WIDTH_OF_LETTER = 7;

/** As wide as its longest label. */
const widthOf = (_: uPlot, labels: string[] | null) =>
  16 + WIDTH_OF_LETTER * Math.max(3, ...(labels ?? []).map((label) => label.length));

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const date = { day: "numeric", month: "short" } as const;
const ownDate = new Intl.DateTimeFormat("en-GB", date);
const utcDate = new Intl.DateTimeFormat("en-GB", { ...date, timeZone: "UTC" });

function timeText(time: number, step: number, bucket: ChartData["bucket"]): string {
  if (bucket === "day") return utcDate.format(time);
  return step < DAY_MS ? clock.format(time) : ownDate.format(time);
}
