import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Confirm, Dialog } from "../components/dialog.tsx";
import { GroupForm } from "../components/group-form.tsx";
import { GroupList } from "../components/group-list.tsx";
import { ListHead, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useSay } from "../components/toast.tsx";
import { useTitle } from "../lib/browser.ts";
import { pageIn } from "../lib/filter.ts";
import { counted } from "../lib/format.ts";
import {
  changeGroup,
  checkGroup,
  createGroup,
  deleteGroup,
  findGroupPage,
  GROUPS,
  type Group,
} from "../lib/groups.ts";
import { LINKS } from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";

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

function NewGroup({ onClose }: { onClose: () => void }) {
  const creation = useMutation({
    mutationFn: createGroup,
    onSuccess: useDone("The group was created.", onClose),
  });
  return (
    <Dialog title="New group" onClose={onClose}>
      <GroupForm
        action="Create group"
        error={creation.error}
        busy={creation.isPending}
        onSubmit={creation.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

type TaskProps = { group: Group; onClose: () => void };

function EditGroup({ group, onClose }: TaskProps) {
  const change = useMutation({
    mutationFn: (input: Parameters<typeof createGroup>[0]) => changeGroup(group.id, input),
    onSuccess: useDone("The group was changed.", onClose),
  });
  return (
    <Dialog title="Edit group" onClose={onClose}>
      <GroupForm
        initial={group}
        action="Save"
        error={change.error}
        busy={change.isPending}
        onSubmit={change.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

function DeleteGroup({ group, onClose }: TaskProps) {
  const deletion = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: useDone("The group was deleted.", onClose),
  });
  const { link_count: links } = group;
  return (
    <Confirm
      title="Delete this group?"
      action="Delete group"
      busy={deletion.isPending}
      error={deletion.error}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <p class="name">{group.name}</p>
      <p>
        {links === 0
          ? "It has no links."
          : `Its ${counted(links, "link")} ${links === 1 ? "is" : "are"} kept and checked as before, in no group.`}
      </p>
    </Confirm>
  );
}

/** What follows when a change of groups has worked. */
function useDone(text: string, onClose: () => void) {
  const say = useSay();
  const client = useQueryClient();
  return () => {
    say(text);
    onClose();
    client.invalidateQueries({ queryKey: LINKS });
    return client.invalidateQueries({ queryKey: GROUPS });
  };
}
