import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type KeyDeed, KeyList } from "../components/keys.tsx";
import { ListHead, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useTitle } from "../lib/browser.ts";
import { pageIn } from "../lib/filter.ts";
import { KEYS, type Key, listKeys } from "../lib/keys.ts";
import { useCanWrite } from "../lib/session.ts";
import { ChangeKey, NewKeyDialog, RevokeKey, RotateKey } from "./key-tasks.tsx";

type Task = { kind: "create" } | { kind: KeyDeed; key: Key };

export function KeysPage() {
  useTitle("API keys");
  const page = pageIn(useLocation().query);
  const keys = useQuery({
    queryKey: [...KEYS, page],
    queryFn: () => listKeys(page),
    placeholderData: keepPreviousData,
  });
  const canWrite = useCanWrite();
  const [task, setTask] = useState<Task | null>(null);
  return (
    <>
      <ListHead title="API keys" adding="New key" onAdd={() => setTask({ kind: "create" })} />
      <p class="lead">
        Programs use a key to call <code>{location.origin}/api/v1</code>, as the{" "}
        <a href="/docs" target="_blank" rel="noopener">
          API reference
        </a>{" "}
        says.
      </p>
      <Loaded query={keys}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <Empty title="No API keys yet">
              <p>Create one for each program, so that each can be revoked separately.</p>
              {canWrite && (
                <button type="button" onClick={() => setTask({ kind: "create" })}>
                  Create your first key
                </button>
              )}
            </Empty>
          ) : (
            <>
              <KeyList
                keys={items}
                canWrite={canWrite}
                onTask={(kind, key) => setTask({ kind, key })}
              />
              <Pager pagination={pagination} what="keys" hrefOf={(next) => `/keys?page=${next}`} />
            </>
          )
        }
      </Loaded>
      {task && <KeyTask task={task} onClose={() => setTask(null)} />}
    </>
  );
}

function KeyTask({ task, onClose }: { task: Task; onClose: () => void }) {
  if (task.kind === "create") return <NewKeyDialog onClose={onClose} />;
  if (task.kind === "change") return <ChangeKey subject={task.key} onClose={onClose} />;
  if (task.kind === "rotate") return <RotateKey subject={task.key} onClose={onClose} />;
  return <RevokeKey subject={task.key} onClose={onClose} />;
}
