import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { redeliverFailed } from "../lib/deliveries.ts";
import { textsOf } from "../lib/form.ts";
import { WEBHOOKS, type Webhook } from "../lib/webhooks.ts";

const HOUR_MS = 3_600_000;
/** The server takes 14 days at most by its own clock, to which the request has still to travel. */
const MOST_HOURS = 14 * 24 - 0.1;
const SPANS = [
  { hours: 1, name: "The last hour" },
  { hours: 24, name: "The last 24 hours" },
  { hours: 72, name: "The last 3 days" },
  { hours: 168, name: "The last 7 days" },
  { hours: MOST_HOURS, name: "The last 14 days" },
];
const USUAL_HOURS = 24;

/** Sends once more all that did not arrive among what happened lately. */
export function RedeliverFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const all = useMutation({
    mutationFn: (hours: number) =>
      redeliverFailed(webhook.id, new Date(Date.now() - hours * HOUR_MS).toISOString()),
    onSuccess: ({ queued }) => {
      say(saidOf(queued));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    all.mutate(Number(textsOf(event, ["hours"]).hours));
  };
  return (
    <Dialog title="Redeliver what failed" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Everything that will be retried, was given up or is too old is sent once more. A receiver
          that has an event already knows it by its <code>webhook-id</code>. Tests are left out.
        </p>
        <Field label="What happened in" problem={problemOf(all.error, "since")}>
          {(ties) => (
            <select {...ties} name="hours">
              {SPANS.map(({ hours, name }) => (
                <option key={hours} value={hours} selected={hours === USUAL_HOURS}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Problem error={all.error} fields={["since"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={all.isPending}>
            Redeliver
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function saidOf(queued: number): string {
  if (queued === 0) return "Nothing failed in that time.";
  return queued === 1
    ? "1 delivery is sent once more."
    : `${queued.toLocaleString("en")} deliveries are sent once more.`;
}
