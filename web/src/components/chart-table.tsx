import { bucketText, type ChartData, valueText } from "../lib/chart.ts";

type ChartTableProps = ChartData & { label: string };

/** The latest first, as lists are. */
export const ChartTable = ({ label, times, series, unit, bucket }: ChartTableProps) => (
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
