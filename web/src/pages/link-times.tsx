import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { Chart } from "../components/chart.tsx";
import { Loaded } from "../components/states.tsx";
import { findTimes, keyOfLastCheck, type Series } from "../lib/link.ts";
import { hrefOfView, SPANS, USUAL_SPAN } from "../lib/link-view.ts";
import type { Frequency } from "../lib/links.ts";
import { SPAN_TEXTS } from "../lib/overview.ts";
import type { LinkPartProps } from "./link-history.tsx";

type LinkTimesProps = LinkPartProps & { frequency: Frequency };

/** How long the link took to answer. */
export function LinkTimes({ id, lastCheckAt, view, frequency }: LinkTimesProps) {
  const chosen = view.span ?? USUAL_SPAN[frequency];
  const times = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "times", chosen, frequency),
    queryFn: () => findTimes(id, chosen, frequency),
    select: dataOf,
    placeholderData: keepPreviousData,
  });
  return (
    <section class="link-times">
      <header>
        <h2>Time to answer</h2>
        <nav class="chips" aria-label="Time shown">
          {SPANS.map((span) => (
            <a
              key={span}
              href={hrefOfView(id, { ...view, span })}
              aria-current={chosen === span ? "true" : undefined}
            >
              {SPAN_TEXTS[span]}
            </a>
          ))}
        </nav>
      </header>
      <Loaded query={times}>{(data) => <Chart label="Average time to answer" {...data} />}</Loaded>
    </section>
  );
}

/** An average of 0 means that there was no answer. */
const dataOf = ({ bucket, points }: Series) => ({
  kind: "line" as const,
  unit: "ms" as const,
  bucket,
  times: points.map(({ start }) => Date.parse(start)),
  series: [
    {
      name: "Average",
      tone: "accent" as const,
      values: points.map(({ avgResponseTimeMs: ms }) => ms || null),
    },
  ],
});
