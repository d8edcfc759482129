import { type LinkView, VERDICTS } from "../lib/link-view.ts";
import { DayField } from "./day-field.tsx";
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
      <DayField
        label="From"
        value={view.from}
        onChange={(from) => onChange({ ...view, from, page: 1 })}
      />
      <DayField label="To" value={view.to} onChange={(to) => onChange({ ...view, to, page: 1 })} />
    </fieldset>
  </div>
);
