import type { SelectHTMLAttributes } from "preact";
import { startUpper } from "../lib/format.ts";
import { useGroups } from "../lib/groups.ts";
import { FREQUENCIES, type Frequency } from "../lib/links.ts";

type FrequencySelectProps = { chosen: Frequency } & SelectHTMLAttributes<HTMLSelectElement>;

export const FrequencySelect = ({ chosen, ...select }: FrequencySelectProps) => (
  <select {...select}>
    {FREQUENCIES.map((frequency) => (
      <option key={frequency} value={frequency} selected={frequency === chosen}>
        {frequencyWord(frequency)}
      </option>
    ))}
  </select>
);

export const frequencyWord = (frequency: Frequency) => startUpper(frequency);

type GroupSelectProps = {
  /** Empty for none. */
  chosen: string;
  /** The label for no group. */
  none: string;
} & SelectHTMLAttributes<HTMLSelectElement>;

/** Further options are its children. */
export function GroupSelect({ chosen, none, children, ...select }: GroupSelectProps) {
  const { data: groups = [] } = useGroups();
  return (
    <select {...select} value={chosen}>
      <option value="">{none}</option>
      {groups.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {children}
    </select>
  );
}
