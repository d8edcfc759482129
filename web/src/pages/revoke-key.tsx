import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm } from "../components/confirm.tsx";
import { useSay } from "../components/said.tsx";
import { KEYS, type Key, revokeKey } from "../lib/keys.ts";

export function RevokeKey({ subject, onClose }: { subject: Key; onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const revocation = useMutation({
    mutationFn: () => revokeKey(subject.id),
    onSuccess: () => {
      say("The key was revoked.");
      onClose();
      client.invalidateQueries({ queryKey: KEYS });
    },
  });
  return (
    <Confirm
      title="Revoke this key?"
      action="Revoke key"
      busy={revocation.isPending}
      error={revocation.error}
      onConfirm={revocation.mutate}
      onClose={onClose}
    >
      <p class="name">{subject.name}</p>
      <p>Every request with it is refused from now on. This cannot be taken back.</p>
    </Confirm>
  );
}
