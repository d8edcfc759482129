import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm, Dialog } from "../components/dialog.tsx";
import { CloseFooter, Field, problemOf, SelectField } from "../components/form.tsx";
import { KeyForm } from "../components/keys.tsx";
import { Secret } from "../components/secret.tsx";
import { useDialogChange } from "../components/use-change.ts";
import { textsOf } from "../lib/browser.ts";
import {
  changeKey,
  createKey,
  KEYS,
  type Key,
  type NewKey,
  revokeKey,
  rotateKey,
} from "../lib/keys.ts";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: "", name: "Never" },
  { value: "30", name: "In 30 days" },
  { value: "90", name: "In 90 days" },
  { value: "365", name: "In a year" },
];

export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: createKey,
    // A value that is shown only once does not wait for a refetch.
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
        <SelectField
          label="Expires"
          name="days"
          options={LIFETIMES}
          problem={problemOf(error, "expires_at")}
        />
      </KeyForm>
    </Dialog>
  );
}

/** Only the button closes the dialog. */
export const FreshKey = (props: { title: string; value: string; onClose: () => void }) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <Secret value={props.value} />
    <CloseFooter label="I have copied it" onClose={props.onClose} />
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

export function ChangeKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const change = useDialogChange({
    change: (key: Partial<NewKey>) => changeKey(subject.id, key),
    said: "The key was changed.",
    renews: [KEYS],
    onDone: onClose,
  });
  return (
    <Dialog title="Change API key" onClose={onClose}>
      <KeyForm
        name={subject.name}
        permissions={subject.permissions}
        action="Save"
        error={change.error}
        busy={change.isPending}
        onSubmit={(event) => change.mutate(readChange(event, subject))}
        onClose={onClose}
      >
        <Field
          label="Expires on"
          hint="Valid through the end of that day. Leave empty for no expiry."
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

/** Keeps the exact time of expiry unless the day is changed. */
function readChange(event: SubmitEvent, subject: Key): Partial<NewKey> {
  const { name, read, write, day } = textsOf(event, ["name", "read", "write", "day"]);
  return {
    name,
    permissions: { read: read !== "", write: write !== "" },
    ...(day !== dayOf(subject.expires_at) && { expires_at: endOf(day) }),
  };
}

/** The value of a date field in the viewer's time zone; empty for never. */
function dayOf(iso: string | null): string {
  if (!iso) return "";
  const at = new Date(iso);
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** The last second of the day in the viewer's time zone. */
const endOf = (day: string) => (day ? new Date(`${day}T23:59:59`).toISOString() : null);

export function RotateKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const client = useQueryClient();
  const rotation = useMutation({
    mutationFn: () => rotateKey(subject.id),
    // A value that is shown only once does not wait for a refetch.
    onSuccess: () => void client.invalidateQueries({ queryKey: KEYS }),
  });
  if (rotation.data)
    return <FreshKey title="New value" value={rotation.data.key} onClose={onClose} />;
  return (
    <Confirm title="Rotate this key?" action="Rotate key" change={rotation} onClose={onClose}>
      <p class="name">{subject.name}</p>
      <p>
        The key gets a new value. The old one stops working immediately, so update the programs that
        use it.
      </p>
    </Confirm>
  );
}

export function RevokeKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const revocation = useDialogChange({
    change: () => revokeKey(subject.id),
    said: "The key was revoked.",
    renews: [KEYS],
    onDone: onClose,
  });
  return (
    <Confirm title="Revoke this key?" action="Revoke key" change={revocation} onClose={onClose}>
      <p class="name">{subject.name}</p>
      <p>Requests with this key will be rejected. This cannot be undone.</p>
    </Confirm>
  );
}
