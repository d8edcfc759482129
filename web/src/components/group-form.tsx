import { textsOf } from "../lib/form.ts";
import { GROUP_COLORS, type GroupInput } from "../lib/groups.ts";
import { ColorField } from "./color-field.tsx";
import { Field, TextField } from "./field.tsx";
import { Problem, problemOf } from "./problem.tsx";

const FIELDS = ["name", "description", "color"] as const;

type GroupFormProps = {
  /** What the group is now; nothing of one that is new. */
  initial?: { name: string; description: string | null; color: string };
  /** What the button does: "Create group". */
  action: string;
  error: Error | null;
  busy: boolean;
  onSubmit: (input: GroupInput) => void;
  onClose: () => void;
};

export function GroupForm({ initial, action, error, busy, onSubmit, onClose }: GroupFormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { description, ...input } = textsOf(event, [...FIELDS]);
    // Pasted text may contain tabs, which the API refuses.
    onSubmit({ ...input, description: description.replaceAll("\t", " ") });
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="Handbook"
        defaultValue={initial?.name ?? ""}
        problem={problemOf(error, "name")}
      />
      <Field label="Description" hint="May be left out." problem={problemOf(error, "description")}>
        {(ties) => (
          <textarea
            {...ties}
            name="description"
            rows={2}
            maxLength={500}
            defaultValue={initial?.description ?? ""}
          />
        )}
      </Field>
      <ColorField
        name="color"
        initial={initial?.color ?? GROUP_COLORS[5]!.color}
        problem={problemOf(error, "color")}
      />
      <Problem error={error} fields={[...FIELDS]} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {action}
        </button>
      </footer>
    </form>
  );
}
