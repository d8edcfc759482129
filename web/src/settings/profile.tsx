import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { LogOut, UserRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, complete, unwrap } from "../data/api.ts";
import { withBase } from "../data/base.ts";
import { counted, many, startUpper } from "../data/format.ts";
import { setSession, useSession, useSignOut, useUser } from "../data/session.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { areKeysOn, switchKeys } from "../frame/keys.ts";
import { ThemeSeg } from "../frame/navigation.tsx";
import { useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, PasswordField, TextField, textsIn } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { isProved, ProofFields, ProviderButton, ProviderProblem } from "../ui/provider.tsx";
import { PASSWORD_RULE, SHORTER_RULE } from "../ui/secrets.tsx";
import { Heading } from "../ui/section.tsx";
import { Panel, Setting } from "./parts.tsx";
import { ACCOUNT, type Account, peopleLose, useAccount, usePeople } from "./queries.ts";
import type { Section } from "./settings.tsx";
import { SingleSignOn } from "./single-sign-on.tsx";

export const section: Section = { part: "You", place: 1, name: "Profile", icon: UserRound };

/** The signed-in user, their password and preferences, and what the account uses. */
export default function ProfileSection() {
  const account = useAccount();
  const session = useSession();
  const { role } = useUser();
  return (
    <>
      <Heading title="Profile" />
      <You account={account.data} />
      <Preferences />
      <ProviderProblem oidc={session.data?.oidc ?? null} />
      {session.data?.oidc && <SingleSignOn session={session.data} />}
      {!session.data?.oidc?.only && <Password />}
      <Panel title="Usage" hint="Of the whole account. Days and months are in UTC.">
        <Loaded query={account}>{(known) => <Usage account={known} />}</Loaded>
      </Panel>
      {role === "owner" && <DeletionPanel account={account.data} />}
    </>
  );
}

const ROLE_WORDS = {
  owner: "Full access",
  editor: "Can change links, groups, alerts and API keys",
  viewer: "Read-only",
};

/** Dashes keep the place of the account until it is loaded. */
function You({ account }: { account: Account | undefined }) {
  const { email, role } = useUser();
  const signOut = useSignOut();
  const leave = (
    <Button icon={LogOut} onClick={signOut}>
      Sign out
    </Button>
  );
  return (
    <Panel title="You" action={leave}>
      <Setting label="E-mail">{email}</Setting>
      <Setting label="Role" hint={ROLE_WORDS[role]}>
        {startUpper(role)}
      </Setting>
      <Setting label="Account" hint={account ? `${startUpper(account.tier)} tier` : "…"}>
        {account?.email ?? "…"}
      </Setting>
      <Setting label="Created">{account ? <Moment at={account.createdAt} /> : "…"}</Setting>
    </Panel>
  );
}

function Preferences() {
  const [isOn, setOn] = useState(areKeysOn);
  return (
    <Panel title="This browser">
      <Setting label="Theme">
        <ThemeSeg />
      </Setting>
      <Setting label="Keyboard" hint="Turn this off if you use speech input. ? lists all keys.">
        <CheckField
          label="Single-key shortcuts"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            switchKeys(checked);
            setOn(checked);
          }}
        />
      </Setting>
    </Panel>
  );
}

function Password() {
  const toast = useToast();
  const client = useQueryClient();
  const user = useUser();
  const { email, two_factor: hasCode, has_password: hasPassword } = user;
  const { oidc } = useSession().data ?? {};
  // A new key empties the form.
  const [round, setRound] = useState(0);
  const change = useMutation({
    mutationFn: (answers: { current: string; new: string }) =>
      unwrap(api.session.password.patch(answers)),
    onSuccess: async (session) => {
      toast("Your password was changed. You are signed out everywhere else.");
      setRound((last) => last + 1);
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  const isWithout = oidc && !hasPassword;
  if (isWithout && !isProved(user)) {
    const again = `Sign in again with ${oidc.name}`;
    return (
      <Panel title="Password">
        <Setting label="You have no password" hint={`${again} to set one.`}>
          <ProviderButton oidc={oidc} visit={{ purpose: "prove", to: "/settings/profile" }}>
            {again}
          </ProviderButton>
        </Setting>
      </Panel>
    );
  }
  return (
    <Panel title="Password" hint="This signs you out everywhere else.">
      <Form
        key={round}
        error={change.error}
        onSubmit={(form) => change.mutate(textsIn(form, "current", "new"))}
      >
        {/* Lets password managers find the account. */}
        <input type="hidden" name="email" autoComplete="username" value={email} />
        <div class="setting-fields">
          {!isWithout && (
            <PasswordField
              label="Current password"
              name="current"
              required
              autoComplete="current-password"
            />
          )}
          <PasswordField
            label="New password"
            name="new"
            required
            autoComplete="new-password"
            hint={hasCode ? SHORTER_RULE : PASSWORD_RULE}
          />
        </div>
        <p class="form-foot">
          <Button type="submit" busy={change.isPending}>
            {isWithout ? "Set password" : "Change password"}
          </Button>
        </p>
      </Form>
    </Panel>
  );
}

function Usage({ account: { limits, usage, counts } }: { account: Account }) {
  const { requests, checks } = usage;
  return (
    <>
      <Allowance name="Links" used={limits.linksUsed} limit={limits.links} />
      <Allowance name="API keys" used={counts.apiKeys} limit={limits.apiKeys} />
      <Allowance name="Alerts" used={counts.webhooks} limit={limits.webhooks} />
      <Setting label="Requests with an API key">
        {many(requests.today)} today, {many(requests.thisMonth)} this month, {many(requests.total)}{" "}
        total
      </Setting>
      <Setting label="Checks">
        {many(checks.thisMonth)} this month, {checks.lastCheck ? "last " : "none yet"}
        {checks.lastCheck && <Moment at={checks.lastCheck} />}
      </Setting>
    </>
  );
}

function Allowance({ name, used, limit }: { name: string; used: number; limit: number }) {
  const { look, remark } = stateOf(used, limit);
  return (
    <Setting label={name} hint={remark}>
      <span class="allowance">
        {many(used)} of {many(limit)}
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width="100" height="1" />
          <rect class={look} width={shareOf(used, limit) * 100} height="1" />
        </svg>
      </span>
    </Setting>
  );
}

/** From this share of a limit on, a warning shows. */
const NEAR = 0.9;

/** How much of a limit is used, and what is to be said about it. */
function stateOf(used: number, limit: number): { look: string; remark?: string } {
  if (used > limit) {
    const over = `${many(used - limit)} over the limit.`;
    return { look: "over", remark: `${over} They keep working, but no more can be added.` };
  }
  if (limit === 0) return { look: "none", remark: "Not included in this tier." };
  if (used === limit) return { look: "full", remark: "Limit reached." };
  if (used < limit * NEAR) return { look: "fine" };
  return { look: "near", remark: `${many(limit - used)} left.` };
}

/** Even one of a million stays visible. */
function shareOf(used: number, limit: number): number {
  if (used === 0) return 0;
  return limit === 0 ? 1 : Math.min(Math.max(used / limit, 0.006), 1);
}

function DeletionPanel({ account }: { account: Account | undefined }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel title="Delete the account">
      <Setting
        label="Delete everything in it, for everyone"
        hint="Links, history, groups, alerts, keys and people. This cannot be undone."
      >
        <Button danger disabled={!account} onClick={() => setAsking(true)}>
          Delete the account
        </Button>
      </Setting>
      {isAsking && account && <DeleteAccount account={account} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function DeleteAccount({ account, onClose }: Closable & { account: Account }) {
  const user = useUser();
  const session = useSession();
  const people = usePeople();
  const isReady = !user.proves_at_provider || isProved(user);
  const send = async (form: FormData) => {
    const answers = textsIn(form, "email", "password");
    const code = user.two_factor && textsIn(form, "code");
    await complete(api.account.delete({ ...answers, ...code }));
    leave();
  };
  return (
    <Ask
      title="Delete the account?"
      action="Delete the account"
      danger
      isDisabled={!isReady}
      send={send}
      onClose={onClose}
    >
      <p>
        This deletes {counted(account.limits.linksUsed, "link")} with their history,{" "}
        {counted(account.counts.apiKeys, "API key")}{" "}
        {account.counts.apiKeys === 1 ? "stops" : "stop"} working, and{" "}
        {peopleLose(people.data?.items.length ?? 1)} access. This cannot be undone.
      </p>
      <TextField
        label={`Type ${account.email} to confirm`}
        name="email"
        autoComplete="off"
        required
      />
      <ProofFields session={session.data} />
    </Ask>
  );
}

/** A new document has no data of the account in memory. */
function leave() {
  sessionStorage.clear();
  location.assign(withBase("/sign-in"));
}
