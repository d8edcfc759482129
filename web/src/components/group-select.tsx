import type { SelectHTMLAttributes } from "preact";
import { useGroups } from "../lib/groups.ts";

type GroupSelectProps = {
  /** An id; empty for none. */
  chosen: string;
  /** What stands for no group: "No group", "All groups". */
  none: string;
} & SelectHTMLAttributes<HTMLSelectElement>;

export function GroupSelect({ chosen, none, ...select }: GroupSelectProps) {
  const { data: groups = [] } = useGroups();
  return (
    <select {...select} value={chosen}>
      <option value="">{none}</option>
      {groups.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
