import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { CodeField } from "../components/code-field.tsx";
import { Dialog } from "../components/dialog.tsx";
import { PasswordField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { RecoveryCodes } from "../components/recovery-codes.tsx";
import { ACCOUNT, beginTwoFactor, confirmTwoFactor } from "../lib/account.ts";
import { textsOf } from "../lib/form.ts";
import { setSession, useUser } from "../lib/session.ts";

type Closable = { onClose: () => void };

/** Password, then the secret and a first code of it, then the recovery codes. */
export function BeginTwoFactor({ onClose }: Closable) {
  const client = useQueryClient();
  const begun = useMutation({ mutationFn: beginTwoFactor });
  const confirmed = useMutation({
    mutationFn: confirmTwoFactor,
    onSuccess: async ({ recovery_codes: _, ...session }) => {
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  if (confirmed.data) return <FreshCodes codes={confirmed.data.recovery_codes} onClose={onClose} />;
  if (begun.data) {
    const { error, isPending, mutate } = confirmed;
    const form = { error, busy: isPending, onSubmit: mutate, onClose };
    return <ConfirmDialog key="confirm" {...begun.data} {...form} />;
  }
  return (
    <Dialog key="password" title="Turn on two-factor sign-in" onClose={onClose}>
      <PasswordForm
        error={begun.error}
        busy={begun.isPending}
        onSubmit={begun.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** Recovery codes, in a dialog that is closed only on purpose. */
export function FreshCodes({ codes, onClose }: Closable & { codes: string[] }) {
  const { email } = useUser();
  return (
    <Dialog key="codes" title="Your recovery codes" onClose={onClose}>
      <RecoveryCodes codes={codes} email={email} />
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          I have kept them
        </button>
      </footer>
    </Dialog>
  );
}

type FormProps<T> = Closable & {
  error: Error | null;
  busy: boolean;
  onSubmit: (answers: T) => void;
};

function PasswordForm({ error, busy, onSubmit, onClose }: FormProps<{ password: string }>) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(textsOf(event, ["password"]));
  };
  return (
    <form onSubmit={submit}>
      <p>
        You need an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator, or a
        password manager that makes codes.
      </p>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        problem={problemOf(error, "password")}
      />
      <Problem error={error} fields={["password"]} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Continue
        </button>
      </footer>
    </form>
  );
}

type ConfirmProps = FormProps<{ code: string }> & { secret: string; uri: string };

function ConfirmDialog({ secret, uri, error, busy, onSubmit, onClose }: ConfirmProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(textsOf(event, ["code"]));
  };
  return (
    <Dialog title="Connect your app" onClose={onClose}>
      <form onSubmit={submit}>
        <div class="pairing">
          <QrCode text={uri} label="QR code for your authenticator app" />
          <div>
            <p>Scan the picture with your app, or type this key into it:</p>
            <p>
              <code class="key-groups">{groupsOf(secret)}</code>
            </p>
            <p class="hint">Time-based, 6 digits, 30 seconds.</p>
          </div>
        </div>
        <CodeField kind="app" problem={problemOf(error, "code")} isNext />
        <Problem error={error} fields={["code"]} />
        <p class="hint">Your other sessions end when it is turned on.</p>
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            Turn on
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const groupsOf = (secret: string) => secret.replace(/.{4}(?=.)/g, "$& ");
