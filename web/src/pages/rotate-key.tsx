import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { KEYS, type Key, rotateKey } from "../lib/keys.ts";
import { FreshKey } from "./new-key.tsx";

export function RotateKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const client = useQueryClient();
  const rotation = useMutation({
    mutationFn: () => rotateKey(subject.id),
    // What is told only once does not wait for a list.
    onSuccess: () => void client.invalidateQueries({ queryKey: KEYS }),
  });
  if (rotation.data)
    return <FreshKey title="New value" value={rotation.data.key} onClose={onClose} />;
  return (
    <Confirm
      title="Rotate this key?"
      action="Rotate key"
      busy={rotation.isPending}
      error={rotation.error}
      onConfirm={rotation.mutate}
      onClose={onClose}
    >
      <p class="name">{subject.name}</p>
      <p>
        It gets a new value. The old one is refused at once, so update the programs that use it.
      </p>
    </Confirm>
  );
}
