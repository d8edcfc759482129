import { ChevronDown } from "lucide-preact";
import { useId, useState } from "preact/hooks";
import { relativeTime } from "../lib/format.ts";
import type { Check } from "../lib/link.ts";
import { type LinkView, VERDICTS } from "../lib/link-view.ts";
import { Chips } from "./elements.tsx";
import { EvidenceDetails } from "./evidence.tsx";
import { DayField } from "./filter-fields.tsx";
import { Status, statusText, statusWord } from "./status.tsx";

type HistoryFiltersProps = {
  view: LinkView;
  hrefOf: (view: LinkView) => string;
  onChange: (view: LinkView) => void;
};

export const HistoryFilters = ({ view, hrefOf, onChange }: HistoryFiltersProps) => (
  <div class="filters history-filters">
    <Chips
      label="Checks by result"
      chips={[undefined, ...VERDICTS].map((status) => ({
        name: status ? statusWord(status) : "All",
        href: hrefOf({ ...view, status, page: 1 }),
        isOn: view.status === status,
      }))}
    />
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

const COLUMNS = 5;

export const HistoryTable = ({ checks }: { checks: Check[] }) => (
  <table class="log history">
    <thead>
      <tr>
        <th scope="col">Checked</th>
        <th scope="col">Result</th>
        <th scope="col">Why</th>
        <th scope="col" class="number wide">
          Answered in
        </th>
        <th scope="col" class="wide">
          Occasion
        </th>
      </tr>
    </thead>
    <tbody>
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
    </tbody>
  </table>
);

/** A check that changed the status has evidence to expand. */
function CheckRow({ check }: { check: Check }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { evidence } = check;
  return (
    <>
      <tr>
        <td class="when">
          <ExactMoment at={check.checked_at} />
        </td>
        <td>
          <Status of={check.status} />
        </td>
        <td class="why">
          {check.message}
          {check.status_changed && (
            <span class="changed">was {statusText(check.previous_status)}</span>
          )}
          {evidence && (
            <button
              type="button"
              class="plain opener"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setOpen(!isOpen)}
            >
              What it saw
              <ChevronDown aria-hidden="true" />
            </button>
          )}
        </td>
        <td class="number wide">
          {check.response_time_ms === null ? "–" : `${check.response_time_ms} ms`}
        </td>
        <td class="wide">{TRIGGERS[check.trigger]}</td>
      </tr>
      {evidence && (
        <tr id={id} class="opened" hidden={!isOpen}>
          <td colSpan={COLUMNS}>{isOpen && <EvidenceDetails evidence={evidence} />}</td>
        </tr>
      )}
    </>
  );
}

/** Exact times, because many rows would say "3 days ago". */
const ExactMoment = ({ at }: { at: string }) => (
  <time dateTime={at} title={relativeTime(at, Date.now())}>
    {shortTime(at, Date.now())}
  </time>
);

const minuteOfDay = { hour: "2-digit", minute: "2-digit" } as const;
const ofYear = { day: "numeric", month: "short", ...minuteOfDay } as const;

const today = new Intl.DateTimeFormat("en-GB", minuteOfDay);
const thisYear = new Intl.DateTimeFormat("en-GB", ofYear);
const before = new Intl.DateTimeFormat("en-GB", { year: "numeric", ...ofYear });

/** "today, 14:05", "29 Dec, 14:05" or "29 Dec 2029, 14:05", in the viewer's time zone. */
function shortTime(iso: string, now: number): string {
  const moment = new Date(iso);
  const present = new Date(now);
  if (moment.toDateString() === present.toDateString()) return `today, ${today.format(moment)}`;
  const isThisYear = moment.getFullYear() === present.getFullYear();
  return (isThisYear ? thisYear : before).format(moment);
}

const TRIGGERS: Record<Check["trigger"], string> = {
  scheduled: "Schedule",
  manual: "Check now",
  initial: "Added",
  batch: "Added in a batch",
};
