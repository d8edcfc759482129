import { useMutation, useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ownPath, useTitle } from "../data/browser.ts";
import {
  isCodeNeeded,
  isPasswordWrong,
  type Session,
  setSession,
  signIn,
  useSession,
} from "../data/session.ts";
import { Insecure, Mark } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";
import { Form, PasswordField, TextField, textsIn } from "../ui/field.tsx";
import { Redirect } from "../ui/loaded.tsx";
import { Cover } from "../ui/overlay.tsx";
import { ProviderButton, ProviderProblem } from "../ui/provider.tsx";
import { CodeField } from "../ui/secrets.tsx";
import "./doors.css";

type DoorProps = {
  title: string;
  insecure: boolean;
  /** The content has its own heading. */
  bare?: boolean;
  children: ComponentChildren;
};

/** The page of someone without a session: set-up, sign-in, password. */
export function Door({ title, insecure, bare, children }: DoorProps) {
  useTitle(title);
  return (
    <div class="door">
      <header class="brand">
        <Mark />
        <span>Stillup</span>
      </header>
      <main id="main">
        {insecure && <Insecure />}
        <div class="door-card">
          {!bare && <h1>{title}</h1>}
          {children}
        </div>
      </main>
    </div>
  );
}

/** Returns to the page that required the session. */
export function SignInPage({ session }: { session: Session }) {
  const { query } = useLocation();
  if (session.state === "setup") return <Redirect to="/setup" />;
  if (session.state === "signed-in") return <Redirect to={ownPath(query.next)} />;
  return (
    <Door title="Sign in" insecure={session.insecure}>
      <ProviderProblem oidc={session.oidc} />
      <Ways session={session} to={ownPath(query.next)} />
    </Door>
  );
}

/** The provider's button, and the password where that is accepted. */
function Ways({ session: { oidc }, to }: { session: Session; to: string }) {
  const { query } = useLocation();
  if (!oidc) return <SignIn />;
  const visit = { purpose: "sign-in" as const, to };
  // After a failure or a sign-out it would lead straight back.
  const isAtOnce = oidc.only && !("problem" in query) && !("signed-out" in query);
  return (
    <>
      <ProviderButton oidc={oidc} visit={visit} primary={oidc.only} isAtOnce={isAtOnce} />
      {!oidc.only && (
        <>
          <p class="or">or</p>
          <SignIn />
        </>
      )}
    </>
  );
}

/** Covers the page after the session has expired, so that unsaved input is kept. */
export function SessionOver({ email }: { email: string }) {
  const { url } = useLocation();
  const oidc = useSession().data?.oidc;
  return (
    <Cover title="Sign in">
      <p class="door-lead">Your session expired. Sign in to continue.</p>
      {oidc && <ProviderButton oidc={oidc} visit={{ purpose: "sign-in", to: url }} />}
      {oidc && !oidc.only && <p class="or">or, to keep unsaved changes</p>}
      {!oidc?.only && <SignIn email={email} />}
      <p class="hint">
        <a href={`/sign-in?next=${encodeURIComponent(url)}`}>Sign in as someone else</a>, and
        discard unsaved changes.
      </p>
    </Cover>
  );
}

/** Asks for the password, and then for a code if there is a second factor. */
function SignIn({ email = "" }: { email?: string }) {
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
  if (!isAskingCode) {
    return <PasswordStep email={given.email} error={error} busy={isPending} onSubmit={start} />;
  }
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

type StepProps<T> = {
  email: string;
  error: Error | null;
  busy: boolean;
  onSubmit: (given: T) => void;
};

function PasswordStep(props: StepProps<{ email: string; password: string }>) {
  const { email, error, busy, onSubmit } = props;
  return (
    <Form
      class="form sign-in"
      onSubmit={(form) => onSubmit(textsIn(form, "email", "password"))}
      error={isCodeNeeded(error) ? null : error}
    >
      <EmailField defaultValue={email} />
      <PasswordField label="Password" required autoComplete="current-password" />
      <Button type="submit" primary busy={busy}>
        Sign in
      </Button>
      <LostPassword />
    </Form>
  );
}

function LostPassword() {
  const session = useSession();
  return (
    <p class="hint">
      {session.data?.sends_mail ? (
        <a href="/forgot">Forgot your password?</a>
      ) : (
        <>
          Lost your password? On the server, <code>stillup user reset-password</code> prints a
          one-time link.
        </>
      )}
    </p>
  );
}

type CodeStepProps = StepProps<string> & {
  /** Clears the error of the other kind of code. */
  onSwitch: () => void;
  onBack: () => void;
};

function CodeStep({ email, error, busy, onSubmit, onSwitch, onBack }: CodeStepProps) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const change = () => {
    setKind(kind === "app" ? "recovery" : "app");
    onSwitch();
  };
  return (
    <Form
      class="form sign-in"
      onSubmit={(form) => onSubmit(textsIn(form, "code").code)}
      error={isCodeNeeded(error) ? null : error}
    >
      <p class="door-lead">Signing in as {email}</p>
      <CodeField key={kind} kind={kind} isNext />
      <Button type="submit" primary busy={busy}>
        Sign in
      </Button>
      <p class="door-ways">
        <Button quiet onClick={change}>
          {kind === "app" ? "Use a recovery code" : "Use the app's code"}
        </Button>
        <Button quiet onClick={onBack}>
          Back
        </Button>
      </p>
    </Form>
  );
}

/** The name that a person signs in with. */
export const EmailField = ({ defaultValue }: { defaultValue?: string }) => (
  <TextField
    label="E-mail"
    type="email"
    name="email"
    required
    autoComplete="username"
    {...(defaultValue && { defaultValue })}
  />
);
