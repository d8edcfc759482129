import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { api, asSent, complete, unwrap } from "../data/api.ts";
import { absolute } from "../data/base.ts";
import { gracesOf, USUAL_GRACE } from "../data/words.ts";
import { Ask, type Closable, ShownOnce } from "../frame/ask.tsx";
import { CheckField, FieldProblem, SelectField, TextField, textsIn } from "../ui/field.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { DraftText } from "./draft.tsx";
import { InPlace, NewEntry, useFieldSave } from "./parts.tsx";
import { KEYS, type Key } from "./queries.ts";

const DAY_MS = 86_400_000;

const PERMISSIONS = [
  { name: "read", label: "Read", hint: "Links, groups, history, alerts and keys (GET)." },
  { name: "write", label: "Write", hint: "Add, change, check and delete (POST, PATCH, DELETE)." },
] as const;

type PermissionsProps = {
  chosen: Key["permissions"];
  /** Outside of a form. */
  error?: Error | null;
  onChange: (permissions: Key["permissions"]) => void;
};

const Permissions = ({ chosen, onChange, ...problem }: PermissionsProps) => (
  <fieldset>
    <legend>Permissions</legend>
    {PERMISSIONS.map(({ name, label, hint }) => (
      <CheckField
        key={name}
        label={label}
        hint={hint}
        aria-label={label}
        checked={chosen[name]}
        onChange={({ currentTarget }) => onChange({ ...chosen, [name]: currentTarget.checked })}
      />
    ))}
    <FieldProblem name="permissions" {...problem} />
  </fieldset>
);

const LIFETIMES = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

/** `expires_at` is null for never. */
type KeyInput = Pick<Key, "name" | "permissions" | "expires_at">;

export function AddKey({ onClose }: Closable) {
  const client = useQueryClient();
  const [permissions, setPermissions] = useState({ read: true, write: true });
  const creation = useMutation({
    mutationFn: (key: KeyInput) => unwrap(api.keys.post(asSent(key))),
    // A value that is shown only once does not wait for a refetch.
    onSuccess: () => void client.invalidateQueries({ queryKey: KEYS }),
  });
  if (creation.data) {
    return <FreshKey title="Key created" value={creation.data.key} onClose={onClose} />;
  }
  const submit = (form: FormData) => {
    const { name, expires_at: days } = textsIn(form, "name", "expires_at");
    const expires_at = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    creation.mutate({ name, permissions, expires_at });
  };
  return (
    <NewEntry action="Create key" creation={creation} onSubmit={submit} onClose={onClose}>
      <div class="setting-fields">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          placeholder="Nightly import"
        />
        <SelectField label="Expires" name="expires_at" options={LIFETIMES} />
      </div>
      <Permissions chosen={permissions} onChange={setPermissions} />
    </NewEntry>
  );
}

const FreshKey = ({ title, value, onClose }: Closable & { title: string; value: string }) => (
  <ShownOnce title={title} action="I have copied it" onClose={onClose}>
    <p>Copy the key now. Only its hash is kept, so it cannot be shown again.</p>
    <Copyable label="API key" value={value} once />
    <Copyable
      label="Try it in a terminal"
      value={`curl -H "Authorization: Bearer ${value}" ${absolute("/api/v1/links")}`}
      rows={2}
    />
  </ShownOnce>
);

type KeyProps = Closable & { subject: Key };

/** Each field is saved when it changes. */
export function EditKey({ subject, onClose }: KeyProps) {
  const { id, name, permissions, expires_at } = subject;
  const [error, setError] = useState<Error | null>(null);
  const save = useFieldSave<KeyInput>({
    current: { name, permissions, expires_at },
    send: (change) => unwrap(api.keys({ id }).patch(asSent(change))),
    said: "The key was changed.",
    renews: [KEYS],
  });
  const [chosen, setChosen] = useState<Key["permissions"] | null>(null);
  useEffect(() => setChosen(null), [permissions.read, permissions.write]);
  const permit = (next: Key["permissions"]) => {
    setChosen(next);
    save({ permissions: next }).then(
      () => setError(null),
      (reason: Error) => {
        setError(reason);
        setChosen(null);
      },
    );
  };
  return (
    <InPlace onClose={onClose}>
      <div class="setting-fields">
        <DraftText
          label="Name"
          name="name"
          maxLength={100}
          value={name}
          save={(text) => save({ name: text })}
        />
        <DraftText
          label="Expires on"
          name="expires_at"
          type="date"
          hint="Valid through the end of that day. Leave empty for no expiry."
          value={dayOf(expires_at)}
          save={(day) => save({ expires_at: endOf(day) })}
        />
      </div>
      <Permissions chosen={chosen ?? permissions} error={error} onChange={permit} />
    </InPlace>
  );
}

/** The value of a date field in the viewer's time zone; empty for never. Swedish dates are those of ISO 8601. */
const dayOf = (iso: string | null) => (iso ? new Date(iso).toLocaleDateString("sv") : "");

/** The last second of the day in the viewer's time zone. */
const endOf = (day: string) => (day ? new Date(`${day}T23:59:59`).toISOString() : null);

export function RotateKey({ subject, onClose }: KeyProps) {
  const [seconds, setSeconds] = useState(USUAL_GRACE);
  return (
    <Ask
      title="Rotate this key?"
      action="Rotate key"
      danger={seconds === 0}
      send={() =>
        unwrap(api.keys({ id: subject.id }).rotate.post(asSent({ grace_period_seconds: seconds })))
      }
      result={({ key }) => <FreshKey title="New value" value={key} onClose={onClose} />}
      renews={[KEYS]}
      onClose={onClose}
    >
      <p>
        <b>{subject.name}</b>
      </p>
      <p>The key gets a new value. Update the programs that use it before the old one expires.</p>
      <SelectField
        label="The old value expires"
        name="grace_period_seconds"
        options={gracesOf("value")}
        value={seconds}
        onChange={setSeconds}
      />
    </Ask>
  );
}

export function RevokeKey({ subject, onClose }: KeyProps) {
  return (
    <Ask
      title="Revoke this key?"
      action="Revoke key"
      danger
      send={() => complete(api.keys({ id: subject.id }).delete())}
      said="The key was revoked."
      renews={[KEYS]}
      onClose={onClose}
    >
      <p>
        <b>{subject.name}</b>
      </p>
      <p>Requests with this key will fail. This cannot be undone.</p>
    </Ask>
  );
}
