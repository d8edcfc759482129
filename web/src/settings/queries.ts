import { useQuery } from "@tanstack/preact-query";
import { api, asSent, type DataOf, unwrap } from "../data/api.ts";
import { dayIn, idIn, withQuery } from "../data/filter.ts";
import { usePages } from "../data/query-client.ts";

/** Query keys of the account with its users, and of everything about all accounts. */
export const ACCOUNT = ["account"];
export const PEOPLE = [...ACCOUNT, "people"];
export const KEYS = ["keys"];
export const ADMIN = ["admin"];
export const BACKUPS = [...ADMIN, "backups"];

async function findAccount() {
  const first = { query: { page: 1, per_page: 1 } };
  const [account, usage, keys, webhooks] = await Promise.all([
    unwrap(api.account.get()),
    unwrap(api.usage.get()),
    unwrap(api.keys.get(first)),
    unwrap(api.webhooks.get(first)),
  ]);
  const counts = { apiKeys: keys.pagination.total, webhooks: webhooks.pagination.total };
  return { ...account, usage, counts };
}

export const useAccount = () => useQuery({ queryKey: [...ACCOUNT, "usage"], queryFn: findAccount });
export type Account = DataOf<typeof useAccount>;

export const usePeople = () =>
  useQuery({ queryKey: PEOPLE, queryFn: () => unwrap(api.people.get()) });
export type Colleague = DataOf<typeof usePeople>["items"][number];

export const useKeyList = () =>
  usePages({
    queryKey: KEYS,
    read: (page) => unwrap(api.keys.get({ query: { page, per_page: 100 } })),
  });
export type Key = DataOf<typeof useKeyList>["items"][number];

export const useInstallation = () =>
  useQuery({
    queryKey: [...ADMIN, "state"],
    queryFn: () => unwrap(api.admin.state.get()),
    refetchInterval: 30_000,
  });
export type Installation = DataOf<typeof useInstallation>;

export const useMailState = () =>
  useQuery({
    queryKey: [...ADMIN, "mail"],
    queryFn: () => unwrap(api.admin.mail.get()),
    refetchInterval: 30_000,
  });

export const useProvider = () =>
  useQuery({ queryKey: [...ADMIN, "oidc"], queryFn: () => unwrap(api.admin.oidc.get()) });

export const useIdentities = () =>
  useQuery({
    queryKey: [...ACCOUNT, "identities"],
    queryFn: () => unwrap(api.session.identities.get()),
  });

export const useNodes = () =>
  useQuery({
    queryKey: [...ADMIN, "nodes"],
    queryFn: () => unwrap(api.admin.nodes.get()),
    refetchInterval: 15_000,
  });
export type Nodes = DataOf<typeof useNodes>;
export type ClusterNode = Nodes["items"][number];

export const useAccounts = (search: string) =>
  usePages({
    queryKey: [...ADMIN, "accounts", search],
    read: (page) =>
      unwrap(api.admin.accounts.get({ query: { page, per_page: 20, ...(search && { search }) } })),
  });
export type AdminAccount = DataOf<typeof useAccounts>["items"][number];
export type Person = AdminAccount["users"][number];

export const useBackups = () =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: () => unwrap(api.admin.backups.get()),
    refetchInterval: ({ state }) => (state.data?.is_under_way ? 1_000 : 60_000),
  });
export type BackupState = DataOf<typeof useBackups>;
export type Backup = BackupState["items"][number];

/** Dates are days in UTC; empty fields do not filter. */
export type ActivityFilter = {
  /** Whether to list all accounts and the installation. */
  all: boolean;
  action: string;
  actor: string;
  target: string;
  from: string;
  to: string;
};

const PER_PAGE = 50;
const ACTION = /^[a-z_]+\.[a-z_]+$/;

/** Ignores invalid parameters. */
export const readActivityFilter = (query: Record<string, string>): ActivityFilter => ({
  all: query.all === "true",
  action: query.action && ACTION.test(query.action) ? query.action : "",
  actor: idIn(query.actor),
  target: idIn(query.target),
  from: dayIn(query.from),
  to: dayIn(query.to),
});

export const hrefOfActivity = (filter: ActivityFilter) =>
  withQuery("/settings/activity", {
    ...(filter.all && { all: "true" }),
    ...conditionsOf(filter),
  });

export const isNarrowed = (filter: ActivityFilter) => Object.keys(conditionsOf(filter)).length > 0;

const conditionsOf = ({ all: _, ...conditions }: ActivityFilter) =>
  Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== ""));

const queryOf = (filter: ActivityFilter, page: number) => ({
  query: asSent<{ page: number; per_page: number }>({
    page,
    per_page: PER_PAGE,
    ...conditionsOf(filter),
  }),
});

/** There are no live updates for other accounts. */
export const useActivity = (filter: ActivityFilter) =>
  usePages({
    queryKey: [...(filter.all ? [...ADMIN, "audit"] : ["audit"]), filter],
    read: (page): Promise<{ items: Entry[]; pagination: Page["pagination"] }> =>
      filter.all ? listAll(filter, page) : listOwn(filter, page),
    refetchInterval: filter.all && 30_000,
  });

const listOwn = (filter: ActivityFilter, page: number) =>
  unwrap(api.audit.get(queryOf(filter, page)));

const listAll = (filter: ActivityFilter, page: number) =>
  unwrap(api.admin.audit.get(queryOf(filter, page)));

type Page = Awaited<ReturnType<typeof listOwn>>;

/** Entries of the own account say whether the target exists; the others name the account. */
export type Entry = Page["items"][number] | Awaited<ReturnType<typeof listAll>>["items"][number];

/** "12 people lose" */
export const peopleLose = (count: number) =>
  count === 1 ? "1 person loses" : `${count} people lose`;
