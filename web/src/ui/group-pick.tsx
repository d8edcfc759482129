import { type Group, useFoundGroups } from "../data/groups.ts";
import { Pick, type PickProps } from "./menu.tsx";

type GroupPickProps = Omit<PickProps<string>, "options" | "onSearch" | "onPick"> & {
  /** What is offered for no group. */
  none: string;
  onPick: (group: Group | null) => void;
};

const NONE = "none";

/** A choice of a group by name, which the server finds. */
export function GroupPick({ none, value, onPick, ...pick }: GroupPickProps) {
  const { typed, found, onSearch } = useFoundGroups();
  const groups = found.map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: <i class="gsq" style={{ background: color }} />,
  }));
  const isOffered = none.toLowerCase().includes(typed);
  return (
    <Pick
      {...pick}
      value={value ?? NONE}
      options={isOffered ? [...groups, { value: NONE, label: none }] : groups}
      onSearch={onSearch}
      onPick={(id) => onPick(found.find((group) => group.id === id) ?? null)}
    />
  );
}
