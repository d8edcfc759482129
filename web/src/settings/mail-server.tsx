import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Send } from "lucide-preact";
import { api, type DataOf, unwrap } from "../data/api.ts";
import { lengthText, many } from "../data/format.ts";
import { useUser } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Known, Panel, Trouble } from "./parts.tsx";
import { ADMIN, useMailState } from "./queries.ts";

/** Whether the mail server works, and what waits for it. */
export function MailPanel() {
  const state = useMailState();
  const client = useQueryClient();
  const { email } = useUser();
  const test = useMutation({
    mutationFn: () => unwrap(api.admin.mail.test.post()),
    onSettled: () => client.invalidateQueries({ queryKey: [...ADMIN, "mail"] }),
  });
  const send = (
    <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
      Send me a test message
    </Button>
  );
  return (
    <Panel title="Mail server" hint="As this node knows it." action={send}>
      <div role="status">
        {test.data?.ok && (
          <p class="in-place">
            Sent to {email}. {test.data.message}
          </p>
        )}
      </div>
      {test.data && !test.data.ok && <Trouble>{test.data.message}</Trouble>}
      <Problem error={test.error} />
      <Loaded query={state}>{(known) => <State state={known} />}</Loaded>
    </Panel>
  );
}

const SECURITY: Record<string, string> = { tls: "TLS", starttls: "STARTTLS", none: "Unencrypted" };

function State({ state }: { state: DataOf<typeof useMailState> }) {
  const { problem, rest_seconds: rest } = state;
  return (
    <>
      {problem && (
        <Trouble>
          <b>The mail server does not accept mail.</b> {problem}
          {rest > 0 && ` The next attempt is in ${lengthText(rest * 1000)}.`}
        </Trouble>
      )}
      <Known
        facts={[
          ["Server", `${state.host}:${state.port}`],
          ["Security", SECURITY[state.security] ?? state.security],
          ["Sender", state.from],
          [
            "Last message accepted",
            state.last_success_at ? (
              <Moment key="success" at={state.last_success_at} />
            ) : (
              "None yet"
            ),
          ],
          ["Last reply", state.last_reply ?? "None yet"],
          ["Alerts waiting", many(state.waiting_alerts)],
          ["Mails to people waiting", many(state.waiting_mails)],
        ]}
      />
    </>
  );
}
