import { Confirm } from "../components/dialog.tsx";
import { useDialogChange } from "../components/use-change.ts";
import { deleteLink, LINKS } from "../lib/links.ts";

type DeleteLinkProps = {
  link: { id: string; url: string };
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteLink({ link, onClose, onDeleted }: DeleteLinkProps) {
  const deletion = useDialogChange({
    change: () => deleteLink(link.id),
    said: "The link was deleted.",
    renews: [[...LINKS, "list"]],
    onDone: onDeleted,
  });
  return (
    <Confirm
      title="Delete this link?"
      action="Delete link"
      busy={deletion.isPending}
      error={deletion.error}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <p class="url">{link.url}</p>
      <p>It is no longer checked, and its history goes with it.</p>
    </Confirm>
  );
}
