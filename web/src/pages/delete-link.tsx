import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/dialog.tsx";
import { useSay } from "../components/toast.tsx";
import { deleteLink, LINKS } from "../lib/links.ts";

type DeleteLinkProps = {
  link: { id: string; url: string };
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteLink({ link, onClose, onDeleted }: DeleteLinkProps) {
  const say = useSay();
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => deleteLink(link.id),
    onSuccess: () => {
      say("The link was deleted.");
      onDeleted();
      client.invalidateQueries({ queryKey: [...LINKS, "list"] });
    },
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
