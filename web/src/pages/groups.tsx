import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { GroupList } from "../components/group-list.tsx";
import { ListHead } from "../components/list-head.tsx";
import { Pager } from "../components/pager.tsx";
import { useSay } from "../components/said.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { counted } from "../lib/counted.ts";
import { pageIn } from "../lib/filter.ts";
import { checkGroup, findGroupPage, GROUPS, type Group } from "../lib/groups.ts";
import { LINKS } from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { DeleteGroup, EditGroup, NewGroup } from "./group-tasks.tsx";

type Task = { kind: "create" } | { kind: "edit" | "delete"; group: Group };

export function GroupsPage() {
  useTitle("Groups");
  const page = pageIn(useLocation().query);
  const groups = useQuery({
    queryKey: [...GROUPS, "page", page],
    queryFn: () => findGroupPage(page),
    placeholderData: keepPreviousData,
  });
  const check = useCheck();
  const canWrite = useCanWrite();
  const [task, setTask] = useState<Task | null>(null);
  const create = () => setTask({ kind: "create" });
  return (
    <>
      <ListHead title="Groups" adding="New group" onAdd={create} />
      <Loaded query={groups}>
        {({ items, pagination, ungrouped }) =>
          pagination.total === 0 ? (
            <NoGroups onCreate={create} />
          ) : (
            <>
              <GroupList
                groups={items}
                ungrouped={ungrouped}
                canWrite={canWrite}
                checking={check.isPending ? check.variables?.id : undefined}
                onCheck={check.mutate}
                onEdit={(group) => setTask({ kind: "edit", group })}
                onDelete={(group) => setTask({ kind: "delete", group })}
              />
              <Pager
                pagination={pagination}
                what="groups"
                hrefOf={(next) => (next > 1 ? `/groups?page=${next}` : "/groups")}
              />
            </>
          )
        }
      </Loaded>
      {task && <GroupTask task={task} onClose={() => setTask(null)} />}
    </>
  );
}

function GroupTask({ task, onClose }: { task: Task; onClose: () => void }) {
  if (task.kind === "create") return <NewGroup onClose={onClose} />;
  const Dialog = task.kind === "edit" ? EditGroup : DeleteGroup;
  return <Dialog group={task.group} onClose={onClose} />;
}

function NoGroups({ onCreate }: { onCreate: () => void }) {
  const canWrite = useCanWrite();
  return (
    <Empty title="No groups yet">
      <p>
        A group gathers links that belong together: a handbook, a client, a site. It shows how many
        of them are dead, and checks them all at once.
      </p>
      {canWrite && (
        <button type="button" onClick={onCreate}>
          Create your first group
        </button>
      )}
    </Empty>
  );
}

function useCheck() {
  const say = useSay();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Group) => checkGroup(id),
    onSuccess: ({ summary }, { name }) =>
      say(
        summary.started === 0
          ? `There is nothing to check in ${name}.`
          : `${counted(summary.started, "check")} started in ${name}.`,
      ),
    onError: ({ message }) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
}
