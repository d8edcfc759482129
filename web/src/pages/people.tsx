import { UserPlus } from "lucide-preact";
import { useState } from "preact/hooks";
import { Confirm } from "../components/dialog.tsx";
import { PeopleList } from "../components/people-list.tsx";
import { RemovePersonDialog } from "../components/person.tsx";
import { Loaded } from "../components/states.tsx";
import { useDialogChange, useDirectChange } from "../components/use-change.ts";
import {
  type Colleague,
  changeRole,
  inviteColleague,
  PEOPLE,
  ROLES,
  type Role,
  removeColleague,
  resetColleague,
  usePeople,
} from "../lib/account.ts";
import { useTitle } from "../lib/browser.ts";
import { SESSION, useUser } from "../lib/session.ts";
import { Invite, NewPasswordLink } from "./invite.tsx";

/** Owners can change it, others only see it. */
export function PeoplePage() {
  useTitle("People");
  const user = useUser();
  const people = usePeople();
  const [task, setTask] = useState<PeopleTask | null>(null);
  const role = useRoleChange();
  const chooseRole = (person: Colleague, chosen: Role) =>
    person.is_you
      ? setTask({ kind: "step-down", person, role: chosen })
      : role.mutate({ person, role: chosen });
  return (
    <>
      <header class="page-head">
        <h1>People</h1>
        {user.role === "owner" && (
          <button type="button" class="primary" onClick={() => setTask({ kind: "invite" })}>
            <UserPlus aria-hidden="true" />
            Invite someone
          </button>
        )}
      </header>
      <p class="lead">
        Owners have full access. Editors can change links, groups, webhooks and API keys. Viewers
        have read-only access.
      </p>
      <div class="people-place">
        <Loaded query={people}>
          {({ items }) => (
            <PeopleList
              people={items}
              user={user}
              onRole={chooseRole}
              onReset={(person) => setTask({ kind: "reset", person })}
              onRemove={(person) => setTask({ kind: "remove", person })}
            />
          )}
        </Loaded>
      </div>
      {task && <PeopleTaskDialog task={task} onClose={() => setTask(null)} />}
    </>
  );
}

const useRoleChange = () =>
  useDirectChange({
    change: (input: { person: Colleague; role: Role }) => changeRole(input.person.id, input.role),
    said: ({ email, role }) => `${email} is ${role === "viewer" ? "a" : "an"} ${role} now.`,
    renews: [PEOPLE],
  });

type PeopleTask =
  | { kind: "invite" }
  | { kind: "reset"; person: Colleague }
  | { kind: "remove"; person: Colleague }
  | { kind: "step-down"; person: Colleague; role: Role };

function PeopleTaskDialog({ task, onClose }: { task: PeopleTask; onClose: () => void }) {
  if (task.kind === "invite") return <InviteColleague onClose={onClose} />;
  if (task.kind === "reset") return <ResetColleague person={task.person} onClose={onClose} />;
  if (task.kind === "remove") return <RemoveColleague person={task.person} onClose={onClose} />;
  return <StepDown person={task.person} role={task.role} onClose={onClose} />;
}

const InviteColleague = ({ onClose }: { onClose: () => void }) => (
  <Invite<Role>
    title="Invite someone"
    choice={{ label: "Role", name: "role", options: ROLES, first: "editor" }}
    invite={(email, role) => inviteColleague({ email, role })}
    list={PEOPLE}
    onClose={onClose}
  />
);

type TaskProps = { person: Colleague; onClose: () => void };

const ResetColleague = ({ person, onClose }: TaskProps) => (
  <NewPasswordLink person={person} make={() => resetColleague(person.id)} onClose={onClose} />
);

function RemoveColleague({ person, onClose }: TaskProps) {
  const removal = useDialogChange({
    change: (revokeKeys: boolean) => removeColleague(person.id, revokeKeys),
    said: `${person.email} was removed.`,
    renews: [PEOPLE],
    onDone: onClose,
  });
  return <RemovePersonDialog person={person} removal={removal} onClose={onClose} />;
}

type StepDownProps = TaskProps & { role: Role };

/** Only another owner can undo this. */
function StepDown({ person, role, onClose }: StepDownProps) {
  const change = useDialogChange({
    change: () => changeRole(person.id, role),
    said: `You are ${role === "viewer" ? "a viewer" : "an editor"} now.`,
    renews: [SESSION, PEOPLE],
    onDone: onClose,
  });
  return (
    <Confirm
      title="Give up being an owner?"
      action={role === "viewer" ? "Become a viewer" : "Become an editor"}
      change={change}
      onClose={onClose}
    >
      <p>
        You will no longer be able to invite or remove people. Only another owner can make you an
        owner again.
      </p>
    </Confirm>
  );
}
