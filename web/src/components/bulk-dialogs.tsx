import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { withTexts } from "../lib/browser.ts";
import type { Deed } from "../lib/bulk.ts";
import { counted } from "../lib/format.ts";
import { type Group, useGroups } from "../lib/groups.ts";
import { FREQUENCIES } from "../lib/links.ts";
import { Dialog } from "./dialog.tsx";
import { Field, FormFooter } from "./form.tsx";
import { FrequencySelect, GroupSelect } from "./link-selects.tsx";

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
      There is no group yet. <a href="/groups">Create one</a> first.
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
  const submit = withTexts(["chosen"], ({ chosen }) => onChosen(chosen));
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <FormFooter action={action} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Above this number, deleting asks for the number to be typed. */
const MANY = 100;

type DeleteManyProps = { count: number; onConfirm: () => void; onClose: () => void };

export function DeleteMany({ count, onConfirm, onClose }: DeleteManyProps) {
  const [typed, setTyped] = useState("");
  const isSure = count <= MANY || typed.replace(/[\s,.]/g, "") === String(count);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isSure) onConfirm();
  };
  return (
    <Dialog title={`Delete ${counted(count, "link")}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {count === 1 ? "It is" : "They are"} no longer checked, and{" "}
          {count === 1 ? "its" : "their"} history goes with {count === 1 ? "it" : "them"}. This
          cannot be undone.
        </p>
        {count > MANY && <NumberField count={count} onType={setTyped} />}
        <FormFooter
          action={`Delete ${counted(count, "link")}`}
          kind="danger"
          busy={!isSure}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

type NumberFieldProps = { count: number; onType: (typed: string) => void };

const NumberField = ({ count, onType }: NumberFieldProps) => (
  <Field label={`To confirm, type their number: ${count.toLocaleString("en")}`}>
    {(ties) => (
      <input
        {...ties}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        onInput={(event) => onType(event.currentTarget.value)}
      />
    )}
  </Field>
);
