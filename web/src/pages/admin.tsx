import { Search, UserPlus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountList } from "../components/account-list.tsx";
import { NodeList, Running, Tiers, Troubles } from "../components/installation.tsx";
import { Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useDirectChange } from "../components/use-change.ts";
import {
  ADMIN,
  type AdminAccount,
  changePerson,
  changeTier,
  type Person,
  type Tier,
  useAccounts,
  useInstallation,
  useNodes,
} from "../lib/admin.ts";
import { useTitle, withTexts } from "../lib/browser.ts";
import { pageIn, pageQuery, withQuery } from "../lib/filter.ts";
import { useUser } from "../lib/session.ts";
import { BackupsSection } from "./admin-backups.tsx";
import { type AdminTask, AdminTaskDialog } from "./admin-tasks.tsx";

export function AdminPage() {
  useTitle("Administration");
  const user = useUser();
  const state = useInstallation();
  const nodes = useNodes();
  if (!user.is_admin) {
    return (
      <>
        <h1>Administration</h1>
        <Empty title="This is for administrators">
          <p>Ask an administrator to make you one, here or with `stillup user` on the server.</p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <h1>Administration</h1>
      {state.data && <Troubles troubles={state.data.troubles} />}
      <section>
        <h2>This installation</h2>
        <div class="card running">
          <Loaded query={state}>{(known) => <Running state={known} />}</Loaded>
        </div>
      </section>
      <section>
        <h2>Nodes</h2>
        <div class="card nodes-place">
          <Loaded query={nodes}>{(known) => <NodeList nodes={known} />}</Loaded>
        </div>
      </section>
      <BackupsSection />
      <Accounts />
      <section>
        <h2>Tiers and limits</h2>
        <div class="card tiers-place">
          <Loaded query={state}>{({ tiers }) => <Tiers tiers={tiers} />}</Loaded>
        </div>
        <p class="hint">
          Set by <code>STILLUP_TIER_LIMITS</code> when the server starts. New accounts get the tier
          in <code>STILLUP_DEFAULT_TIER</code>.
        </p>
      </section>
    </>
  );
}

function Accounts() {
  const { query, route } = useLocation();
  const { email: ownEmail } = useUser();
  const [search, page] = [query.search ?? "", pageIn(query)];
  const accounts = useAccounts(search, page);
  const [task, setTask] = useState<AdminTask | null>(null);
  const tier = useTierChange();
  const person = usePersonChange();
  const find = withTexts(["search"], ({ search: wanted }) => {
    route(hrefOf(wanted.trim(), 1));
  });
  return (
    <section>
      <header class="page-head">
        <h2>Accounts and people</h2>
        <button type="button" onClick={() => setTask({ kind: "account" })}>
          <UserPlus aria-hidden="true" />
          New account
        </button>
      </header>
      <search>
        <Search aria-hidden="true" />
        <form class="find" onSubmit={find}>
          <input
            type="search"
            name="search"
            aria-label="Find by e-mail"
            placeholder="Find by e-mail"
            maxLength={255}
            defaultValue={search}
            data-search
          />
          <button type="submit">Find</button>
        </form>
      </search>
      <Loaded query={accounts}>
        {({ items, pagination }) => (
          <>
            {items.length === 0 && <Empty title="No account matches">{null}</Empty>}
            <AccountList
              accounts={items}
              ownEmail={ownEmail}
              onTier={(account, chosen) => tier.mutate({ account, tier: chosen })}
              onAdd={(account) => setTask({ kind: "person", account })}
              onDelete={(account) => setTask({ kind: "delete", account })}
              onRole={(someone, role) => person.mutate({ person: someone, change: { role } })}
              onAdmin={(someone, is_admin) =>
                person.mutate({ person: someone, change: { is_admin } })
              }
              onReset={(someone) => setTask({ kind: "reset", person: someone })}
              onRemove={(someone) => setTask({ kind: "remove", person: someone })}
            />
            <Pager
              pagination={pagination}
              what="accounts"
              hrefOf={(next) => hrefOf(search, next)}
            />
          </>
        )}
      </Loaded>
      {task && <AdminTaskDialog task={task} onClose={() => setTask(null)} />}
    </section>
  );
}

const hrefOf = (search: string, page: number) =>
  withQuery("/admin", { ...(search && { search }), ...pageQuery(page) });

const useTierChange = () =>
  useDirectChange({
    change: (input: { account: AdminAccount; tier: Tier }) =>
      changeTier(input.account.id, input.tier),
    said: ({ email, tier }) => `${email} has the ${tier} tier now.`,
    renews: [ADMIN],
  });

const usePersonChange = () =>
  useDirectChange({
    change: (input: { person: Person; change: Parameters<typeof changePerson>[1] }) =>
      changePerson(input.person.id, input.change),
    said: (_, { person }) => `${person.email}: changed.`,
    renews: [ADMIN],
  });
