import { KeyRound, ShieldCheck, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import type { Person } from "../lib/admin.ts";
import { counted } from "../lib/format.ts";
import { Confirm } from "./dialog.tsx";
import { IconButton, Moment } from "./elements.tsx";

type Known = Pick<Person, "has_password" | "two_factor" | "last_seen_at">;

export function PersonState({ person }: { person: Known }) {
  const { has_password, two_factor, last_seen_at } = person;
  if (!has_password) return <>has not set a password yet</>;
  return (
    <>
      {two_factor && (
        <>
          <ShieldCheck aria-hidden="true" /> two-factor,{" "}
        </>
      )}
      {last_seen_at ? (
        <>
          last seen <Moment at={last_seen_at} />
        </>
      ) : (
        "not signed in"
      )}
    </>
  );
}

type RemovePersonProps = {
  person: { email: string; keys_made: number };
  removal: { isPending: boolean; error: Error | null; mutate: (revokeKeys: boolean) => void };
  onClose: () => void;
};

/** Also asks whether to revoke the API keys that the person created. */
export function RemovePersonDialog(props: RemovePersonProps) {
  const { person, removal, onClose } = props;
  const [revokesKeys, setRevokesKeys] = useState(false);
  return (
    <Confirm
      title="Remove this person?"
      action="Remove"
      change={{ ...removal, mutate: () => removal.mutate(revokesKeys) }}
      onClose={onClose}
    >
      <p class="name">{person.email}</p>
      <p>Their sessions end immediately. What they created stays in the account.</p>
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

type WordSelectProps<Word extends string> = {
  label: string;
  value: Word;
  words: readonly Word[];
  onChange: (word: Word) => void;
};

export const WordSelect = <Word extends string>(props: WordSelectProps<Word>) => (
  <select
    aria-label={props.label}
    value={props.value}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value as Word)}
  >
    {props.words.map((word) => (
      <option key={word} value={word}>
        {word}
      </option>
    ))}
  </select>
);

type PersonDeedsProps = { email: string; onReset: () => void; onRemove?: (() => void) | undefined };

export const PersonDeeds = ({ email, onReset, onRemove }: PersonDeedsProps) => (
  <>
    <IconButton
      label={`New password link for ${email}`}
      title="New password link"
      icon={KeyRound}
      onClick={onReset}
    />
    {onRemove && (
      <IconButton label={`Remove ${email}`} title="Remove" icon={Trash2} onClick={onRemove} />
    )}
  </>
);
