import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Doorway } from "../components/doorway.tsx";
import { Redirect } from "../components/redirect.tsx";
import { CodeStep, PasswordStep } from "../components/sign-in-steps.tsx";
import { ownPath } from "../lib/outside.ts";
import { isCodeNeeded, isPasswordWrong, type Session, setSession, signIn } from "../lib/session.ts";

/** Leads back to where the user wanted to go. */
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

/** The password first, and then a code if the server wants one. */
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
