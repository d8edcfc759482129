import { useGroups } from "../../lib/groups.ts";
import type { Choices } from "../../lib/import/choices.ts";
import type { Frequency } from "../../lib/links.ts";
import { Field } from "../field.tsx";
import { FrequencySelect } from "../frequency-select.tsx";

type OptionsProps = { choices: Choices; onChange: (choices: Choices) => void };

/** Stands for the group that is yet to be made; no id looks like it. */
const NEW = "new";

/** Where new links go and how often they are checked. */
export function Options({ choices, onChange }: OptionsProps) {
  return (
    <div class="import-options">
      <GroupField choices={choices} onChange={onChange} />
      <Field label="Check">
        {(ties) => (
          <FrequencySelect
            {...ties}
            chosen={choices.frequency}
            onChange={({ currentTarget }) =>
              onChange({ ...choices, frequency: currentTarget.value as Frequency })
            }
          />
        )}
      </Field>
    </div>
  );
}

function GroupField({ choices, onChange }: OptionsProps) {
  const { data: groups = [] } = useGroups();
  const { groupId, newGroup } = choices;
  const choose = (value: string) =>
    onChange(
      value === NEW
        ? { ...choices, groupId: "", newGroup: "" }
        : { ...choices, groupId: value, newGroup: null },
    );
  return (
    <>
      <Field label="Group">
        {(ties) => (
          <select
            {...ties}
            value={newGroup === null ? groupId : NEW}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value="">No group</option>
            {groups.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value={NEW}>New group…</option>
          </select>
        )}
      </Field>
      {newGroup !== null && (
        <Field label="Name of the new group">
          {(ties) => (
            <input
              {...ties}
              type="text"
              value={newGroup}
              maxLength={100}
              onInput={({ currentTarget }) =>
                onChange({ ...choices, newGroup: currentTarget.value })
              }
            />
          )}
        </Field>
      )}
    </>
  );
}
