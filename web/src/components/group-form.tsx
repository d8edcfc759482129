import { useId, useState } from "preact/hooks";
import { withTexts } from "../lib/browser.ts";
import { GROUP_COLORS, type GroupInput } from "../lib/groups.ts";
import { Field, FormFooter, Problem, problemOf, TextField } from "./form.tsx";

const FIELDS = ["name", "description", "color"] as const;

type GroupFormProps = {
  /** Undefined for a new group. */
  initial?: { name: string; description: string | null; color: string };
  action: string;
  error: Error | null;
  busy: boolean;
  onSubmit: (input: GroupInput) => void;
  onClose: () => void;
};

export function GroupForm({ initial, action, error, busy, onSubmit, onClose }: GroupFormProps) {
  const submit = withTexts([...FIELDS], ({ description, ...input }) => {
    // The API rejects tabs, which pasted text may contain.
    onSubmit({ ...input, description: description.replaceAll("\t", " ") });
  });
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
      <Field label="Description" hint="Optional." problem={problemOf(error, "description")}>
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
      <FormFooter action={action} busy={busy} onClose={onClose} />
    </form>
  );
}

type ColorFieldProps = { name: string; initial: string; problem: string | undefined };

const WHOLE = /^#[0-9a-f]{6}$/i;

/** Offers a palette, a colour picker and a field for the code. */
function ColorField({ name, initial, problem }: ColorFieldProps) {
  const [color, setColor] = useState(initial);
  const id = useId();
  return (
    <fieldset class="color-field">
      <legend>Colour</legend>
      <div class="group-colors">
        {GROUP_COLORS.map((each) => (
          <input
            key={each.color}
            type="radio"
            name={`${name}-chosen`}
            aria-label={each.name}
            title={each.name}
            checked={each.color === color.toUpperCase()}
            style={{ "--group": each.color }}
            onChange={() => setColor(each.color)}
          />
        ))}
      </div>
      <div class="own-color">
        <input
          type="color"
          aria-label="Own colour"
          title="Own colour"
          value={WHOLE.test(color) ? color.toLowerCase() : "#000000"}
          onInput={({ currentTarget }) => setColor(currentTarget.value.toUpperCase())}
        />
        <input
          type="text"
          class="code"
          name={name}
          aria-label="Colour code"
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          spellcheck={false}
          maxLength={7}
          value={color}
          onInput={({ currentTarget }) => setColor(currentTarget.value)}
        />
      </div>
      <div id={id} class="about">
        {problem && <p class="field-problem">Colour {problem}</p>}
      </div>
    </fieldset>
  );
}
