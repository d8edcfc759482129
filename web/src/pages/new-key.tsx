import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Field, TextField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { Secret } from "../components/secret.tsx";
import { textsOf } from "../lib/form.ts";
import { createKey, KEYS, type NewKey } from "../lib/keys.ts";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { days: "", name: "Never" },
  { days: "30", name: "In 30 days" },
  { days: "90", name: "In 90 days" },
  { days: "365", name: "In a year" },
];

export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: createKey,
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
  });
  if (creation.data)
    return <FreshKey title="Key created" value={creation.data.key} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <NewKeyForm
        error={creation.error}
        busy={creation.isPending}
        onSubmit={creation.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** The value of a key, in a dialog that is closed only on purpose. */
export const FreshKey = (props: { title: string; value: string; onClose: () => void }) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <Secret value={props.value} />
    <footer>
      <button type="button" class="primary" onClick={props.onClose}>
        I have copied it
      </button>
    </footer>
  </Dialog>
);

type NewKeyFormProps = {
  error: Error | null;
  busy: boolean;
  onSubmit: (key: NewKey) => void;
  onClose: () => void;
};

function NewKeyForm({ error, busy, onSubmit, onClose }: NewKeyFormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(readForm(event));
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        placeholder="Nightly import"
        problem={problemOf(error, "name")}
      />
      <Permissions problem={problemOf(error, "permissions")} />
      <Field label="Expires" problem={problemOf(error, "expires_at")}>
        {(ties) => (
          <select {...ties} name="days">
            {LIFETIMES.map(({ days, name }) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Problem error={error} fields={["name", "permissions", "expires_at"]} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Create key
        </button>
      </footer>
    </form>
  );
}

const Permissions = ({ problem }: { problem: string | undefined }) => (
  <fieldset>
    <legend>Permissions</legend>
    <label class="choice">
      <input type="checkbox" name="read" defaultChecked />
      Read
    </label>
    <label class="choice">
      <input type="checkbox" name="write" defaultChecked />
      Write
    </label>
    {problem && <p class="field-problem">{problem}</p>}
  </fieldset>
);

function readForm(event: SubmitEvent): NewKey {
  const { name, read, write, days } = textsOf(event, ["name", "read", "write", "days"]);
  return {
    name,
    permissions: { read: read !== "", write: write !== "" },
    expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
  };
}
