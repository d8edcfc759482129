import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { SigningSecret } from "../components/secret.tsx";
import { RequestFailed } from "../lib/api.ts";
import { textsOf } from "../lib/form.ts";
import { absoluteTime } from "../lib/time.ts";
import { type Rotated, rotateSecret, WEBHOOKS, type Webhook } from "../lib/webhooks.ts";

const GRACES = [
  { seconds: 0, name: "At once: the secret has leaked" },
  { seconds: 3_600, name: "In 1 hour" },
  { seconds: 86_400, name: "In 24 hours" },
  { seconds: 604_800, name: "In 7 days" },
];
const USUAL_SECONDS = 86_400;

/** Gives the webhook a new signing secret, which is shown in the moment after. */
export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const client = useQueryClient();
  const rotation = useMutation({
    mutationFn: (seconds: number) => rotateSecret(webhook.id, seconds),
    // What is told only once does not wait for a list.
    onSuccess: () => void client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
  if (rotation.data) return <NewSecret rotated={rotation.data} onClose={onClose} />;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    rotation.mutate(Number(textsOf(event, ["seconds"]).seconds));
  };
  return (
    <Dialog title="New signing secret" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Until the old secret ends, every message is signed with both, so that your receiver can
          change over without missing one.
        </p>
        <Field
          label="The old secret ends"
          problem={problemOf(rotation.error, "grace_period_seconds")}
        >
          {(ties) => (
            <select {...ties} name="seconds">
              {GRACES.map(({ seconds, name }) => (
                <option key={seconds} value={seconds} selected={seconds === USUAL_SECONDS}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Problem error={inOurWords(rotation.error)} fields={["grace_period_seconds"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={rotation.isPending}>
            Make a new secret
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const NewSecret = ({ rotated, onClose }: { rotated: Rotated; onClose: () => void }) => (
  <Dialog title="New signing secret" onClose={onClose}>
    <SigningSecret value={rotated.signing_secret} />
    <OldSecrets ends={rotated.previous_secrets_expire_at} />
    <footer>
      <button type="button" class="primary" onClick={onClose}>
        I have copied it
      </button>
    </footer>
  </Dialog>
);

function OldSecrets({ ends }: { ends: string[] }) {
  if (ends.length === 0) return <p>All old secrets have ended. Only this one signs from now on.</p>;
  const moments = ends.map(absoluteTime).join(" and ");
  return (
    <p>
      {ends.length === 1 ? "The old one signs as well until" : "Two old ones sign as well, until"}{" "}
      {moments}.
    </p>
  );
}

/** What the server says of too many secrets is for programs: it names a field. */
function inOurWords(error: Error | null): Error | null {
  const details = error instanceof RequestFailed ? error.details : {};
  if (details.reason !== "too_many_secrets") return error;
  const firstEnd = absoluteTime(String(details.firstExpiresAt));
  return new Error(
    `Two old secrets still sign, which is the most. Wait until ${firstEnd}, or let all old ones end at once.`,
  );
}
