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
    <Confirm title="Delete this link?" action="Delete link" change={deletion} onClose={onClose}>
      <p class="url">{link.url}</p>
      <p>It will no longer be checked, and its history will be deleted.</p>
    </Confirm>
  );
}
