import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import {
  type HistoryCheck,
  type HistoryFilter,
  type HistoryStats,
  hrefOfHistory,
  lastDays,
  RESULTS,
} from "../lib/history.ts";
import { Chips, Moment } from "./elements.tsx";
import { DayField } from "./filter-fields.tsx";
import { Status, statusText, statusWord } from "./status.tsx";

const SHOWN = [
  { show: undefined, word: "All" },
  { show: "changes", word: "Changes" },
  ...RESULTS.map((show) => ({ show, word: statusWord(show) })),
] as const;

const TIMES = [
  { word: "Today", days: 1 },
  { word: "7 days", days: 7 },
  { word: "30 days", days: 30 },
];

type ChecksFiltersProps = { filter: HistoryFilter; onChange: (filter: HistoryFilter) => void };

export const ChecksFilters = ({ filter, onChange }: ChecksFiltersProps) => (
  <div class="filters">
    <Chips
      label="Filter by result"
      chips={SHOWN.map(({ show, word }) => ({
        name: word,
        href: hrefOfHistory({ ...filter, show, page: 1 }),
        isOn: filter.show === show,
      }))}
    />
    <div class="time-range">
      <TimeChips filter={filter} />
      <DayField
        label="From"
        value={filter.from}
        onChange={(from) => onChange({ ...filter, from, page: 1 })}
      />
      <DayField
        label="To"
        value={filter.to}
        onChange={(to) => onChange({ ...filter, to, page: 1 })}
      />
    </div>
  </div>
);

const TimeChips = ({ filter }: { filter: HistoryFilter }) => {
  const times = [
    { word: "Any time", from: "", to: "" },
    ...TIMES.map(({ word, days }) => ({ word, ...lastDays(days, Date.now()) })),
  ];
  return (
    <Chips
      label="Filter by time"
      chips={times.map(({ word, from, to }) => ({
        name: word,
        href: hrefOfHistory({ ...filter, from, to, page: 1 }),
        isOn: filter.from === from && filter.to === to,
      }))}
    />
  );
};

type OneLinkProps = { id: string; url: string | undefined; filter: HistoryFilter };

/** The only link whose checks are listed. */
export const OneLink = ({ id, url, filter }: OneLinkProps) => (
  <p class="one-link">
    Link
    <a href={`/links/${id}`} title={url ?? id}>
      {url ?? id}
    </a>
    <a
      class="button icon"
      href={hrefOfHistory({ ...filter, linkId: "", page: 1 })}
      aria-label="Show the checks of all links"
      title="Show the checks of all links"
    >
      <X aria-hidden="true" />
    </a>
  </p>
);

export const ChecksTable = ({ checks }: { checks: HistoryCheck[] }) => (
  <table class="log checks">
    <thead>
      <tr>
        <th scope="col">Result</th>
        <th scope="col">Link</th>
        <th scope="col" class="number wide">
          Code
        </th>
        <th scope="col" class="number wide">
          Answered in
        </th>
        <th scope="col" class="wide">
          Occasion
        </th>
        <th scope="col">Checked</th>
      </tr>
    </thead>
    <tbody>
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
    </tbody>
  </table>
);

const CheckRow = ({ check }: { check: HistoryCheck }) => (
  <tr>
    <td class="result">
      <Status of={check.status} />
      {check.status_changed && <span class="changed">was {statusText(check.previous_status)}</span>}
    </td>
    <td class="of">
      <a class="url" href={`/links/${check.link_id}`} title={check.url}>
        {check.url}
      </a>
      <p>{check.message}</p>
    </td>
    <td class="number wide">{check.status_code ?? "–"}</td>
    <td class="number wide">
      {check.response_time_ms === null ? "–" : `${check.response_time_ms.toLocaleString("en")} ms`}
    </td>
    <td class="wide soft">{OCCASIONS[check.trigger]}</td>
    <td class="when">
      <Moment at={check.checked_at} />
    </td>
  </tr>
);

const OCCASIONS: Record<HistoryCheck["trigger"], string> = {
  scheduled: "Schedule",
  manual: "Check now",
  initial: "Added",
  batch: "Batch",
};

/** Dashes keep the place of the numbers until they are loaded. */
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

/** "4.1 %"; never 0 for something that exists. */
function shareOf(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent.toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}
