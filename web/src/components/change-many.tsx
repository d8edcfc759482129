import type { ComponentChildren } from "preact";
import type { Deed } from "../lib/bulk.ts";
import { counted } from "../lib/counted.ts";
import { textsOf } from "../lib/form.ts";
import { type Group, useGroups } from "../lib/groups.ts";
import { FREQUENCIES } from "../lib/links.ts";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { FrequencySelect } from "./frequency-select.tsx";
import { GroupSelect } from "./group-select.tsx";

type ChangeManyProps = { count: number; onConfirm: (deed: Deed) => void; onClose: () => void };

export function MoveMany({ count, onConfirm, onClose }: ChangeManyProps) {
  const { data: groups = [] } = useGroups();
  const confirm = (chosen: string) => onConfirm({ kind: "move", group: find(groups, chosen) });
  return (
    <ChangeForm
      title={`Move ${counted(count, "link")} to a group`}
      action={`Move ${counted(count, "link")}`}
      onChosen={confirm}
      onClose={onClose}
    >
      <Field label="Group" hint={<GroupHint hasGroups={groups.length > 0} />}>
        {(ties) => <GroupSelect {...ties} name="chosen" chosen="" none="No group" />}
      </Field>
    </ChangeForm>
  );
}

const find = (groups: Group[], id: string) => groups.find((group) => group.id === id) ?? null;

const GroupHint = ({ hasGroups }: { hasGroups: boolean }) =>
  hasGroups ? (
    "Links that are in another group leave it."
  ) : (
    <>
      There is no group yet. <a href="/groups">Make one</a> first.
    </>
  );

export function ChangeFrequency({ count, onConfirm, onClose }: ChangeManyProps) {
  const confirm = (chosen: string) => {
    const frequency = FREQUENCIES.find((known) => known === chosen);
    if (frequency) onConfirm({ kind: "frequency", frequency });
  };
  return (
    <ChangeForm
      title={`Change how often ${counted(count, "link")} ${count === 1 ? "is" : "are"} checked`}
      action={`Change ${counted(count, "link")}`}
      onChosen={confirm}
      onClose={onClose}
    >
      <Field label="New check frequency">
        {(ties) => <FrequencySelect {...ties} name="chosen" chosen="daily" />}
      </Field>
    </ChangeForm>
  );
}

type ChangeFormProps = {
  title: string;
  action: string;
  onChosen: (chosen: string) => void;
  onClose: () => void;
  children: ComponentChildren;
};

function ChangeForm({ title, action, onChosen, onClose, children }: ChangeFormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onChosen(textsOf(event, ["chosen"]).chosen);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
