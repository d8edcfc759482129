import type { Schedule } from "../data/alerts.ts";
import { startUpper } from "../data/format.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";

const WEEKDAYS = [
  ...(["monday", "tuesday", "wednesday", "thursday", "friday"] as const),
  ...(["saturday", "sunday"] as const),
];

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
