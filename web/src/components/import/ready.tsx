import { useMemo } from "preact/hooks";
import type { Group } from "../../lib/groups.ts";
import { type Choices, MOST_NEW_GROUPS, namedGroups } from "../../lib/import/choices.ts";
import type { Job } from "../../lib/import/job.ts";
import { Options } from "./options.tsx";

type ReadyProps = {
  job: Job;
  groups: Group[] | undefined;
  onChoose: (choices: Choices) => void;
  onAdd: () => void;
};

/** The last word before anything is added: where to, how often, and how many. */
export function Ready({ job, groups, onChoose, onAdd }: ReadyProps) {
  const { ledger, choices } = job;
  const named = useMemo(() => namedGroups(ledger, groups ?? []), [ledger, groups, job.stage]);
  const isTooMuch = named.unknown.length > MOST_NEW_GROUPS;
  const settled = isTooMuch ? { ...choices, usesNamed: false } : choices;
  const count = ledger.counts.new;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (settled !== choices) onChoose(settled);
    onAdd();
  };
  return (
    <form class="card ready" onSubmit={submit}>
      <Options choices={choices} onChange={onChoose} />
      {named.known.length + named.unknown.length > 0 && (
        <NamedGroups named={named} isTooMuch={isTooMuch} choices={settled} onChange={onChoose} />
      )}
      <footer>
        <button
          type="submit"
          class="primary"
          disabled={count === 0 || !groups || choices.newGroup?.trim() === ""}
        >
          {count === 1 ? "Add 1 link" : `Add ${count.toLocaleString("en")} links`}
        </button>
      </footer>
    </form>
  );
}

type NamedGroupsProps = {
  named: { known: string[]; unknown: string[] };
  isTooMuch: boolean;
  choices: Choices;
  onChange: (choices: Choices) => void;
};

/** The groups that the list itself names, which win over the one that is chosen for all. */
function NamedGroups({ named, isTooMuch, choices, onChange }: NamedGroupsProps) {
  const { known, unknown } = named;
  return (
    <div class="field">
      <label class="choice">
        <input
          type="checkbox"
          checked={choices.usesNamed}
          disabled={isTooMuch}
          onChange={({ currentTarget }) =>
            onChange({ ...choices, usesNamed: currentTarget.checked })
          }
        />
        Use the groups that the list names
      </label>
      {known.length > 0 && <p class="hint">There already: {some(known)}.</p>}
      {unknown.length > 0 && !isTooMuch && (
        <p class="hint">
          {choices.usesNamed ? "Will be made" : "Would be made"}: {some(unknown)}.
        </p>
      )}
      {isTooMuch && (
        <p class="hint">
          The list names {unknown.length.toLocaleString("en")} groups that are not there. At most{" "}
          {MOST_NEW_GROUPS} can be made at once.
        </p>
      )}
    </div>
  );
}

const SHOWN = 8;

/** "Docs, Blog and 3 more" */
const some = (names: string[]) =>
  names.length <= SHOWN
    ? names.join(", ")
    : `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;
