import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { Dialog } from "../components/dialog.tsx";
import { GroupForm } from "../components/group-form.tsx";
import { useSay } from "../components/said.tsx";
import { counted } from "../lib/counted.ts";
import { changeGroup, createGroup, deleteGroup, GROUPS, type Group } from "../lib/groups.ts";
import { LINKS } from "../lib/links.ts";

export function NewGroup({ onClose }: { onClose: () => void }) {
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

export function EditGroup({ group, onClose }: TaskProps) {
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

export function DeleteGroup({ group, onClose }: TaskProps) {
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
