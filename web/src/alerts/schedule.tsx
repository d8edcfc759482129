import type { Alert } from "../data/alerts.ts";
import { startUpper } from "../data/format.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";

type Record = NonNullable<Alert["summary"]>;
/** When a summary is sent. */
export type Schedule = Omit<Record, "next_at" | "last_at">;

const WEEKDAYS = [
  ...(["monday", "tuesday", "wednesday", "thursday", "friday"] as const),
  ...(["saturday", "sunday"] as const),
];

/** In the reader's own time zone. */
export const usualSchedule = (): Schedule => ({
  ...{ frequency: "weekly", weekday: "monday", at: "08:00", always: false },
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

export const scheduleOf = ({ summary }: Pick<Alert, "summary">): Schedule | null => {
  if (!summary) return null;
  const { next_at: _, last_at: __, ...schedule } = summary;
  return schedule;
};

/** "on Mondays at 08:00", "every day at 08:00". */
export const scheduleText = ({ weekday, at }: Pick<Schedule, "weekday" | "at">): string =>
  `${weekday ? `on ${startUpper(weekday)}s` : "every day"} at ${at}`;

const DAYS = [
  { value: "daily", label: "Every day" },
  ...WEEKDAYS.map((value) => ({ value, label: `On ${startUpper(value)}s` })),
] as const;

type Props = { value: Schedule; onChange: (value: Schedule) => void };

/** When a summary is sent, below the event that it belongs to. */
export function ScheduleFields({ value, onChange }: Props) {
  const { weekday, at, always, time_zone: zone } = value;
  const choose = (day: (typeof DAYS)[number]["value"]) =>
    onChange({
      ...value,
      frequency: day === "daily" ? "daily" : "weekly",
      weekday: day === "daily" ? null : day,
    });
  return (
    <div class="schedule">
      <SelectField label="Day" options={DAYS} value={weekday ?? "daily"} onChange={choose} />
      <TextField
        label="Time"
        name="summary.at"
        type="time"
        required
        value={at}
        hint={zone}
        onInput={({ currentTarget }) => onChange({ ...value, at: currentTarget.value })}
      />
      <CheckField
        label="Also when nothing happened"
        checked={always}
        onChange={({ currentTarget }) => onChange({ ...value, always: currentTarget.checked })}
      />
    </div>
  );
}
