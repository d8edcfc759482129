import { useMutation, useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { CodeField } from "../components/code-field.tsx";
import { Dialog } from "../components/dialog.tsx";
import { PasswordField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { ACCOUNT, endTwoFactor, renewRecoveryCodes } from "../lib/account.ts";
import { textsOf } from "../lib/form.ts";
import { setSession } from "../lib/session.ts";
import { FreshCodes } from "./begin-two-factor.tsx";
import { PASSWORD_RULE, useWasTrue } from "./password.tsx";

type Closable = { onClose: () => void };

export function EndTwoFactor({ onClose }: Closable) {
  const say = useSay();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: endTwoFactor,
    onSuccess: async (session) => {
      say("Two-factor sign-in is off.");
      onClose();
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  const problem = problemOf(ending.error, "new");
  const isNewNeeded = useWasTrue(problem !== undefined);
  return (
    <ProofDialog
      title="Turn off two-factor sign-in?"
      action="Turn off"
      kind="danger"
      error={ending.error}
      busy={ending.isPending}
      onSubmit={ending.mutate}
      onClose={onClose}
      more={
        isNewNeeded && (
          <PasswordField
            label="New password"
            name="new"
            autoComplete="new-password"
            hint={PASSWORD_RULE}
            problem={problem}
          />
        )
      }
    >
      From now on the password alone signs you in. Your recovery codes are void, and your other
      sessions end.
    </ProofDialog>
  );
}

export function RenewRecoveryCodes({ onClose }: Closable) {
  const client = useQueryClient();
  const renewal = useMutation({
    mutationFn: renewRecoveryCodes,
    // What is told only once does not wait for a list.
    onSuccess: () => void client.invalidateQueries({ queryKey: ACCOUNT }),
  });
  if (renewal.data) return <FreshCodes codes={renewal.data.recovery_codes} onClose={onClose} />;
  return (
    <ProofDialog
      title="New recovery codes"
      action="Make new codes"
      kind="primary"
      error={renewal.error}
      busy={renewal.isPending}
      onSubmit={renewal.mutate}
      onClose={onClose}
    >
      You get ten new codes. Those you have now are void.
    </ProofDialog>
  );
}

type ProofDialogProps = Closable & {
  title: string;
  action: string;
  kind: "primary" | "danger";
  error: Error | null;
  busy: boolean;
  onSubmit: (answers: { password: string; code: string; new?: string }) => void;
  /** What is asked for besides. */
  more?: ComponentChildren;
  children: ComponentChildren;
};

/** Asks for both factors before either of them is changed. */
function ProofDialog(props: ProofDialogProps) {
  const { title, action, kind, error, busy, onSubmit, onClose, more, children } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { new: next, ...proof } = textsOf(event, ["password", "code", "new"]);
    onSubmit({ ...proof, ...(next && { new: next }) });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{children}</p>
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          problem={problemOf(error, "password")}
        />
        <CodeField kind="either" problem={problemOf(error, "code")} />
        {more}
        <Problem error={error} fields={["password", "code", "new"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={kind} disabled={busy}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
