import type { SelectHTMLAttributes } from "preact";
import { FREQUENCIES, type Frequency } from "../lib/links.ts";

type FrequencySelectProps = { chosen: Frequency } & SelectHTMLAttributes<HTMLSelectElement>;

export const FrequencySelect = ({ chosen, ...select }: FrequencySelectProps) => (
  <select {...select}>
    {FREQUENCIES.map((frequency) => (
      <option key={frequency} value={frequency} selected={frequency === chosen}>
        {frequency.charAt(0).toUpperCase() + frequency.slice(1)}
      </option>
    ))}
  </select>
);
