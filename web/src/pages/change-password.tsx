import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { PasswordField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { Section } from "../components/section.tsx";
import { ACCOUNT, changePassword } from "../lib/account.ts";
import { textsOf } from "../lib/form.ts";
import { setSession, useUser } from "../lib/session.ts";
import { PASSWORD_RULE, SHORTER_RULE } from "./password.tsx";

export function PasswordSection() {
  const say = useSay();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { email, two_factor: hasCode } = useUser();
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: async (session) => {
      say("The password was changed, and every other session has ended.");
      form.current?.reset();
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(textsOf(event, ["current", "new"]));
  };
  const { error } = change;
  return (
    <Section title="Password" about="Changing it ends every session but this one.">
      <form ref={form} onSubmit={submit}>
        {/* For password managers, which would not know whose password it is. */}
        <input type="hidden" name="email" autoComplete="username" value={email} />
        <PasswordField
          label="Present password"
          name="current"
          autoComplete="current-password"
          problem={problemOf(error, "current")}
        />
        <PasswordField
          label="New password"
          name="new"
          autoComplete="new-password"
          hint={hasCode ? SHORTER_RULE : PASSWORD_RULE}
          problem={problemOf(error, "new")}
        />
        <Problem error={error} fields={["current", "new"]} />
        <p class="actions">
          <button type="submit" disabled={change.isPending}>
            Change password
          </button>
        </p>
      </form>
    </Section>
  );
}
