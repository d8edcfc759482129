import { CircleX, Hourglass, Pencil, RotateCcwKey, Trash2 } from "lucide-preact";
import type { Key } from "../lib/keys.ts";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";

const DAY_MS = 86_400_000;
/** How long before it expires a key is marked. */
const SOON_MS = 14 * DAY_MS;

/** What can be done with a key that is there. */
export type KeyDeed = "change" | "rotate" | "revoke";

type Deeds = { canWrite: boolean; onTask: (kind: KeyDeed, key: Key) => void };

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
        <code>{subject.prefix}…</code> {permissionsOf(subject)}, made{" "}
        <Moment at={subject.created_at} />
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
          label={`Change ${subject.name}`}
          title="Change name, permissions or expiry"
          icon={Pencil}
          onClick={() => onTask("change", subject)}
        />
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

/** Told by word, shape and colour where it matters soon. */
function Expiry({ at }: { at: string | null }) {
  if (!at) return <span>does not expire</span>;
  const leftMs = Date.parse(at) - Date.now();
  if (leftMs <= 0) {
    return (
      <span class="expired">
        <CircleX aria-hidden="true" />
        expired <Moment at={at} />
      </span>
    );
  }
  return (
    <span class={leftMs <= SOON_MS ? "expires-soon" : undefined}>
      {leftMs <= SOON_MS && <Hourglass aria-hidden="true" />}
      expires <Moment at={at} />
    </span>
  );
}

function permissionsOf({ permissions: { read, write } }: Key): string {
  if (read && write) return "may read and write";
  return read ? "may only read" : "may only write";
}
