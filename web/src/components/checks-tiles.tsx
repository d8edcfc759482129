import type { ComponentChildren } from "preact";
import type { HistoryStats } from "../lib/history.ts";

/** What the checks of a time came to; dashes keep the place until that is known. */
export function ChecksTiles({ stats }: { stats: HistoryStats | undefined }) {
  const numberOf = (count: number | undefined) => count?.toLocaleString("en") ?? "–";
  const average = stats?.avgResponseTimeMs;
  return (
    <dl class="tiles" aria-label="All checks of this time">
      <Tile name="Checks">{numberOf(stats?.totalChecks)}</Tile>
      <Tile name="Found dead">
        {numberOf(stats?.deadCount)}
        {stats && stats.totalChecks > 0 && (
          <small> {shareOf(stats.deadCount, stats.totalChecks)}</small>
        )}
      </Tile>
      <Tile name="Changes of status">{numberOf(stats?.statusChanges)}</Tile>
      <Tile name="Average answer">
        {average ? (
          <>
            {average.toLocaleString("en")} <small>ms</small>
          </>
        ) : (
          "–"
        )}
      </Tile>
    </dl>
  );
}

const Tile = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** "4.1 %"; what is there is never told as nothing. */
function shareOf(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent.toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}
