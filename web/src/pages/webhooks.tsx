import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ListHead, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type WebhookDeed, WebhookList } from "../components/webhook-list.tsx";
import { useTitle } from "../lib/browser.ts";
import { pageIn } from "../lib/filter.ts";
import { useCanWrite } from "../lib/session.ts";
import { listWebhooks, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";
import { NewWebhookDialog } from "./webhook-new.tsx";
import { DeleteWebhook, SwitchOff, TestWebhook, useSwitchOn } from "./webhook-tasks.tsx";

type Task = { kind: "create" } | { kind: "test" | "off" | "delete"; webhook: Webhook };

export function WebhooksPage() {
  useTitle("Webhooks");
  const page = pageIn(useLocation().query);
  const webhooks = useQuery({
    queryKey: [...WEBHOOKS, "list", page],
    queryFn: () => listWebhooks(page),
    placeholderData: keepPreviousData,
  });
  const canWrite = useCanWrite();
  const [task, setTask] = useState<Task | null>(null);
  const switchOn = useSwitchOn();
  const begin = (deed: WebhookDeed, webhook: Webhook) =>
    deed === "on" ? switchOn.mutate(webhook) : setTask({ kind: deed, webhook });
  return (
    <>
      <ListHead title="Webhooks" adding="New webhook" onAdd={() => setTask({ kind: "create" })} />
      <p class="lead">
        Your programs and your chat get a message when links die, recover or change.
      </p>
      <Loaded query={webhooks}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <Nothing onAdd={() => setTask({ kind: "create" })} />
          ) : (
            <>
              <WebhookList webhooks={items} canWrite={canWrite} onDeed={begin} />
              <Pager
                pagination={pagination}
                what="webhooks"
                hrefOf={(next) => `/webhooks?page=${next}`}
              />
            </>
          )
        }
      </Loaded>
      {task && <WebhookTask task={task} onClose={() => setTask(null)} />}
    </>
  );
}

function Nothing({ onAdd }: { onAdd: () => void }) {
  return (
    <Empty title="No webhooks yet">
      <p>
        Notify Slack, Discord, Teams, Telegram, ntfy or your own program as soon as a link is dead
        or alive again.
      </p>
      {useCanWrite() && (
        <button type="button" onClick={onAdd}>
          Create your first webhook
        </button>
      )}
    </Empty>
  );
}

function WebhookTask({ task, onClose }: { task: Task; onClose: () => void }) {
  if (task.kind === "create") return <NewWebhookDialog onClose={onClose} />;
  if (task.kind === "test") return <TestWebhook webhook={task.webhook} onClose={onClose} />;
  if (task.kind === "off") return <SwitchOff webhook={task.webhook} onClose={onClose} />;
  return <DeleteWebhook webhook={task.webhook} onClose={onClose} onDeleted={onClose} />;
}
