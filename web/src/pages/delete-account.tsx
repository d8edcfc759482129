import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { CodeField } from "../components/code-field.tsx";
import { Dialog } from "../components/dialog.tsx";
import { PasswordField, TextField } from "../components/field.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { Section } from "../components/section.tsx";
import type { Account } from "../lib/account.ts";
import { textsOf } from "../lib/form.ts";
import { linksGo, peopleLose } from "../lib/losses.ts";
import { deleteOwnAccount, usePeople } from "../lib/people.ts";
import { useUser } from "../lib/session.ts";

/** For owners only. */
export function DeleteAccountSection({ account }: { account: Account | undefined }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      title="Delete the account"
      about="With everything in it, for everybody. This cannot be taken back."
    >
      <p class="actions">
        <button type="button" disabled={!account} onClick={() => setAsking(true)}>
          Delete the account
        </button>
      </p>
      {isAsking && account && <DeleteAccount account={account} onClose={() => setAsking(false)} />}
    </Section>
  );
}

function DeleteAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const user = useUser();
  const people = usePeople();
  const deletion = useMutation({ mutationFn: deleteOwnAccount, onSuccess: leave });
  const { error } = deletion;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { code, ...answers } = textsOf(event, ["email", "password", "code"]);
    deletion.mutate({ ...answers, ...(user.two_factor && { code }) });
  };
  return (
    <Dialog title="Delete the account?" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {linksGo(account.limits.linksUsed)} with their history, {keysStop(account.counts.apiKeys)}
          , and {peopleLose(people.data?.items.length ?? 1)} access. This cannot be taken back.
        </p>
        <TextField
          label={`Type ${account.email} to go on`}
          name="email"
          autoComplete="off"
          required
          problem={problemOf(error, "email")}
        />
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          problem={problemOf(error, "password")}
        />
        {user.two_factor && <CodeField kind="either" problem={problemOf(error, "code")} />}
        <Problem error={error} fields={["email", "password", "code"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={deletion.isPending}>
            Delete the account
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** A new document knows nothing of what was there. */
function leave() {
  sessionStorage.clear();
  location.assign("/sign-in");
}

const keysStop = (count: number) => (count === 1 ? "1 API key stops" : `${count} API keys stop`);
