import { X } from "lucide-preact";
import { useRef } from "preact/hooks";
import { IconButton } from "./elements.tsx";

type Choice = { value: string; name: string };

type FacetProps = {
  /** What is chosen by it: "Service". */
  label: string;
  /** What stands for no choice: "Any service". */
  any: string;
  /** A value; empty for none. */
  chosen: string;
  choices: Choice[];
  onChange: (value: string) => void;
};

/** Narrows a list by one property. Once something is chosen it can be taken off with one press. */
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
        <IconButton
          label={`Take off the filter: ${label}`}
          title={any}
          icon={X}
          onClick={takeOff}
        />
      )}
    </span>
  );
}

/** A value that is not known, as in an old address, stays to be seen. */
const withStrange = (choices: Choice[], chosen: string): Choice[] =>
  chosen === "" || choices.some(({ value }) => value === chosen)
    ? choices
    : [{ value: chosen, name: chosen }, ...choices];

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
