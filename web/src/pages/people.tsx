import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { UserPlus } from "lucide-preact";
import { useState } from "preact/hooks";
import { PeopleList } from "../components/people-list.tsx";
import { useSay } from "../components/said.tsx";
import { Loaded } from "../components/states.tsx";
import { type Colleague, changeRole, PEOPLE, type Role, usePeople } from "../lib/people.ts";
import { useUser } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { type PeopleTask, PeopleTaskDialog } from "./people-tasks.tsx";

/** Who is in the account. Owners change it, the others see it. */
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
        Owners may do everything. Editors change links, groups, webhooks and API keys. Viewers look
        at everything and change nothing.
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

function useRoleChange() {
  const say = useSay();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: { person: Colleague; role: Role }) =>
      changeRole(input.person.id, input.role),
    onSuccess: ({ email, role }) =>
      say(`${email} is ${role === "viewer" ? "a" : "an"} ${role} now.`),
    onError: ({ message }: Error) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: PEOPLE }),
  });
}
