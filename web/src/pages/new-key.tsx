import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { KeyForm } from "../components/key-form.tsx";
import { problemOf } from "../components/problem.tsx";
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
    // What is told only once does not wait for a list.
    onSuccess: () => void client.invalidateQueries({ queryKey: KEYS }),
  });
  const { data, error, isPending } = creation;
  if (data) return <FreshKey title="Key created" value={data.key} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <KeyForm
        action="Create key"
        error={error}
        busy={isPending}
        onSubmit={(event) => creation.mutate(readForm(event))}
        onClose={onClose}
      >
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
      </KeyForm>
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

function readForm(event: SubmitEvent): NewKey {
  const { name, read, write, days } = textsOf(event, ["name", "read", "write", "days"]);
  return {
    name,
    permissions: { read: read !== "", write: write !== "" },
    expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
  };
}
