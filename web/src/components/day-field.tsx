type DayFieldProps = { label: string; value: string; onChange: (date: string) => void };

/** Waits for a whole date: while one is typed, its parts are not yet what is meant. */
export const DayField = ({ label, value, onChange }: DayFieldProps) => (
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
