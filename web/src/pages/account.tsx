import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { ExternalLink } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import { Section, Usage, Who } from "../components/account-sections.tsx";
import { Dialog } from "../components/dialog.tsx";
import {
  CodeField,
  FormFooter,
  PasswordField,
  Problem,
  problemOf,
  TextField,
} from "../components/form.tsx";
import { Loaded } from "../components/states.tsx";
import { useToast } from "../components/toast.tsx";
import {
  ACCOUNT,
  type Account,
  changePassword,
  deleteOwnAccount,
  peopleLose,
  useAccount,
  usePeople,
} from "../lib/account.ts";
import { useTitle, withTexts } from "../lib/browser.ts";
import { counted } from "../lib/format.ts";
import { setSession, useUser } from "../lib/session.ts";
import { PASSWORD_RULE, SHORTER_RULE } from "./password.tsx";
import { SessionsSection } from "./sessions.tsx";
import { TwoFactorSection } from "./two-factor.tsx";

export function AccountPage() {
  useTitle("Account");
  const user = useUser();
  const account = useAccount();
  return (
    <>
      <h1>Account</h1>
      <div class="matters">
        <Section title="You">
          <Who user={user} account={account.data} />
        </Section>
        <Section
          title="Usage"
          about="Everything that belongs to the account, no matter who created it."
        >
          <div class="usage">
            <Loaded query={account}>{(known) => <Usage account={known} />}</Loaded>
          </div>
        </Section>
        <PasswordSection />
        <TwoFactorSection />
        <SessionsSection />
        <ApiSection />
        {user.role === "owner" && <DeleteAccountSection account={account.data} />}
      </div>
    </>
  );
}

const ApiSection = () => (
  <Section title="For programs" about="Programs can do everything that this dashboard does.">
    <ul class="references">
      <li>
        <a href="/docs" target="_blank" rel="noopener">
          API reference
          <ExternalLink aria-label="opens in a new tab" />
        </a>
        <p class="hint">Every request with its fields, errors and examples.</p>
      </li>
      <li>
        <a href="/openapi.json" target="_blank" rel="noopener">
          openapi.json
          <ExternalLink aria-label="opens in a new tab" />
        </a>
        <p class="hint">For code generators and API clients.</p>
      </li>
      <li>
        <a href="/keys">API keys</a>
        <p class="hint">Programs use them to authenticate.</p>
      </li>
    </ul>
  </Section>
);

function PasswordSection() {
  const toast = useToast();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { email, two_factor: hasCode } = useUser();
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: async (session) => {
      toast("The password was changed, and all other sessions have ended.");
      form.current?.reset();
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  const submit = withTexts(["current", "new"], change.mutate);
  const { error } = change;
  return (
    <Section title="Password" about="Changing it ends all other sessions.">
      <form ref={form} onSubmit={submit}>
        {/* Lets password managers find the account. */}
        <input type="hidden" name="email" autoComplete="username" value={email} />
        <PasswordField
          label="Current password"
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

function DeleteAccountSection({ account }: { account: Account | undefined }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      title="Delete the account"
      about="This deletes everything in it, for everyone. This cannot be undone."
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
  const submit = withTexts(["email", "password", "code"], ({ code, ...answers }) => {
    deletion.mutate({ ...answers, ...(user.two_factor && { code }) });
  });
  return (
    <Dialog title="Delete the account?" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          This deletes {counted(account.limits.linksUsed, "link")} with their history,{" "}
          {keysStop(account.counts.apiKeys)}, and {peopleLose(people.data?.items.length ?? 1)}{" "}
          access. This cannot be undone.
        </p>
        <TextField
          label={`Type ${account.email} to confirm`}
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
        <FormFooter
          action="Delete the account"
          kind="danger"
          busy={deletion.isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** A new document has no data of the account in memory. */
function leave() {
  sessionStorage.clear();
  location.assign("/sign-in");
}

const keysStop = (count: number) =>
  count === 1 ? "1 API key stops working" : `${count} API keys stop working`;
