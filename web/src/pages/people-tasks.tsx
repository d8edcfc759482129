import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { RemovePersonDialog } from "../components/remove-person.tsx";
import { useSay } from "../components/said.tsx";
import {
  type Colleague,
  changeRole,
  inviteColleague,
  PEOPLE,
  ROLES,
  type Role,
  removeColleague,
  resetColleague,
} from "../lib/people.ts";
import { SESSION } from "../lib/session.ts";
import { Invite, NewPasswordLink } from "./invite.tsx";

export type PeopleTask =
  | { kind: "invite" }
  | { kind: "reset"; person: Colleague }
  | { kind: "remove"; person: Colleague }
  | { kind: "step-down"; person: Colleague; role: Role };

export function PeopleTaskDialog({ task, onClose }: { task: PeopleTask; onClose: () => void }) {
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
  const say = useSay();
  const client = useQueryClient();
  const removal = useMutation({
    mutationFn: (revokeKeys: boolean) => removeColleague(person.id, revokeKeys),
    onSuccess: () => {
      say(`${person.email} was removed.`);
      onClose();
      client.invalidateQueries({ queryKey: PEOPLE });
    },
  });
  return (
    <RemovePersonDialog
      person={person}
      busy={removal.isPending}
      error={removal.error}
      onConfirm={removal.mutate}
      onClose={onClose}
    />
  );
}

type StepDownProps = TaskProps & { role: Role };

/** An owner who is about to be none any more, which only another owner can undo. */
function StepDown({ person, role, onClose }: StepDownProps) {
  const say = useSay();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => changeRole(person.id, role),
    onSuccess: () => {
      say(`You are ${role === "viewer" ? "a viewer" : "an editor"} now.`);
      onClose();
      client.invalidateQueries({ queryKey: SESSION });
      client.invalidateQueries({ queryKey: PEOPLE });
    },
  });
  return (
    <Confirm
      title="Give up being an owner?"
      action={role === "viewer" ? "Become a viewer" : "Become an editor"}
      busy={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onClose={onClose}
    >
      <p>
        You will not be able to invite or remove people any more. Only another owner can make you an
        owner again.
      </p>
    </Confirm>
  );
}
