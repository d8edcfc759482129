import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Cover } from "../components/dialog.tsx";
import { Doorway } from "../components/doorway.tsx";
import { CodeField, EmailField, PasswordField, Problem, problemOf } from "../components/form.tsx";
import { Redirect } from "../components/states.tsx";
import { ownPath, withTexts } from "../lib/browser.ts";
import {
  isCodeNeeded,
  isCodeWrong,
  isPasswordWrong,
  type Session,
  setSession,
  signIn,
} from "../lib/session.ts";

/** Returns to the page that required the session. */
export function SignInPage({ session }: { session: Session }) {
  const { query } = useLocation();
  if (session.state === "setup") return <Redirect to="/setup" />;
  if (session.state === "signed-in") return <Redirect to={ownPath(query.next)} />;
  return (
    <Doorway title="Sign in" insecure={session.insecure}>
      <SignIn />
    </Doorway>
  );
}

type SignInProps = { email?: string };

export function SignIn({ email = "" }: SignInProps) {
  const client = useQueryClient();
  const [given, setGiven] = useState({ email, password: "" });
  const [isAskingCode, setAskingCode] = useState(false);
  const entry = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => setSession(client, session),
    onError: (error) =>
      setAskingCode((asked) => isCodeNeeded(error) || (asked && !isPasswordWrong(error))),
  });
  const { error, isPending } = entry;
  const start = (answers: typeof given) => {
    setGiven(answers);
    entry.mutate(answers);
  };
  const back = () => {
    entry.reset();
    setAskingCode(false);
  };
  if (!isAskingCode)
    return <PasswordStep email={given.email} error={error} busy={isPending} onSubmit={start} />;
  return (
    <CodeStep
      email={given.email}
      error={error}
      busy={isPending}
      onSubmit={(code) => entry.mutate({ ...given, code })}
      onSwitch={entry.reset}
      onBack={back}
    />
  );
}

/** Covers the page after the session has ended, so that unsaved input is kept. */
export function SessionOver({ email }: { email: string }) {
  const { url } = useLocation();
  return (
    <Cover title="Sign in">
      <p class="lead">Your session has ended. Sign in again to continue.</p>
      <SignIn email={email} />
      <p class="hint">
        <a href={`/sign-in?next=${encodeURIComponent(url)}`}>Sign in as someone else</a>, and
        discard unsaved changes.
      </p>
    </Cover>
  );
}

type Answers = { email: string; password: string };

type StepProps<T> = { error: Error | null; busy: boolean; onSubmit: (given: T) => void };

function PasswordStep({ email, error, busy, onSubmit }: StepProps<Answers> & { email: string }) {
  const submit = withTexts(["email", "password"], onSubmit);
  return (
    <form class="sign-in" onSubmit={submit}>
      <EmailField problem={problemOf(error, "email")} defaultValue={email} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        problem={problemOf(error, "password")}
      />
      <button type="submit" class="primary" disabled={busy}>
        Sign in
      </button>
      <Problem error={isCodeNeeded(error) ? null : error} fields={["email", "password"]} />
      <p class="hint">
        Lost your password? On the server, <code>stillup user reset-password</code> prints a
        one-time link.
      </p>
    </form>
  );
}

type CodeStepProps = StepProps<string> & {
  email: string;
  /** Clears the error of the other kind of code. */
  onSwitch: () => void;
  onBack: () => void;
};

function CodeStep({ email, error, busy, onSubmit, onSwitch, onBack }: CodeStepProps) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const submit = withTexts(["code"], ({ code }) => onSubmit(code));
  const change = () => {
    setKind(kind === "app" ? "recovery" : "app");
    onSwitch();
  };
  const wrong = isCodeWrong(error) ? error?.message : problemOf(error, "code");
  const otherError = isCodeNeeded(error) || isCodeWrong(error) ? null : error;
  return (
    <form class="sign-in" onSubmit={submit}>
      <p class="lead url">Signing in as {email}</p>
      <CodeField key={kind} kind={kind} problem={wrong} isNext />
      <button type="submit" class="primary" disabled={busy}>
        Sign in
      </button>
      <Problem error={otherError} fields={["code"]} />
      <p class="ways">
        <button type="button" class="plain" onClick={change}>
          {kind === "app" ? "Use a recovery code" : "Use the app's code"}
        </button>
        <button type="button" class="plain" onClick={onBack}>
          Back
        </button>
      </p>
    </form>
  );
}
