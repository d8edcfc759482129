import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { api, ask, tell } from "./api.ts";
import type { Role } from "./people.ts";

/** What concerns all accounts starts with this key. */
export const ADMIN = ["admin"];

const PER_PAGE = 20;

export const TIERS = ["free", "pro", "business", "enterprise"] as const;
export type Tier = (typeof TIERS)[number];

const readState = () => ask(api.admin.state.get());

export const useInstallation = () =>
  useQuery({ queryKey: [...ADMIN, "state"], queryFn: readState, refetchInterval: 30_000 });

export type Installation = Awaited<ReturnType<typeof readState>>;

const readNodes = () => ask(api.admin.nodes.get());

export const useNodes = () =>
  useQuery({ queryKey: [...ADMIN, "nodes"], queryFn: readNodes, refetchInterval: 15_000 });

export type Nodes = Awaited<ReturnType<typeof readNodes>>;
export type ClusterNode = Nodes["items"][number];

const listAccounts = (search: string, page: number) =>
  ask(api.admin.accounts.get({ query: { page, per_page: PER_PAGE, ...(search && { search }) } }));

export const useAccounts = (search: string, page: number) =>
  useQuery({
    queryKey: [...ADMIN, "accounts", search, page],
    queryFn: () => listAccounts(search, page),
    placeholderData: keepPreviousData,
  });

type AccountPage = Awaited<ReturnType<typeof listAccounts>>;
export type AdminAccount = AccountPage["items"][number];
export type Person = AdminAccount["users"][number];

export const inviteOwner = (input: { email: string; tier: Tier }) =>
  ask(api.admin.accounts.post(input));

export const changeTier = (id: string, tier: Tier) =>
  ask(api.admin.accounts({ id }).patch({ tier }));

export const deleteAccount = (id: string) => tell(api.admin.accounts({ id }).delete());

export const invitePerson = (accountId: string, input: { email: string; role: Role }) =>
  ask(api.admin.accounts({ id: accountId }).users.post(input));

export const changePerson = (id: string, change: { role?: Role; is_admin?: boolean }) =>
  ask(api.admin.users({ id }).patch(change));

export const deletePerson = (id: string, revokeKeys: boolean) =>
  tell(api.admin.users({ id }).delete(undefined, { query: { revoke_keys: revokeKeys } }));

export const resetPerson = (id: string) => ask(api.admin.users({ id })["password-link"].post());
