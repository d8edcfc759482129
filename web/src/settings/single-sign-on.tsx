import { useMutation } from "@tanstack/preact-query";
import { RefreshCw } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, complete, type DataOf } from "../data/api.ts";
import { many, startUpper } from "../data/format.ts";
import {
  checkProvider,
  type ProviderPromises,
  type Session,
  startAtProvider,
  useUser,
} from "../data/session.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Problem, textsIn } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { isProved, ProofFields } from "../ui/provider.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { Known, Panel, Setting, Trouble } from "./parts.tsx";
import { ACCOUNT, useIdentities, useProvider } from "./queries.ts";

type SignInProps = { session: Session };

/** The person's links to the OpenID provider. */
export function SingleSignOn({ session }: SignInProps) {
  const identities = useIdentities();
  const [task, setTask] = useState<"link" | { unlink: string } | null>(null);
  const close = () => setTask(null);
  const { name } = session.oidc!;
  return (
    <Panel title={startUpper(name)}>
      <Loaded query={identities}>
        {({ items }) => (
          <>
            {items.map(({ id, linked_at, last_seen_at }) => (
              <Setting
                key={id}
                label="Linked"
                hint={
                  <>
                    since <Moment at={linked_at} />, last used <Moment at={last_seen_at} />
                  </>
                }
              >
                <Button onClick={() => setTask({ unlink: id })}>Unlink</Button>
              </Setting>
            ))}
            {items.length === 0 && (
              <Setting label="Not linked" hint="Link it to sign in without a password.">
                <Button onClick={() => setTask("link")}>Link</Button>
              </Setting>
            )}
          </>
        )}
      </Loaded>
      {task === "link" && <Link session={session} onClose={close} />}
      {task !== null && task !== "link" && (
        <Unlink id={task.unlink} session={session} onClose={close} />
      )}
    </Panel>
  );
}

function Link({ session, onClose }: Closable & SignInProps) {
  const { two_factor: hasCode } = useUser();
  const { name } = session.oidc!;
  const send = async (form: FormData) => {
    const proof = { ...textsIn(form, "password"), ...(hasCode && textsIn(form, "code")) };
    location.assign(await startAtProvider({ purpose: "link", to: "/settings/profile", ...proof }));
    // Until the page is left.
    await new Promise(() => {});
  };
  return (
    <Ask title={`Link ${name}?`} action="Continue" send={send} onClose={onClose}>
      <p>You sign in there once. After that you can sign in here with {name}.</p>
      <ProofFields session={session} />
    </Ask>
  );
}

function Unlink({ id, session, onClose }: Closable & SignInProps & { id: string }) {
  const user = useUser();
  const { name } = session.oidc!;
  return (
    <Ask
      title={`Unlink ${name}?`}
      action="Unlink"
      danger
      isDisabled={user.proves_at_provider && !isProved(user)}
      send={(form) => {
        const code = user.two_factor && textsIn(form, "code");
        return complete(
          api.session.identities({ id }).delete({ ...textsIn(form, "password"), ...code }),
        );
      }}
      said={`${startUpper(name)} is unlinked.`}
      renews={[ACCOUNT]}
      onClose={onClose}
    >
      <p>You will sign in with your password only.</p>
      <ProofFields session={session} />
    </Ask>
  );
}

type Provider = DataOf<typeof useProvider>;

/** For administrators: the provider of the settings. */
export function ProviderPanel() {
  const provider = useProvider();
  const check = useMutation({ mutationFn: checkProvider });
  const ask = (
    <Button icon={RefreshCw} busy={check.isPending} onClick={() => check.mutate()}>
      Check
    </Button>
  );
  return (
    <Panel title="Single sign-on" hint="Set by STILLUP_OIDC_… when the server starts." action={ask}>
      <Problem error={check.error} />
      {check.data?.problem && (
        <Trouble>
          <b>The provider cannot be used.</b> {check.data.detail}
        </Trouble>
      )}
      <Loaded query={provider}>
        {(known) => <State provider={known} promises={check.data?.promises ?? null} />}
      </Loaded>
    </Panel>
  );
}

function State({ provider, promises }: { provider: Provider; promises: ProviderPromises | null }) {
  const { roles, failed, succeeded_at: succeededAt } = provider;
  const yesNo = (is: boolean) => (is ? "Yes" : "No");
  return (
    <>
      <Known
        facts={[
          ["Name", provider.name],
          ["Issuer", provider.issuer],
          ["Client", provider.client_id],
          ["Passwords", provider.only ? "Off" : "On"],
          ["New people", provider.signs_up ? "Are added" : "Need an invitation"],
          ["People linked", many(provider.people)],
          ["Sign-ins this week", many(provider.sign_ins_of_week)],
          [
            "Last success on this node",
            succeededAt ? <Moment key="success" at={succeededAt} /> : "None yet",
          ],
          [
            "Last failure on this node",
            failed ? (
              <span key="failure">
                {failed.problem.replaceAll("_", " ")}, <Moment at={failed.at} />
              </span>
            ) : (
              "None"
            ),
          ],
          ...(promises
            ? ([
                ["Client ID and secret", promises.client ? "Accepted" : "Not known"],
                ["Keys", `${many(promises.keys)}, ${promises.algorithms.join(", ")}`],
                ["PKCE (S256)", yesNo(promises.pkce)],
                ["Issuer in responses", yesNo(promises.iss)],
                ["Sign-out page", yesNo(promises.logout)],
              ] as [string, string][])
            : []),
        ]}
      />
      <div class="in-place">
        <Copyable label="Redirect URI" value={provider.redirect_uri} />
      </div>
      {roles && (
        <table class="limits">
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">Groups</th>
              <th scope="col">People</th>
            </tr>
          </thead>
          <tbody>
            {roles.map(({ role, groups, people }) => (
              <tr key={role}>
                <th scope="row">{role === "admin" ? "Administrator" : startUpper(role)}</th>
                <td>
                  {groups.map((group) => (group === "*" ? "Everyone" : group)).join(", ") || "–"}
                </td>
                <td>{many(people)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
