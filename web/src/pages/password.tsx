import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { Doorway } from "../components/doorway.tsx";
import { CodeField, PasswordField, Problem, problemOf, TextField } from "../components/form.tsx";
import { useTokenOfLink, withTexts } from "../lib/browser.ts";
import {
  isCodeNeeded,
  isCodeWrong,
  type Session,
  setPassword,
  setSession,
} from "../lib/session.ts";

export const PASSWORD_RULE =
  "At least 15 characters of any kind. A few words in a row are easy to keep in mind.";

/** A password together with a second factor may be shorter. */
export const SHORTER_RULE =
  "At least 8 characters of any kind, since you sign in with a code as well; 15 are better.";

/** The target of a one-time link, for new users and lost passwords. */
export function PasswordPage({ session }: { session: Session }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: setPassword,
    onSuccess: (signedIn) => setSession(client, signedIn),
  });
  return (
    <Doorway
      title={change.isSuccess ? "Password set" : "Set a password"}
      insecure={session.insecure}
    >
      {change.isSuccess ? (
        <>
          <p class="lead" role="status">
            You are signed in. Your new password is active, and all earlier sessions have ended.
          </p>
          <a class="button primary" href="/links">
            Go to your links
          </a>
        </>
      ) : (
        <PasswordForm error={change.error} busy={change.isPending} onSubmit={change.mutate} />
      )}
    </Doorway>
  );
}

type PasswordFormProps = {
  error: Error | null;
  busy: boolean;
  onSubmit: (answers: { token: string; password: string; code?: string }) => void;
};

function PasswordForm({ error, busy, onSubmit }: PasswordFormProps) {
  const token = useTokenOfLink();
  const isCodeAsked = useWasTrue(isCodeNeeded(error));
  const submit = withTexts(["token", "password", "code"], ({ code, ...answers }) => {
    onSubmit({ ...answers, ...(code && { code }) });
  });
  const wrongCode = isCodeWrong(error) ? error?.message : problemOf(error, "code");
  return (
    <form onSubmit={submit}>
      {token ? (
        <input type="hidden" name="token" value={token} />
      ) : (
        <TextField
          label="Token of the link"
          name="token"
          class="code"
          required
          autoComplete="off"
          hint="Open the one-time link as a whole, or paste what follows token= in it."
          problem={problemOf(error, "token")}
        />
      )}
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint={PASSWORD_RULE}
        problem={problemOf(error, "password")}
      />
      {isCodeAsked && <CodeField kind="either" problem={wrongCode} isNext />}
      <Problem
        error={isCodeNeeded(error) || wrongCode ? null : error}
        fields={token ? ["password"] : ["token", "password"]}
      />
      <button type="submit" class="primary" disabled={busy}>
        Set password
      </button>
    </form>
  );
}

/** Whether the value is or was true: an error disappears on retry, but the field it requested stays. */
export function useWasTrue(is: boolean): boolean {
  const [was, setWas] = useState(false);
  useEffect(() => {
    if (is) setWas(true);
  }, [is]);
  return is || was;
}
