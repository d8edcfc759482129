import { useMutation, useQueryClient } from "@tanstack/preact-query";
import type { ComponentProps } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useTokenOfLink } from "../data/browser.ts";
import {
  isCodeNeeded,
  keepFirstKey,
  type Session,
  setPassword,
  setSession,
  setUp,
  subscribeToSummary,
} from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, PasswordField, TextField, textsIn } from "../ui/field.tsx";
import { Redirect } from "../ui/loaded.tsx";
import { ProviderButton } from "../ui/provider.tsx";
import { CodeField, PASSWORD_RULE } from "../ui/secrets.tsx";
import { Door, EmailField } from "./sign-in.tsx";

type PageProps = { session: Session };

/** Creates the owner account, and asks for the first links. */
export function SetupPage({ session }: PageProps) {
  const client = useQueryClient();
  const { route } = useLocation();
  const token = useTokenOfLink();
  const [asked, setAsked] = useState<AskedFor | null>(null);
  const account = useMutation({
    mutationFn: ({ wantsSummary: _, ...answers }: Answers) => setUp(answers),
    onSuccess: async ({ key, ...signedIn }, { email, wantsSummary }) => {
      keepFirstKey(client, key);
      // Set-up has succeeded in any case; the alert can be created later.
      const asking = wantsSummary ? subscribeToSummary(email) : Promise.resolve();
      const problem = await asking.then(
        () => null,
        ({ message }: Error) => message,
      );
      // The session of the new account would lead on.
      if (wantsSummary) setAsked({ email, problem });
      await setSession(client, signedIn);
      if (!wantsSummary) route("/?add", true);
    },
  });
  if (asked) return <Asked {...asked} insecure={session.insecure} />;
  // The session of the new account leads to the first links.
  if (session.state !== "setup" && !account.isSuccess) return <Redirect to="/" />;
  const { oidc } = session;
  if (oidc?.only) {
    return (
      <Door title="Set up Stillup" insecure={session.insecure}>
        <p class="door-lead">
          {token
            ? `Sign in with ${oidc.name} to become the owner.`
            : "Open the link that the server printed when it started."}
        </p>
        {token && <ProviderButton oidc={oidc} visit={{ purpose: "setup", token }} primary />}
      </Door>
    );
  }
  return (
    <Door title="Set up Stillup" insecure={session.insecure}>
      <p class="door-lead">Create the owner account.</p>
      {oidc && token && <ByProvider oidc={oidc} visit={{ purpose: "setup", token }} />}
      <Form
        onSubmit={(form) =>
          account.mutate({
            ...textsIn(form, "token", "email", "password"),
            wantsSummary: form.has("summary"),
          })
        }
        error={account.error}
      >
        <TextField
          key={token}
          label="Set-up token"
          name="token"
          class="code"
          required
          defaultValue={token}
          autoComplete="off"
          spellcheck={false}
          hint="Printed when the server started, and in the file setup-token of its data folder."
        />
        <EmailField />
        <PasswordField label="Password" required autoComplete="new-password" hint={PASSWORD_RULE} />
        {session.sends_mail && (
          <CheckField label="Mail me a summary every Monday" name="summary" defaultChecked />
        )}
        <Button type="submit" primary busy={account.isPending}>
          Create account
        </Button>
      </Form>
    </Door>
  );
}

/** `problem` is why no message was sent. */
type AskedFor = { email: string; problem: string | null };

/** Says that the summary needs a confirmation. */
const Asked = ({ email, problem, insecure }: AskedFor & { insecure: boolean }) => (
  <Door title="Your account is ready" insecure={insecure}>
    <p class="door-lead" role="status">
      {problem === null
        ? `A message with a link to confirm was sent to ${email}. The summaries begin once you follow it.`
        : `The summary is not turned on: ${problem} You can create it under Alerts.`}
    </p>
    <Button primary href="/?add">
      Add your first links
    </Button>
  </Door>
);

type Answers = Parameters<typeof setUp>[0] & { wantsSummary: boolean };

type Words = { title: string; lead: string; label: string; action: string; done: string };

const RESET: Words = {
  title: "Set a new password",
  lead: "This signs you out everywhere else.",
  label: "New password",
  action: "Set password",
  done: "Your new password is active, and all earlier sessions have ended.",
};

const INVITATION: Words = {
  title: "Join Stillup",
  lead: "Create your password to join.",
  label: "Password",
  action: "Create password",
  done: "From now on, sign in with your e-mail address and this password.",
};

/** The target of the one-time link for a lost password. */
export const PasswordPage = (props: PageProps) => <ByLink {...props} words={RESET} />;

/** The target of the one-time link for a new person. */
export const InvitationPage = (props: PageProps) => <ByLink {...props} words={INVITATION} />;

function ByLink({ session, words }: PageProps & { words: Words }) {
  const client = useQueryClient();
  const token = useTokenOfLink();
  const change = useMutation({
    mutationFn: setPassword,
    onSuccess: (signedIn) => setSession(client, signedIn),
  });
  const { error } = change;
  const isCodeAsked = useWasTrue(isCodeNeeded(error));
  if (change.isSuccess) {
    return (
      <Door title="You are signed in" insecure={session.insecure}>
        <p class="door-lead" role="status">
          {words.done}
        </p>
        <Button primary href="/">
          Go to the overview
        </Button>
      </Door>
    );
  }
  const submit = (form: FormData) => {
    const { code, ...answers } = textsIn(form, "token", "password", "code");
    change.mutate({ ...answers, ...(token && { token }), ...(code && { code }) });
  };
  const { oidc } = session;
  if (oidc?.only && words === INVITATION && token) {
    return (
      <Door title={words.title} insecure={session.insecure}>
        <p class="door-lead">Sign in with {oidc.name} to join.</p>
        <ProviderButton oidc={oidc} visit={{ purpose: "invite", token }} primary />
      </Door>
    );
  }
  if (oidc?.only && token) {
    return (
      <Door title="Sign in" insecure={session.insecure}>
        <p class="door-lead">This link signs you in once, without {oidc.name}.</p>
        <Form onSubmit={submit} error={isCodeNeeded(error) ? null : error}>
          {isCodeAsked && <CodeField kind="either" isNext />}
          <Button type="submit" primary busy={change.isPending}>
            Sign in
          </Button>
        </Form>
      </Door>
    );
  }
  return (
    <Door title={words.title} insecure={session.insecure}>
      <p class="door-lead">
        {oidc && words === INVITATION ? `Join with ${oidc.name} or with a password.` : words.lead}
      </p>
      {oidc && token && words === INVITATION && (
        <ByProvider oidc={oidc} visit={{ purpose: "invite", token }} />
      )}
      <Form onSubmit={submit} error={isCodeNeeded(error) ? null : error}>
        {!token && (
          <TextField
            label="Token of the link"
            name="token"
            class="code"
            required
            autoComplete="off"
            hint="Open the one-time link as a whole, or paste what follows token= in it."
          />
        )}
        <PasswordField
          label={words.label}
          required
          autoComplete="new-password"
          hint={PASSWORD_RULE}
        />
        {isCodeAsked && <CodeField kind="either" isNext />}
        <Button type="submit" primary busy={change.isPending}>
          {words.action}
        </Button>
      </Form>
    </Door>
  );
}

/** Instead of a password. */
const ByProvider = (props: ComponentProps<typeof ProviderButton>) => (
  <>
    <ProviderButton {...props} />
    <p class="or">or</p>
  </>
);

/** Whether the value is or was true: an error disappears on retry, but the field it requested stays. */
function useWasTrue(is: boolean): boolean {
  const [was, setWas] = useState(false);
  useEffect(() => {
    if (is) setWas(true);
  }, [is]);
  return is || was;
}
