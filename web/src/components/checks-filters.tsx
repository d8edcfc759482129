import { X } from "lucide-preact";
import { type HistoryFilter, hrefOfHistory, lastDays, RESULTS } from "../lib/history.ts";
import { DayField } from "./day-field.tsx";
import { statusWord } from "./status.tsx";

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

/** Chooses which checks are listed. Most choices are links, so that each can be opened and kept. */
export const ChecksFilters = ({ filter, onChange }: ChecksFiltersProps) => (
  <div class="filters">
    <nav class="chips" aria-label="Filter by result">
      {SHOWN.map(({ show, word }) => (
        <a
          key={word}
          href={hrefOfHistory({ ...filter, show, page: 1 })}
          aria-current={filter.show === show ? "true" : undefined}
        >
          {word}
        </a>
      ))}
    </nav>
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
    <nav class="chips" aria-label="Filter by time">
      {times.map(({ word, from, to }) => (
        <a
          key={word}
          href={hrefOfHistory({ ...filter, from, to, page: 1 })}
          aria-current={filter.from === from && filter.to === to ? "true" : undefined}
        >
          {word}
        </a>
      ))}
    </nav>
  );
};

type OneLinkProps = { id: string; url: string | undefined; filter: HistoryFilter };

/** Which link's checks alone are listed, and the way back to those of all. */
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
