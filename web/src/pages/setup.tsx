import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { ErrorBoundary, useLocation } from "preact-iso";
import { Doorway } from "../components/doorway.tsx";
import { EmailField, PasswordField, Problem, problemOf, TextField } from "../components/form.tsx";
import { Secret } from "../components/secret.tsx";
import { Redirect } from "../components/states.tsx";
import { useTokenOfLink, withTexts } from "../lib/browser.ts";
import { SESSION, type Session, setUp } from "../lib/session.ts";
import { lazyPage } from "./missing-page.tsx";
import { PASSWORD_RULE } from "./password.tsx";

const FirstLinksPage = lazyPage(() =>
  import("./first-links.tsx").then((page) => page.FirstLinksPage),
);

/** Creates the first account, shows its first API key until it is dismissed, and then asks for the first links. */
export function SetupPage({ session }: { session: Session }) {
  const { query } = useLocation();
  const [key, setKey] = useState<string | null>(null);
  if (query.step === "links") {
    return (
      <ErrorBoundary>
        <FirstLinksPage session={session} />
      </ErrorBoundary>
    );
  }
  if (key) return <FirstKey value={key} insecure={session.insecure} />;
  if (session.state !== "setup") return <Redirect to="/" />;
  return (
    <Doorway title="Set up Stillup" insecure={session.insecure}>
      <p class="lead">Create the first account. It owns this installation.</p>
      <SetupForm onDone={setKey} />
    </Doorway>
  );
}

function SetupForm({ onDone }: { onDone: (key: string) => void }) {
  const token = useTokenOfLink();
  const account = useMutation({ mutationFn: setUp, onSuccess: ({ key }) => onDone(key) });
  const { error } = account;
  const submit = withTexts(["token", "email", "password"], account.mutate);
  return (
    <form onSubmit={submit}>
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
        problem={problemOf(error, "token")}
      />
      <EmailField problem={problemOf(error, "email")} />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        hint={PASSWORD_RULE}
        problem={problemOf(error, "password")}
      />
      <Problem error={error} fields={["token", "email", "password"]} />
      <button type="submit" class="primary" disabled={account.isPending}>
        Create account
      </button>
    </form>
  );
}

function FirstKey({ value, insecure }: { value: string; insecure: boolean }) {
  const { route } = useLocation();
  const client = useQueryClient();
  const go = async () => {
    await client.refetchQueries({ queryKey: SESSION });
    route("/setup?step=links", true);
  };
  return (
    <Doorway title="Your first API key" insecure={insecure}>
      <p class="lead">
        Your account is created and you are signed in. Use this key to call the API.
      </p>
      <Secret value={value} />
      <button type="button" class="primary" onClick={go}>
        I have copied it
      </button>
    </Doorway>
  );
}
