import {
  hrefOfSpan,
  responseChart,
  resultsChart,
  SPAN_TEXTS,
  SPANS,
  type Span,
  type useSeries,
} from "../lib/overview.ts";
import { Chart } from "./chart.tsx";
import { Loaded } from "./states.tsx";

type ChartsProps = { span: Span; series: ReturnType<typeof useSeries> };

/** How checks ended and how quickly they were answered, over a time that can be chosen. */
export const Charts = ({ span, series }: ChartsProps) => (
  <section class="charts" aria-labelledby="over-time">
    <div class="charts-head">
      <h2 id="over-time">Over time</h2>
      <nav class="chips" aria-label="Time shown">
        {SPANS.map((each) => (
          <a key={each} href={hrefOfSpan(each)} aria-current={each === span ? "true" : undefined}>
            {SPAN_TEXTS[each]}
          </a>
        ))}
      </nav>
    </div>
    <div class="charts-place">
      <Loaded query={series}>
        {(known) => (
          <>
            <div class="card">
              <Chart label="Checks by result" {...resultsChart(known)} />
            </div>
            <div class="card">
              <Chart label="Time to answer" {...responseChart(known)} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  </section>
);
