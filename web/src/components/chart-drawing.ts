import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { BUCKET_MS, type ChartData, shortText } from "../lib/chart.ts";
import { barsOf, type Colours, coloursOf, type Layer, layersOf, lonelyIn } from "./chart-layers.ts";

export type Drawing = {
  /** Marks a bucket; null marks none. */
  choose(index: number | null): void;
  end(): void;
};

/** @param onChoose receives the index of the bucket under the pointer */
export function draw(
  place: HTMLElement,
  data: ChartData,
  onChoose: (index: number | null) => void,
): Drawing {
  let colours = coloursOf(place);
  let chosen: number | null = null;
  const mark = () => {
    const left = chosen === null ? -10 : plot.valToPos(plot.data[0]![chosen]!, "x");
    plot.setCursor({ left, top: chosen === null ? -10 : 0 }, false);
  };
  let reported: MouseEvent | null | undefined = null;
  // The plot also reports its cursor when it redraws; that must not undo a choice made by keyboard.
  const reportPointer = ({ cursor }: uPlot) => {
    if (cursor.event === reported) return;
    reported = cursor.event;
    onChoose(cursor.idx ?? null);
  };
  const options: uPlot.Options = {
    ...sizeOf(place),
    ...frameOf(data),
    axes: axesOf(data, () => colours),
    series: [{}, ...layersOf(data).map((layer) => seriesOf(data, layer, () => colours))],
    hooks: { ready: [mark], setCursor: [reportPointer] },
  };
  const plot: uPlot = new uPlot(options, valuesOf(data), place);
  const recolour = () => {
    colours = coloursOf(place);
    plot.redraw();
  };
  const stop = watch(place, () => plot.setSize(sizeOf(place)), recolour);
  return {
    choose(index) {
      chosen = index;
      // Before that, the plot has no coordinates.
      if (plot.status === 1) mark();
    },
    end() {
      stop();
      plot.destroy();
    },
  };
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: Math.max(clientWidth, 1),
  height: Math.max(clientHeight, 1),
});

/** No legend, zoom or animation of uPlot. */
const frameOf = (data: ChartData) => ({
  ms: 1 as const,
  ...(data.bucket === "day" && { tzDate: (ms: number) => uPlot.tzDate(new Date(ms), "UTC") }),
  padding: [8, 12, 0, 0] as uPlot.Padding,
  legend: { show: false },
  cursor: {
    y: false,
    drag: { x: false, y: false, setScale: false },
    points: { show: data.kind === "line" },
    move: (plot: uPlot, left: number, top: number): [number, number] =>
      left < 0 ? [left, top] : [plot.valToPos(plot.data[0]![plot.posToIdx(left)]!, "x"), top],
  },
  scales: {
    x: { time: true, range: (): uPlot.Range.MinMax => spanOf(data) },
    y: { range: (_: uPlot, __: number, most: number): uPlot.Range.MinMax => [0, roomFor(most)] },
  },
});

const spanOf = ({ times, bucket }: ChartData): [number, number] => [
  times[0]!,
  times.at(-1)! + BUCKET_MS[bucket],
];

const roomFor = (most: number) => Math.max(most * 1.06, 1);

/** Values stand in the middle of their bucket, so the nearest one is the one under the pointer. */
const valuesOf = (data: ChartData): uPlot.AlignedData => [
  data.times.map((start) => start + BUCKET_MS[data.bucket] / 2),
  ...layersOf(data).map(({ tops }) => tops),
];

function seriesOf(data: ChartData, layer: Layer, colours: () => Colours): uPlot.Series {
  const { tone } = layer;
  if (data.kind === "stacked") {
    return {
      paths: barsOf(layer, BUCKET_MS[data.bucket]),
      fill: () => colours().fills[tone],
      width: 0,
      points: { show: false },
    };
  }
  return {
    stroke: () => colours().lines[tone],
    width: 1.75,
    dash: DASHES[tone],
    points: { show: true, size: 5, fill: () => colours().lines[tone], filter: pointsOf(layer) },
  };
}

/** Draws every point if there is room, and otherwise those that no line reaches. */
const pointsOf =
  (layer: Layer): uPlot.Series.Points.Filter =>
  (plot) => {
    const { tops } = layer;
    const hasRoom = plot.bbox.width / devicePixelRatio / tops.length >= ROOM_FOR_POINT;
    return hasRoom ? [...tops.keys()].filter((i) => tops[i] !== null) : lonelyIn(layer);
  };

/** In CSS pixels. */
const ROOM_FOR_POINT = 10;

/** Lines differ by more than their colour. */
const DASHES = { good: [], accent: [], bad: [7, 4], unsure: [2, 3] };

/** @returns a function that stops watching */
function watch(place: HTMLElement, onSize: () => void, onColours: () => void): () => void {
  const sizes = new ResizeObserver(onSize);
  sizes.observe(place);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", onColours);
  return () => {
    sizes.disconnect();
    scheme.removeEventListener("change", onColours);
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const TIME_STEPS = [1, 2, 3, 4, 6, 12, 24, 48, 72, 168, 336, 672].map((hours) => hours * HOUR_MS);
const COUNT_STEPS = [1, 2, 5].flatMap((n) => Array.from({ length: 13 }, (_, i) => n * 10 ** i));

/** Few, light grid lines. */
function axesOf(data: ChartData, colours: () => Colours): uPlot.Axis[] {
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
      incrs: TIME_STEPS.filter((step) => areHoursShown(data) || step >= DAY_MS),
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

/** Over several days, an hour alone would be ambiguous. */
const areHoursShown = ({ times, bucket }: ChartData) =>
  bucket === "hour" && times.at(-1)! - times[0]! < 2 * DAY_MS;

const HALF_A_LABEL = 8;

/** Omits a label that would extend past the right edge. */
const hasRoom = (plot: uPlot, time: number) =>
  plot.valToPos(time, "x") + HALF_A_LABEL <= plot.valToPos(plot.scales.x!.max!, "x");

const fontOf = (element: Element) => getComputedStyle(element).fontFamily;

const WIDTH_OF_LETTER = 7;

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
