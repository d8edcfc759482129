import { useState } from "preact/hooks";
import { textsOf } from "../lib/form.ts";
import { isCodeNeeded, isCodeWrong } from "../lib/session.ts";
import { CodeField } from "./code-field.tsx";
import { EmailField, PasswordField } from "./field.tsx";
import { Problem, problemOf } from "./problem.tsx";

type Answers = { email: string; password: string };

type StepProps<T> = { error: Error | null; busy: boolean; onSubmit: (given: T) => void };

/** @param email as it was given before */
export function PasswordStep({
  email,
  error,
  busy,
  onSubmit,
}: StepProps<Answers> & { email: string }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(textsOf(event, ["email", "password"]));
  };
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
  /** The other kind of code is tried: what was wrong with the first no longer matters. */
  onSwitch: () => void;
  onBack: () => void;
};

/** After the right password, where there is a second factor. */
export function CodeStep({ email, error, busy, onSubmit, onSwitch, onBack }: CodeStepProps) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(textsOf(event, ["code"]).code);
  };
  const change = () => {
    setKind(kind === "app" ? "recovery" : "app");
    onSwitch();
  };
  const wrong = isCodeWrong(error) ? error?.message : problemOf(error, "code");
  const told = isCodeNeeded(error) || isCodeWrong(error) ? null : error;
  return (
    <form class="sign-in" onSubmit={submit}>
      <p class="lead url">Signing in as {email}</p>
      <CodeField key={kind} kind={kind} problem={wrong} isNext />
      <button type="submit" class="primary" disabled={busy}>
        Sign in
      </button>
      <Problem error={told} fields={["code"]} />
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
