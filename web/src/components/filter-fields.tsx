import { X } from "lucide-preact";
import { useRef } from "preact/hooks";
import { IconButton } from "./elements.tsx";

type Choice = { value: string; name: string };

type FacetProps = {
  /** "Service" */
  label: string;
  /** "Any service" */
  any: string;
  /** Empty for none. */
  chosen: string;
  choices: Choice[];
  onChange: (value: string) => void;
};

export function Facet({ label, any, chosen, choices, onChange }: FacetProps) {
  const select = useRef<HTMLSelectElement>(null);
  const takeOff = () => {
    select.current?.focus();
    onChange("");
  };
  return (
    <span class={chosen ? "facet set" : "facet"}>
      <select
        ref={select}
        aria-label={label}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {[{ value: "", name: any }, ...withStrange(choices, chosen)].map(({ value, name }) => (
          <option key={value} value={value} selected={value === chosen}>
            {name}
          </option>
        ))}
      </select>
      {chosen && (
        <IconButton label={`Remove the filter: ${label}`} title={any} icon={X} onClick={takeOff} />
      )}
    </span>
  );
}

/** Keeps an unknown value visible, such as one from an old address. */
const withStrange = (choices: Choice[], chosen: string): Choice[] =>
  chosen === "" || choices.some(({ value }) => value === chosen)
    ? choices
    : [{ value: chosen, name: chosen }, ...choices];

type DayFieldProps = { label: string; value: string; onChange: (date: string) => void };

/** Reports only complete dates. */
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
