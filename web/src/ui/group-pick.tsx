import { type Group, useFoundGroups, useGroupNames } from "../data/groups.ts";
import { Pick, type PickOption, type PickProps } from "./menu.tsx";

type Choosing = {
  onPick: (group: Group | null) => void;
  /** Offers a group that does not exist yet, by what was typed. */
  onNew?: ((name: string) => void) | undefined;
};

type GroupPickProps = Omit<PickProps<string>, "options" | "onSearch" | "onPick"> &
  Choosing & {
    /** What is offered for no group. */
    none: string;
  };

/** Stand for choices that are not a group; no id equals them. */
const [NONE, NEW] = ["none", "new"];

/** A choice of a group by name, which the server finds. */
export function GroupPick({ none, value, onPick, onNew, ...pick }: GroupPickProps) {
  const { text, typed, found, problem, onSearch } = useFoundGroups();
  const options: PickOption<string>[] = found.map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: <i class="gsq" style={{ background: color }} />,
  }));
  if (none.toLowerCase().includes(typed)) options.push({ value: NONE, label: none });
  if (onNew) options.push({ value: NEW, label: text ? `New group “${text}”` : "New group…" });
  return (
    <Pick
      {...pick}
      value={value ?? NONE}
      options={options}
      onSearch={onSearch}
      problem={problem}
      onPick={(id) =>
        id === NEW ? onNew?.(text) : onPick(found.find((group) => group.id === id) ?? null)
      }
    />
  );
}

type GroupFieldProps = Choosing & {
  label: string;
  /** Under which a form has the id; empty for no group. */
  name?: string;
  value: string | null;
  /** Instead of the name of the group. */
  shown?: string | undefined;
};

/** A field of a form that chooses a group. */
export function GroupField({ label, name, value, shown, ...choosing }: GroupFieldProps) {
  const nameOf = useGroupNames(value === null ? [] : [value]);
  return (
    <div class="field">
      <span class="label" aria-hidden="true">
        {label}
      </span>
      <GroupPick
        label={label}
        class="btn choice-field"
        none="No group"
        button={shown ?? (value === null ? "No group" : nameOf(value))}
        value={value}
        {...choosing}
      />
      {name && <input type="hidden" name={name} value={value ?? ""} />}
    </div>
  );
}
