import { Building2, Trash2, UserPlus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ROLES, type Role, TIERS, type Tier } from "../../../server/ground/lib/vocabulary.ts";
import { api, complete, unwrap } from "../data/api.ts";
import { counted, many, startUpper } from "../data/format.ts";
import { useUser } from "../data/session.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { Empty, Loaded, Together } from "../ui/loaded.tsx";
import { Menu, Pick } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading } from "../ui/section.tsx";
import { Line, optionsOf, Panel, ShowMore } from "./parts.tsx";
import { Invite, PersonMenu, PersonState } from "./people.tsx";
import {
  ADMIN,
  type AdminAccount,
  type Installation,
  type Person,
  peopleLose,
  useAccounts,
  useInstallation,
} from "./queries.ts";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Server", place: 2, name: "Accounts", icon: Building2 };

/** All accounts with their people, and what their plans allow. */
export default function AccountsSection() {
  const { query, route } = useLocation();
  const search = query.search ?? "";
  const accounts = useAccounts(search);
  const state = useInstallation();
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button icon={UserPlus} onClick={() => setAdding(true)}>
      New account
    </Button>
  );
  return (
    <Together>
      <Heading title="Accounts" action={add}>
        The accounts on this server and the people in them.
      </Heading>
      <search class="search account-search">
        <input
          type="search"
          aria-label="Find by e-mail"
          placeholder="Find by e-mail"
          maxLength={255}
          value={search}
          data-search
          onInput={({ currentTarget: { value } }) => route(hrefOf(value.trim()), true)}
        />
      </search>
      <Loaded query={accounts}>
        {({ items }) => (
          <>
            <ul aria-label="Accounts">
              {items.map((account) => (
                <AccountItem key={account.id} account={account} />
              ))}
            </ul>
            {items.length === 0 && <Empty title="No matching accounts" />}
          </>
        )}
      </Loaded>
      <ShowMore query={accounts} />
      <Panel title="Plans and limits">
        <Loaded query={state}>{({ tiers }) => <Tiers tiers={tiers} />}</Loaded>
      </Panel>
      <p class="hint below">
        Set by <code>STILLUP_TIER_LIMITS</code> when the server starts. New accounts get the plan in{" "}
        <code>STILLUP_DEFAULT_TIER</code>.
      </p>
      {isAdding && (
        <Invite<Tier>
          title="New account"
          choice={{ label: "Plan", name: "tier", options: TIERS, first: "business" }}
          invite={(email, tier) => unwrap(api.admin.accounts.post({ email, tier }))}
          list={ADMIN}
          onClose={() => setAdding(false)}
        />
      )}
    </Together>
  );
}

const ACCOUNTS = "/settings/accounts";

const hrefOf = (search: string) =>
  search ? `${ACCOUNTS}?${new URLSearchParams({ search })}` : ACCOUNTS;

const Tiers = ({ tiers }: { tiers: Installation["tiers"] }) => (
  <table class="limits">
    <thead>
      <tr>
        {["Plan", "Links", "API keys", "Alerts", "API"].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {tiers.map(({ tier, links, api_keys, webhooks, api }) => (
        <tr key={tier}>
          <th scope="row">{startUpper(tier)}</th>
          <td>{many(links)}</td>
          <td>{many(api_keys)}</td>
          <td>{many(webhooks)}</td>
          <td>{api ? "Yes" : "No"}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

function AccountItem({ account }: { account: AdminAccount }) {
  const { id, email, users } = account;
  const { email: ownEmail } = useUser();
  const [task, setTask] = useState<"invite" | "delete" | null>(null);
  const isOwn = users.some((user) => user.email === ownEmail);
  return (
    <li class="panel account-lines">
      <header>
        <div>
          <h2>{email}</h2>
          <p class="hint">
            {counted(account.links_used, "link")}, since <Moment at={account.created_at} day />
          </p>
        </div>
        <TierPick account={account} />
        <Button icon={UserPlus} onClick={() => setTask("invite")}>
          Add someone
        </Button>
        {!isOwn && (
          <Menu
            label={`More for the account ${email}`}
            items={[
              {
                label: "Delete account",
                icon: Trash2,
                danger: true,
                onSelect: () => setTask("delete"),
              },
            ]}
          />
        )}
      </header>
      <ul class="lines" aria-label={`People of ${email}`}>
        {users.map((person) => (
          <PersonLine key={person.id} person={person} isSelf={person.email === ownEmail} />
        ))}
      </ul>
      {task === "delete" && <DeleteAccount account={account} onClose={() => setTask(null)} />}
      {task === "invite" && (
        <Invite<Role>
          title={`Add someone to ${email}`}
          choice={{ label: "Role", name: "role", options: ROLES, first: "editor" }}
          invite={(email, role) => unwrap(api.admin.accounts({ id }).users.post({ email, role }))}
          list={ADMIN}
          onClose={() => setTask(null)}
        />
      )}
    </li>
  );
}

function TierPick({ account: { id, email, tier } }: { account: AdminAccount }) {
  const changeTo = (next: Tier) => unwrap(api.admin.accounts({ id }).patch({ tier: next }));
  const change = useSave({
    change: changeTo,
    said: (_, next) => `${email} has the ${next} plan now.`,
    undo: () => changeTo(tier),
    renews: [ADMIN],
  });
  return (
    <Pick<Tier>
      label={`Plan of ${email}`}
      button={startUpper(tier)}
      value={tier}
      options={optionsOf(TIERS)}
      onPick={(next) => next !== tier && change.mutate(next)}
    />
  );
}

/** Users cannot remove their own rights. */
function PersonLine({ person, isSelf }: { person: Person; isSelf: boolean }) {
  const { id, email, role, is_admin } = person;
  const user = api.admin.users({ id });
  const send = (access: { role?: Role; is_admin?: boolean }) => unwrap(user.patch(access));
  const change = useSave({
    change: send,
    said: `${email}: saved.`,
    undo: (some) => send("role" in some ? { role } : { is_admin }),
    renews: [ADMIN],
  });
  return (
    <Line title={email} hint={<PersonState person={person} />}>
      <CheckField
        label={
          <>
            Administrator<span class="unseen">: {email}</span>
          </>
        }
        checked={is_admin}
        disabled={isSelf}
        onChange={({ currentTarget }) => change.mutate({ is_admin: currentTarget.checked })}
      />
      <Pick<Role>
        label={`Role of ${email}`}
        button={startUpper(role)}
        value={role}
        options={optionsOf(ROLES)}
        onPick={(next) => next !== role && change.mutate({ role: next })}
      />
      <PersonMenu
        person={person}
        makeLink={() => unwrap(user["password-link"].post())}
        remove={!isSelf && ((query) => complete(user.delete(undefined, { query })))}
        list={ADMIN}
      />
    </Line>
  );
}

function DeleteAccount({ account, onClose }: Closable & { account: AdminAccount }) {
  const { id, email, links_used, users } = account;
  const [typed, setTyped] = useState("");
  return (
    <Ask
      title="Delete this account?"
      action="Delete account"
      danger
      isDisabled={typed !== email}
      send={() => complete(api.admin.accounts({ id }).delete())}
      said={`The account ${email} was deleted.`}
      renews={[ADMIN]}
      onClose={onClose}
    >
      <p>
        This deletes {counted(links_used, "link")} and all history. {peopleLose(users.length)}{" "}
        access. This cannot be undone.
      </p>
      <TextField
        label={`Type ${email} to confirm`}
        autoComplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </Ask>
  );
}
