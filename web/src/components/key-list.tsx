import { RotateCcwKey, Trash2 } from "lucide-preact";
import type { Key } from "../lib/keys.ts";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";

type Deeds = { canWrite: boolean; onTask: (kind: "rotate" | "revoke", key: Key) => void };

export const KeyList = ({ keys, ...deeds }: { keys: Key[] } & Deeds) => (
  <ul class="rows keys" aria-label="API keys">
    {keys.map((key) => (
      <li key={key.id}>
        <KeyRow subject={key} {...deeds} />
      </li>
    ))}
  </ul>
);

const KeyRow = ({ subject, canWrite, onTask }: { subject: Key } & Deeds) => (
  <>
    <div class="what">
      <p class="name">{subject.name}</p>
      <p class="why">
        <code>{subject.prefix}…</code> {permissionsOf(subject)}
      </p>
    </div>
    <p class="when">
      <span>
        {subject.last_used_at ? (
          <>
            used <Moment at={subject.last_used_at} />
          </>
        ) : (
          "never used"
        )}
      </span>
      <Expiry at={subject.expires_at} />
    </p>
    {canWrite && (
      <div class="deeds">
        <IconButton
          label={`Rotate ${subject.name}`}
          title="Rotate: give it a new value"
          icon={RotateCcwKey}
          onClick={() => onTask("rotate", subject)}
        />
        <IconButton
          label={`Revoke ${subject.name}`}
          title="Revoke"
          icon={Trash2}
          onClick={() => onTask("revoke", subject)}
        />
      </div>
    )}
  </>
);

function Expiry({ at }: { at: string | null }) {
  if (!at) return <span>does not expire</span>;
  const isPast = Date.parse(at) <= Date.now();
  return (
    <span class={isPast ? "expired" : undefined}>
      {isPast ? "expired" : "expires"} <Moment at={at} />
    </span>
  );
}

function permissionsOf({ permissions: { read, write } }: Key): string {
  if (read && write) return "may read and write";
  return read ? "may only read" : "may only write";
}
