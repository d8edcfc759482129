import { FREQUENCIES } from "../../../server/ground/lib/vocabulary.ts";
import { many } from "../data/format.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { GroupField } from "../ui/group-pick.tsx";
import { type Choices, type Job, MOST_NEW_GROUPS, usesNamedIn } from "./job.ts";

type OptionsProps = { choices: Choices; onChange: (choices: Choices) => void };

export const Options = ({ choices, onChange }: OptionsProps) => (
  <div class="opts">
    <GroupField
      label="Group"
      value={choices.groupId || null}
      shown={choices.newGroup === null ? undefined : "New group…"}
      onPick={(group) => onChange({ ...choices, groupId: group?.id ?? "", newGroup: null })}
      onNew={(name) => onChange({ ...choices, groupId: "", newGroup: name })}
    />
    <SelectField
      label="Checked"
      name="frequency"
      options={FREQUENCIES.map((value) => ({ value, label: value }))}
      value={choices.frequency}
      onChange={(frequency) => onChange({ ...choices, frequency })}
    />
    {choices.newGroup !== null && (
      <TextField
        label="Name of the new group"
        value={choices.newGroup}
        maxLength={100}
        onInput={({ currentTarget }) => onChange({ ...choices, newGroup: currentTarget.value })}
      />
    )}
  </div>
);

type NamedGroupsProps = { job: Job; onUse: (usesNamed: boolean) => void };

/** Groups named in the list, which override the one chosen for all. */
export function NamedGroups({ job, onUse }: NamedGroupsProps) {
  const { existing: known = [], missing: unknown = [] } = job.import?.groups ?? {};
  const usesNamed = usesNamedIn(job);
  if (known.length + unknown.length === 0) return null;
  const isTooMuch = unknown.length > MOST_NEW_GROUPS;
  const made = usesNamed ? "Will be created" : "Would be created";
  return (
    <CheckField
      label="Use the groups that the list names"
      checked={usesNamed}
      disabled={isTooMuch}
      onChange={({ currentTarget }) => onUse(currentTarget.checked)}
      hint={
        isTooMuch
          ? `The list names ${many(unknown.length)} groups that do not exist. At most ${MOST_NEW_GROUPS} can be created at once.`
          : [
              known.length > 0 && `Existing groups: ${some(known)}.`,
              unknown.length > 0 && `${made}: ${some(unknown)}.`,
            ]
              .filter(Boolean)
              .join(" ")
      }
    />
  );
}

const SHOWN = 8;

/** "Docs, Blog and 3 more" */
const some = (names: string[]) =>
  names.length <= SHOWN
    ? names.join(", ")
    : `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;
