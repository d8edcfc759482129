import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Confirm, Dialog } from "../components/dialog.tsx";
import { GroupForm } from "../components/group-form.tsx";
import { GroupList } from "../components/group-list.tsx";
import { ListHead, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useDialogChange, useDirectChange } from "../components/use-change.ts";
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
  type GroupInput,
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

const useCheck = () =>
  useDirectChange({
    change: ({ id }: Group) => checkGroup(id),
    said: ({ summary }, { name }) =>
      summary.started === 0
        ? `There is nothing to check in ${name}.`
        : `${counted(summary.started, "check")} started in ${name}.`,
    renews: [LINKS],
  });

function NewGroup({ onClose }: { onClose: () => void }) {
  const creation = useDialogChange({
    change: createGroup,
    said: "The group was created.",
    renews: [LINKS, GROUPS],
    onDone: onClose,
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
  const change = useDialogChange({
    change: (input: GroupInput) => changeGroup(group.id, input),
    said: "The group was changed.",
    renews: [LINKS, GROUPS],
    onDone: onClose,
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
  const deletion = useDialogChange({
    change: () => deleteGroup(group.id),
    said: "The group was deleted.",
    renews: [LINKS, GROUPS],
    onDone: onClose,
  });
  const { link_count: links } = group;
  return (
    <Confirm title="Delete this group?" action="Delete group" change={deletion} onClose={onClose}>
      <p class="name">{group.name}</p>
      <p>
        {links === 0
          ? "It has no links."
          : `Its ${counted(links, "link")} ${links === 1 ? "is" : "are"} kept and checked as before, in no group.`}
      </p>
    </Confirm>
  );
}
