import type { ComponentChildren } from "preact";
import { TextField } from "./field.tsx";
import { Problem, problemOf } from "./problem.tsx";

type Permitted = { read: boolean; write: boolean };

type KeyFormProps = {
  name?: string;
  permissions?: Permitted;
  /** What the button does: "Create key". */
  action: string;
  error: Error | null;
  busy: boolean;
  onSubmit: (event: SubmitEvent) => void;
  onClose: () => void;
  /** The field for when the key expires. */
  children: ComponentChildren;
};

/** What there is to say of a key, new or not. */
export function KeyForm(props: KeyFormProps) {
  const { name, permissions, action, error, busy, onSubmit, onClose, children } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={name}
        placeholder="Nightly import"
        problem={problemOf(error, "name")}
      />
      <Permissions
        chosen={permissions ?? { read: true, write: true }}
        problem={problemOf(error, "permissions")}
      />
      {children}
      <Problem error={error} fields={["name", "permissions", "expires_at"]} />
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

const Permissions = ({ chosen, problem }: { chosen: Permitted; problem: string | undefined }) => (
  <fieldset>
    <legend>Permissions</legend>
    <label class="choice permission">
      <input type="checkbox" name="read" defaultChecked={chosen.read} aria-label="Read" />
      <span>
        Read
        <span class="hint">Look at links, groups, history, webhooks and keys (GET).</span>
      </span>
    </label>
    <label class="choice permission">
      <input type="checkbox" name="write" defaultChecked={chosen.write} aria-label="Write" />
      <span>
        Write
        <span class="hint">Add, change, check and delete them (POST, PATCH, DELETE).</span>
      </span>
    </label>
    {problem && <p class="field-problem">{startUpper(problem)}</p>}
  </fieldset>
);

const startUpper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
