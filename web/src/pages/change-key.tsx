import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { KeyForm } from "../components/key-form.tsx";
import { problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { textsOf } from "../lib/form.ts";
import { changeKey, KEYS, type Key, type NewKey } from "../lib/keys.ts";

export function ChangeKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (key: Partial<NewKey>) => changeKey(subject.id, key),
    onSuccess: () => {
      say("The key was changed.");
      onClose();
      client.invalidateQueries({ queryKey: KEYS });
    },
  });
  return (
    <Dialog title="Change API key" onClose={onClose}>
      <KeyForm
        name={subject.name}
        permissions={subject.permissions}
        action="Save"
        error={change.error}
        busy={change.isPending}
        onSubmit={(event) => change.mutate(readForm(event, subject))}
        onClose={onClose}
      >
        <Field
          label="Expires on"
          hint="A new day counts to its end. Leave it empty for never."
          problem={problemOf(change.error, "expires_at")}
        >
          {(ties) => (
            <input {...ties} type="date" name="day" defaultValue={dayOf(subject.expires_at)} />
          )}
        </Field>
      </KeyForm>
    </Dialog>
  );
}

/** The moment of expiry stays as it is while its day does: it has a time of day that is not shown. */
function readForm(event: SubmitEvent, subject: Key): Partial<NewKey> {
  const { name, read, write, day } = textsOf(event, ["name", "read", "write", "day"]);
  return {
    name,
    permissions: { read: read !== "", write: write !== "" },
    ...(day !== dayOf(subject.expires_at) && { expires_at: endOf(day) }),
  };
}

/** The reader's own day, as a date field has it; empty for never. */
function dayOf(iso: string | null): string {
  if (!iso) return "";
  const at = new Date(iso);
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** The last second of the reader's own day. */
const endOf = (day: string) => (day ? new Date(`${day}T23:59:59`).toISOString() : null);
