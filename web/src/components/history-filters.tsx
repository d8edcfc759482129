import { type LinkView, VERDICTS } from "../lib/link-view.ts";
import { statusWord } from "./status.tsx";

type HistoryFiltersProps = {
  view: LinkView;
  hrefOf: (view: LinkView) => string;
  onChange: (view: LinkView) => void;
};

/** Chooses which checks are listed. The statuses are links, so that each can be opened and kept. */
export const HistoryFilters = ({ view, hrefOf, onChange }: HistoryFiltersProps) => (
  <div class="filters history-filters">
    <nav class="chips" aria-label="Checks by result">
      {[undefined, ...VERDICTS].map((status) => (
        <a
          key={status ?? "all"}
          href={hrefOf({ ...view, status, page: 1 })}
          aria-current={view.status === status ? "true" : undefined}
        >
          {status ? statusWord(status) : "All"}
        </a>
      ))}
    </nav>
    <label class="choice">
      <input
        type="checkbox"
        checked={view.changed}
        onChange={({ currentTarget: { checked } }) =>
          onChange({ ...view, changed: checked, page: 1 })
        }
      />
      Only changes
    </label>
    <fieldset class="dates">
      <legend class="unseen">Days in UTC</legend>
      <DateInput
        label="From"
        value={view.from}
        onChange={(from) => onChange({ ...view, from, page: 1 })}
      />
      <DateInput label="To" value={view.to} onChange={(to) => onChange({ ...view, to, page: 1 })} />
    </fieldset>
  </div>
);

type DateInputProps = { label: string; value: string; onChange: (date: string) => void };

const DateInput = ({ label, value, onChange }: DateInputProps) => (
  <label>
    {label}
    <input
      type="date"
      value={value}
      title="A day in UTC"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
);
