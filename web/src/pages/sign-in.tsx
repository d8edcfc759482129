import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useLocation } from "preact-iso";
import { Doorway } from "../components/doorway.tsx";
import { EmailField, PasswordField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { Redirect } from "../components/redirect.tsx";
import { textsOf } from "../lib/form.ts";
import { ownPath } from "../lib/outside.ts";
import { SESSION, type Session, signIn } from "../lib/session.ts";

/** Leads back to where the user wanted to go. */
export function SignInPage({ session }: { session: Session }) {
  const { query } = useLocation();
  if (session.state === "setup") return <Redirect to="/setup" />;
  if (session.state === "signed-in") return <Redirect to={ownPath(query.next)} />;
  return (
    <Doorway title="Sign in" insecure={session.insecure}>
      <SignInForm />
    </Doorway>
  );
}

function SignInForm() {
  const client = useQueryClient();
  const entry = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => client.setQueryData(SESSION, session),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    entry.mutate(textsOf(event, ["email", "password"]));
  };
  return (
    <form onSubmit={submit}>
      <EmailField problem={problemOf(entry.error, "email")} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        problem={problemOf(entry.error, "password")}
      />
      <Problem error={entry.error} fields={["email", "password"]} />
      <button type="submit" class="primary" disabled={entry.isPending}>
        Sign in
      </button>
      <p class="hint">
        Lost your password? On the server, <code>stillup user reset-password</code> prints a
        one-time link.
      </p>
    </form>
  );
}
