import { useQueryClient } from "@tanstack/preact-query";
import { ExternalLink, KeyRound, Pencil, RotateCcwKey, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { absolute } from "../data/base.ts";
import { keepFirstKey, useCanWrite, useFirstKey } from "../data/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/loaded.tsx";
import { Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { AddKey, EditKey, RevokeKey, RotateKey } from "./key-forms.tsx";
import { GrowingHeading, Line, List, Panel, Setting } from "./parts.tsx";
import { type Key, useKeyList } from "./queries.ts";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Account", place: 5, name: "API keys", icon: KeyRound };

/** API keys, and where the API is described. */
export default function KeysSection() {
  const keys = useKeyList();
  return (
    <>
      <GrowingHeading title="API keys" action="New key" New={AddKey}>
        Keys for the API. Everything in this dashboard is available in the API.
      </GrowingHeading>
      <FirstKey />
      <List label="API keys" query={keys} items={keys.data?.items} none={NONE}>
        {(key) => <KeyLine key={key.id} subject={key} />}
      </List>
      {!keys.isPending && <Reference />}
    </>
  );
}

/** The key that the set-up created, until it was seen. */
function FirstKey() {
  const client = useQueryClient();
  // Stays while the page does, so that it can be copied again.
  const [key, setKey] = useState(useFirstKey());
  if (!key) return null;
  const forget = () => keepFirstKey(client, null);
  return (
    <Panel title="Your first API key">
      <div class="in-place">
        <p>Copy the key now: it cannot be shown again.</p>
        <Copyable label="API key" value={key} onCopied={forget} />
        <p class="form-foot">
          <Button
            onClick={() => {
              forget();
              setKey(null);
            }}
          >
            I have copied it
          </Button>
        </p>
      </div>
    </Panel>
  );
}

const Reference = () => (
  <Panel title="API">
    <Setting label="Address">
      <code>{absolute("/api/v1")}</code>
    </Setting>
    <Setting label="Reference" hint="Every request with its fields, errors and examples.">
      <Outside href="/docs">API reference</Outside>
    </Setting>
    <Setting label="OpenAPI" hint="For code generators and API clients.">
      <Outside href="/openapi.json">openapi.json</Outside>
    </Setting>
  </Panel>
);

const Outside = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener">
    {children} <ExternalLink class="i" aria-label="opens in a new tab" />
  </a>
);

const NONE = (
  <Empty title="No API keys yet">
    <p>Create one for each program, so that each can be revoked separately.</p>
  </Empty>
);

const TASKS = { edit: EditKey, rotate: RotateKey, revoke: RevokeKey };

function KeyLine({ subject }: { subject: Key }) {
  const canWrite = useCanWrite();
  const [task, setTask] = useState<keyof typeof TASKS | null>(null);
  const Task = task && TASKS[task];
  const { name, prefix, created_at, last_used_at: usedAt, expires_at } = subject;
  return (
    <Line
      icon={KeyRound}
      title={<b>{name}</b>}
      hint={
        <>
          <code>{prefix}…</code> {permissionsOf(subject)}, created <Moment at={created_at} />
        </>
      }
    >
      <div class="hint when">
        <p>
          {usedAt ? "used " : "never used"}
          {usedAt && <Moment at={usedAt} />}
        </p>
        <Expiry at={expires_at} />
      </div>
      {canWrite && (
        <>
          <IconButton
            icon={Pencil}
            label={`Edit ${name}`}
            aria-expanded={task === "edit"}
            onClick={() => setTask(task === "edit" ? null : "edit")}
          />
          <Menu
            label={`More for ${name}`}
            items={[
              { label: "Rotate", icon: RotateCcwKey, onSelect: () => setTask("rotate") },
              { label: "Revoke", icon: Trash2, danger: true, onSelect: () => setTask("revoke") },
            ]}
          />
        </>
      )}
      {Task && <Task subject={subject} onClose={() => setTask(null)} />}
    </Line>
  );
}

/** How long before its expiry a key is marked. */
const SOON_MS = 14 * 86_400_000;

function Expiry({ at }: { at: string | null }) {
  if (!at) return <p>does not expire</p>;
  const leftMs = Date.parse(at) - Date.now();
  const isOver = leftMs <= 0;
  return (
    <p class={isOver ? "is-over" : leftMs <= SOON_MS ? "is-near" : undefined}>
      {isOver ? "expired" : "expires"} <Moment at={at} />
    </p>
  );
}

function permissionsOf({ permissions: { read, write } }: Key): string {
  if (read && write) return "can read and write";
  return read ? "can only read" : "can only write";
}
