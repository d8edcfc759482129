import { ChartColumn, Table2 } from "lucide-preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import {
  bucketSentence,
  bucketText,
  type ChartData,
  type ChartSeries,
  isBlank,
  totalOf,
  valueText,
} from "../lib/chart.ts";
import type { Drawing } from "./chart-drawing.ts";

type ChartProps = ChartData & { label: string };

/**
 * Values over time. The pointer or the arrow keys choose a bucket, and the legend shows its values.
 * The same data is available as a table, in the same height.
 */
export function Chart({ label, ...data }: ChartProps) {
  const [isTable, setTable] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const id = useId();
  const blank = isBlank(data);
  const index = chosen !== null && chosen < data.times.length ? chosen : null;
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>{label}</figcaption>
      {!blank && (
        <button type="button" class="plain" onClick={() => setTable(!isTable)}>
          {isTable ? <ChartColumn aria-hidden="true" /> : <Table2 aria-hidden="true" />}
          {isTable ? "Show as chart" : "Show as table"}
          <span class="unseen"> ({label})</span>
        </button>
      )}
      <Legend data={data} index={isTable ? null : index} />
      {blank && <p class="chart-place chart-blank">No checks in this time.</p>}
      {!blank && isTable && <ChartTable label={label} {...data} />}
      {!blank && !isTable && (
        <Plot
          label={label}
          data={data}
          index={index}
          onChoose={setChosen}
          onFailed={() => setTable(true)}
        />
      )}
    </figure>
  );
}

const Legend = ({ data, index }: { data: ChartData; index: number | null }) => (
  <div class="chart-legend">
    <ul>
      {data.series.map((series) => (
        <li key={series.name}>
          <span class={`swatch swatch-${data.kind} tone-${series.tone}`} aria-hidden="true" />
          {series.name} <b>{legendText(series, data.unit, index)}</b>
        </li>
      ))}
    </ul>
    <span class="chart-when">
      {index === null ? "" : bucketText(data.times[index]!, data.bucket)}
    </span>
  </div>
);

function legendText(series: ChartSeries, unit: ChartData["unit"], index: number | null): string {
  if (index !== null) return valueText(series.values[index] ?? null, unit);
  const total = totalOf(series, unit);
  return total === null ? "" : valueText(total, unit);
}

type PlotProps = {
  label: string;
  data: ChartData;
  index: number | null;
  onChoose: (index: number | null) => void;
  onFailed: () => void;
};

/** A slider for keyboards and screen readers, which announces the values of the chosen bucket. */
function Plot({ label, data, index, onChoose, onFailed }: PlotProps) {
  const place = useDrawing({ data, index, onChoose, onFailed });
  const last = data.times.length - 1;
  const at = index ?? last;
  return (
    <div
      ref={place}
      class="chart-place"
      role="slider"
      tabIndex={0}
      aria-label={`${label}, by ${data.bucket}`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={bucketSentence(data, at)}
      onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && onChoose(at)}
      onBlur={() => onChoose(null)}
      onKeyDown={(event) => {
        const next = indexAfter(event.key, at, last);
        if (next === undefined) return;
        event.preventDefault();
        onChoose(next);
      }}
    />
  );
}

const PAGE = 7;

/** Index after a key press; undefined if the chart does not use the key. */
function indexAfter(key: string, at: number, last: number): number | null | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - PAGE,
    PageUp: at + PAGE,
    Home: 0,
    End: last,
  };
  if (key === "Escape") return null;
  const next = steps[key];
  return next === undefined ? undefined : Math.min(Math.max(next, 0), last);
}

/** Draws when the drawing code is loaded, and again when data, size or colours change. */
function useDrawing({ data, index, onChoose, onFailed }: Omit<PlotProps, "label">) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const chosen = useRef(index);
  chosen.current = index;
  useEffect(() => drawing.current?.choose(index), [index]);
  useEffect(() => {
    let isGone = false;
    const start = ({ draw }: typeof import("./chart-drawing.ts")) => {
      if (isGone || !place.current) return;
      drawing.current = draw(place.current, data, onChoose);
      drawing.current.choose(chosen.current);
    };
    loadDrawing().then(start, onFailed);
    return () => {
      isGone = true;
      drawing.current?.end();
      drawing.current = null;
    };
  }, [JSON.stringify(data)]);
  return place;
}

/** Loads the drawing code on first use. It fails in browsers whose language has an invalid name. */
function loadDrawing() {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
  return import("./chart-drawing.ts");
}

type ChartTableProps = ChartData & { label: string };

/** Latest first. */
const ChartTable = ({ label, times, series, unit, bucket }: ChartTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section class="chart-place chart-scroll" tabIndex={0} aria-label={`${label} as a table`}>
    <table class="chart-table">
      <thead>
        <tr>
          <th scope="col">{bucket === "day" ? "Day (UTC)" : "Hour"}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times
          .map((start, index) => (
            <tr key={start}>
              <th scope="row">{bucketText(start, bucket)}</th>
              {series.map(({ name, values }) => (
                <td key={name} class="number">
                  {valueText(values[index] ?? null, unit)}
                </td>
              ))}
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  </section>
);
