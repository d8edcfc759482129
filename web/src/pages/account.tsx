import { ExternalLink } from "lucide-preact";
import { Section } from "../components/section.tsx";
import { Loaded } from "../components/states.tsx";
import { Usage } from "../components/usage.tsx";
import { Who } from "../components/who.tsx";
import { useAccount } from "../lib/account.ts";
import { useUser } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { PasswordSection } from "./change-password.tsx";
import { DeleteAccountSection } from "./delete-account.tsx";
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
  <Section title="For programs" about="Whatever this dashboard does, a program can do as well.">
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
        <p class="hint">The same for machines: makes clients, and fills API tools.</p>
      </li>
      <li>
        <a href="/keys">API keys</a>
        <p class="hint">What programs sign in with.</p>
      </li>
    </ul>
  </Section>
);
