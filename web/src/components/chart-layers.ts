import type uPlot from "uplot";
import type { ChartData, Tone } from "../lib/chart.ts";

/** A series as drawn: from `bottoms` to `tops` in each bucket. */
export type Layer = { tone: Tone; bottoms: number[]; tops: (number | null)[] };

/** Problems are at the bottom, where they are easy to compare. */
const UPWARDS: Tone[] = ["bad", "unsure", "good", "accent"];

/** Draws the highest layer first, so that a thin one below it stays visible. */
export function layersOf({ kind, series, times }: ChartData): Layer[] {
  if (kind === "line") {
    return series.map(({ tone, values }) => ({ tone, bottoms: [], tops: values }));
  }
  const heights = times.map(() => 0);
  return series
    .toSorted((a, b) => UPWARDS.indexOf(a.tone) - UPWARDS.indexOf(b.tone))
    .map(({ tone, values }) => {
      const bottoms = [...heights];
      const tops = heights.map((height, i) => {
        heights[i] = height + (values[i] ?? 0);
        return heights[i];
      });
      return { tone, bottoms, tops };
    })
    .reverse();
}

/** Indexes of values without neighbours, which no line reaches. */
export const lonelyIn = ({ tops }: Pick<Layer, "tops">): number[] =>
  tops.flatMap((top, i) =>
    top !== null && (tops[i - 1] ?? null) === null && (tops[i + 1] ?? null) === null ? [i] : [],
  );

/** In CSS pixels. */
const LEAST_HEIGHT = 2;
const MOST_GAP = 2;
/** For a bar without neighbours, which would otherwise be a hairline. */
const LEAST_WIDTH = 5;

/** Bars as wide as their buckets. One dead link among many thousands stays visible. */
export const barsOf =
  ({ bottoms, tops }: Layer, bucketMs: number): uPlot.Series.PathBuilder =>
  (plot) => {
    const bars = new Path2D();
    const ratio = devicePixelRatio;
    const x = (time: number) => plot.valToPos(time, "x", true);
    const y = (value: number) => plot.valToPos(value, "y", true);
    plot.data[0]!.forEach((middle, i) => {
      const [bottom, top] = [bottoms[i]!, tops[i]!];
      if (top <= bottom) return;
      const left = Math.round(x(middle - bucketMs / 2));
      const width = Math.round(x(middle + bucketMs / 2)) - left;
      const gap = Math.min(Math.round(width * 0.15), MOST_GAP * ratio);
      const isLone = !tops[i - 1] && !tops[i + 1];
      const least = isLone ? LEAST_WIDTH * ratio : 1;
      const height = Math.max(y(bottom) - y(top), LEAST_HEIGHT * ratio);
      bars.rect(left, y(bottom) - height, Math.max(width - gap, least), height);
    });
    return { fill: bars, stroke: null };
  };

type Fill = string | CanvasPattern;

export type Colours = {
  lines: Record<Tone, string>;
  fills: Record<Tone, Fill>;
  words: string;
  line: string;
};

/** Resolves the page's CSS variables, because a canvas cannot. */
export function coloursOf(place: HTMLElement): Colours {
  const probe = place.appendChild(document.createElement("span"));
  const read = (colour: string) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const [good, bad, unsure, accent] = ["good", "bad", "unsure", "accent"].map((name) =>
    read(`var(--${name})`),
  ) as [string, string, string, string];
  const surface = read("var(--surface)");
  const calm = read("var(--chart-good)");
  const colours = {
    lines: { good, bad, unsure, accent },
    fills: { good: calm, accent, bad: hatched(bad, surface), unsure: dotted(unsure, surface) },
    words: read("var(--soft)"),
    line: read("var(--line)"),
  };
  probe.remove();
  return colours;
}

const TILE = 6;

/** Areas differ by more than their colour. */
const hatched = (colour: string, back: string) =>
  tiled(colour, (canvas) => {
    canvas.strokeStyle = back;
    canvas.lineWidth = 1.2;
    for (const shift of [-TILE, 0, TILE]) {
      canvas.moveTo(shift - 1, TILE + 1);
      canvas.lineTo(shift + TILE + 1, -1);
    }
    canvas.stroke();
  });

const dotted = (colour: string, back: string) =>
  tiled(colour, (canvas) => {
    canvas.fillStyle = back;
    canvas.fillRect(1, 1, 1.5, 1.5);
    canvas.fillRect(4, 4, 1.5, 1.5);
  });

function tiled(colour: string, paint: (canvas: CanvasRenderingContext2D) => void): Fill {
  const tile = document.createElement("canvas");
  tile.width = tile.height = TILE * Math.max(Math.round(devicePixelRatio), 1);
  const canvas = tile.getContext("2d");
  if (!canvas) return colour;
  canvas.scale(tile.width / TILE, tile.height / TILE);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, TILE, TILE);
  paint(canvas);
  return canvas.createPattern(tile, "repeat") ?? colour;
}
