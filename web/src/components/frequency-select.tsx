import type { SelectHTMLAttributes } from "preact";
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

export const frequencyWord = (frequency: Frequency) =>
  frequency.charAt(0).toUpperCase() + frequency.slice(1);
