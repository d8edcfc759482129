import { useState } from "preact/hooks";
import { counted } from "../lib/counted.ts";
import { Confirm } from "./confirm.tsx";

type RemovePersonProps = {
  person: { email: string; keys_made: number };
  busy: boolean;
  error: Error | null;
  onConfirm: (revokeKeys: boolean) => void;
  onClose: () => void;
};

/** Asks before someone is removed, and whether the API keys whose values they know are revoked. */
export function RemovePersonDialog(props: RemovePersonProps) {
  const { person, busy, error, onConfirm, onClose } = props;
  const [revokesKeys, setRevokesKeys] = useState(false);
  return (
    <Confirm
      title="Remove this person?"
      action="Remove"
      busy={busy}
      error={error}
      onConfirm={() => onConfirm(revokesKeys)}
      onClose={onClose}
    >
      <p class="name">{person.email}</p>
      <p>Their sessions end at once. What they made stays with the account.</p>
      {person.keys_made > 0 && (
        <label class="choice">
          <input
            type="checkbox"
            checked={revokesKeys}
            onChange={({ currentTarget }) => setRevokesKeys(currentTarget.checked)}
          />
          Also revoke {counted(person.keys_made, "API key")} they made
        </label>
      )}
      <p>
        API keys that they know still work unless you rotate or revoke them under{" "}
        <a href="/keys">API keys</a>.
      </p>
    </Confirm>
  );
}
