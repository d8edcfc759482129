import { CircleX, Hourglass, Pencil, RotateCcwKey, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { startUpper } from "../lib/format.ts";
import type { Key } from "../lib/keys.ts";
import { IconButton, Moment } from "./elements.tsx";
import { FormFooter, Problem, problemOf, TextField } from "./form.tsx";

const DAY_MS = 86_400_000;
/** How long before its expiry a key is marked. */
const SOON_MS = 14 * DAY_MS;

export type KeyDeed = "change" | "rotate" | "revoke";

type Deeds = { canWrite: boolean; onTask: (kind: KeyDeed, key: Key) => void };

export const KeyList = ({ keys, ...deeds }: { keys: Key[] } & Deeds) => (
  <ul class="rows keys" aria-label="API keys">
    {keys.map((key) => (
      <li key={key.id}>
        <KeyRow subject={key} {...deeds} />
      </li>
    ))}
  </ul>
);

const KeyRow = ({ subject, canWrite, onTask }: { subject: Key } & Deeds) => (
  <>
    <div class="what">
      <p class="name">{subject.name}</p>
      <p class="why">
        <code>{subject.prefix}…</code> {permissionsOf(subject)}, made{" "}
        <Moment at={subject.created_at} />
      </p>
    </div>
    <p class="when">
      <span>
        {subject.last_used_at ? (
          <>
            used <Moment at={subject.last_used_at} />
          </>
        ) : (
          "never used"
        )}
      </span>
      <Expiry at={subject.expires_at} />
    </p>
    {canWrite && (
      <div class="deeds">
        <IconButton
          label={`Change ${subject.name}`}
          title="Change name, permissions or expiry"
          icon={Pencil}
          onClick={() => onTask("change", subject)}
        />
        <IconButton
          label={`Rotate ${subject.name}`}
          title="Rotate: replace its value"
          icon={RotateCcwKey}
          onClick={() => onTask("rotate", subject)}
        />
        <IconButton
          label={`Revoke ${subject.name}`}
          title="Revoke"
          icon={Trash2}
          onClick={() => onTask("revoke", subject)}
        />
      </div>
    )}
  </>
);

/** Shown by word, shape and colour when it is near. */
function Expiry({ at }: { at: string | null }) {
  if (!at) return <span>does not expire</span>;
  const leftMs = Date.parse(at) - Date.now();
  if (leftMs <= 0) {
    return (
      <span class="expired text-bad">
        <CircleX aria-hidden="true" />
        expired <Moment at={at} />
      </span>
    );
  }
  return (
    <span class={leftMs <= SOON_MS ? "expires-soon text-unsure" : undefined}>
      {leftMs <= SOON_MS && <Hourglass aria-hidden="true" />}
      expires <Moment at={at} />
    </span>
  );
}

function permissionsOf({ permissions: { read, write } }: Key): string {
  if (read && write) return "may read and write";
  return read ? "may only read" : "may only write";
}

type Permitted = { read: boolean; write: boolean };

type KeyFormProps = {
  name?: string;
  permissions?: Permitted;
  action: string;
  error: Error | null;
  busy: boolean;
  onSubmit: (event: SubmitEvent) => void;
  onClose: () => void;
  /** The expiry field. */
  children: ComponentChildren;
};

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
      <FormFooter action={action} busy={busy} onClose={onClose} />
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
