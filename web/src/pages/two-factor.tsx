import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { ShieldCheck, ShieldOff } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Section } from "../components/account-sections.tsx";
import { Dialog } from "../components/dialog.tsx";
import { CodeField, FormFooter, PasswordField, Problem, problemOf } from "../components/form.tsx";
import { Loaded } from "../components/states.tsx";
import { useToast } from "../components/toast.tsx";
import {
  ACCOUNT,
  endTwoFactor,
  renewRecoveryCodes,
  type TwoFactor,
  useTwoFactor,
} from "../lib/account.ts";
import { withTexts } from "../lib/browser.ts";
import { setSession } from "../lib/session.ts";
import { BeginTwoFactor, FreshCodes } from "./begin-two-factor.tsx";
import { PASSWORD_RULE, useWasTrue } from "./password.tsx";

type Task = "begin" | "end" | "renew";

/** At this number, new codes are recommended. */
const FEW_CODES = 3;

export function TwoFactorSection() {
  const factor = useTwoFactor();
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <Section
      title="Two-factor sign-in"
      about="A code from an app on your phone in addition to the password. A stolen password alone is not enough to sign in."
    >
      <Loaded query={factor}>{(state) => <State state={state} onTask={setTask} />}</Loaded>
      {task === "begin" && <BeginTwoFactor onClose={close} />}
      {task === "end" && <EndTwoFactor onClose={close} />}
      {task === "renew" && <RenewRecoveryCodes onClose={close} />}
    </Section>
  );
}

function State({ state, onTask }: { state: TwoFactor; onTask: (task: Task) => void }) {
  if (!state.is_on) {
    return (
      <>
        <p class="factor">
          <ShieldOff aria-hidden="true" />
          Off. You sign in with your password only.
        </p>
        <p class="actions">
          <button type="button" class="primary" onClick={() => onTask("begin")}>
            Turn on
          </button>
        </p>
      </>
    );
  }
  return (
    <>
      <p class="factor factor-on">
        <ShieldCheck aria-hidden="true" />
        On. Signing in requires a code.
      </p>
      <CodesLeft count={state.recovery_codes_left} />
      <p class="actions">
        <button type="button" onClick={() => onTask("renew")}>
          New recovery codes
        </button>
        <button type="button" onClick={() => onTask("end")}>
          Turn off
        </button>
      </p>
    </>
  );
}

const CodesLeft = ({ count }: { count: number }) => (
  <p class={count <= FEW_CODES ? "hint text-unsure" : "hint"}>
    {count === 1 ? "1 recovery code is left." : `${count} recovery codes are left.`}
    {count <= FEW_CODES && " Create new ones while you can still sign in."}
  </p>
);

type Closable = { onClose: () => void };

function EndTwoFactor({ onClose }: Closable) {
  const toast = useToast();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: endTwoFactor,
    onSuccess: async (session) => {
      toast("Two-factor sign-in is off.");
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
      You will sign in with your password only. Your recovery codes become invalid, and your other
      sessions end.
    </ProofDialog>
  );
}

function RenewRecoveryCodes({ onClose }: Closable) {
  const client = useQueryClient();
  const renewal = useMutation({
    mutationFn: renewRecoveryCodes,
    // A value that is shown only once does not wait for a refetch.
    onSuccess: () => void client.invalidateQueries({ queryKey: ACCOUNT }),
  });
  if (renewal.data) return <FreshCodes codes={renewal.data.recovery_codes} onClose={onClose} />;
  return (
    <ProofDialog
      title="New recovery codes"
      action="Create new codes"
      kind="primary"
      error={renewal.error}
      busy={renewal.isPending}
      onSubmit={renewal.mutate}
      onClose={onClose}
    >
      You get ten new codes. Your current ones become invalid.
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
  /** Further fields. */
  more?: ComponentChildren;
  children: ComponentChildren;
};

/** Asks for both factors before changing one of them. */
function ProofDialog(props: ProofDialogProps) {
  const { title, action, kind, error, busy, onSubmit, onClose, more, children } = props;
  const submit = withTexts(["password", "code", "new"], ({ new: next, ...proof }) => {
    onSubmit({ ...proof, ...(next && { new: next }) });
  });
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
        <FormFooter action={action} kind={kind} busy={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
