import { useState } from "preact/hooks";
import { Confirm } from "../components/dialog.tsx";
import { Field } from "../components/form.tsx";
import { RemovePersonDialog } from "../components/person.tsx";
import { useDialogChange } from "../components/use-change.ts";
import { peopleLose, ROLES, type Role } from "../lib/account.ts";
import {
  ADMIN,
  type AdminAccount,
  deleteAccount,
  deletePerson,
  inviteOwner,
  invitePerson,
  type Person,
  resetPerson,
  TIERS,
  type Tier,
} from "../lib/admin.ts";
import { counted } from "../lib/format.ts";
import { Invite, NewPasswordLink } from "./invite.tsx";

export type AdminTask =
  | { kind: "account" }
  | { kind: "person"; account: AdminAccount }
  | { kind: "delete"; account: AdminAccount }
  | { kind: "reset"; person: Person }
  | { kind: "remove"; person: Person };

type TaskProps<T> = { task: T; onClose: () => void };

export function AdminTaskDialog({ task, onClose }: TaskProps<AdminTask>) {
  if (task.kind === "account") return <NewAccount onClose={onClose} />;
  if (task.kind === "person") return <NewPerson account={task.account} onClose={onClose} />;
  if (task.kind === "delete") return <DeleteAccount account={task.account} onClose={onClose} />;
  if (task.kind === "reset") return <ResetPerson person={task.person} onClose={onClose} />;
  return <RemovePerson person={task.person} onClose={onClose} />;
}

function NewAccount({ onClose }: { onClose: () => void }) {
  return (
    <Invite<Tier>
      title="New account"
      choice={{ label: "Tier", name: "tier", options: TIERS, first: "business" }}
      invite={(email, tier) => inviteOwner({ email, tier })}
      list={ADMIN}
      onClose={onClose}
    />
  );
}

function NewPerson({ account, onClose }: { account: AdminAccount; onClose: () => void }) {
  return (
    <Invite<Role>
      title={`Add someone to ${account.email}`}
      choice={{ label: "Role", name: "role", options: ROLES, first: "editor" }}
      invite={(email, role) => invitePerson(account.id, { email, role })}
      list={ADMIN}
      onClose={onClose}
    />
  );
}

const ResetPerson = ({ person, onClose }: { person: Person; onClose: () => void }) => (
  <NewPasswordLink person={person} make={() => resetPerson(person.id)} onClose={onClose} />
);

function RemovePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const removal = useDialogChange({
    change: (revokeKeys: boolean) => deletePerson(person.id, revokeKeys),
    said: `${person.email} was removed.`,
    renews: [ADMIN],
    onDone: onClose,
  });
  return <RemovePersonDialog person={person} removal={removal} onClose={onClose} />;
}

function DeleteAccount({ account, onClose }: { account: AdminAccount; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const deletion = useDialogChange({
    change: () => deleteAccount(account.id),
    said: `The account ${account.email} was deleted.`,
    renews: [ADMIN],
    onDone: onClose,
  });
  return (
    <Confirm
      title="Delete this account?"
      action="Delete account"
      change={deletion}
      isDisabled={typed !== account.email}
      onClose={onClose}
    >
      <p>
        This deletes {counted(account.links_used, "link")} with their history, and{" "}
        {peopleLose(account.users.length)} access. This cannot be undone.
      </p>
      <Field label={`Type ${account.email} to confirm`}>
        {(ties) => (
          <input
            {...ties}
            type="text"
            autoComplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
    </Confirm>
  );
}
