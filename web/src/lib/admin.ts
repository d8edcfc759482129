import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { Role } from "./account.ts";
import { api, complete, unwrap } from "./api.ts";

/** Query key of everything about all accounts. */
export const ADMIN = ["admin"];

const PER_PAGE = 20;

export const TIERS = ["free", "pro", "business", "enterprise"] as const;
export type Tier = (typeof TIERS)[number];

const readState = () => unwrap(api.admin.state.get());

export const useInstallation = () =>
  useQuery({ queryKey: [...ADMIN, "state"], queryFn: readState, refetchInterval: 30_000 });

export type Installation = Awaited<ReturnType<typeof readState>>;

const readNodes = () => unwrap(api.admin.nodes.get());

export const useNodes = () =>
  useQuery({ queryKey: [...ADMIN, "nodes"], queryFn: readNodes, refetchInterval: 15_000 });

export type Nodes = Awaited<ReturnType<typeof readNodes>>;
export type ClusterNode = Nodes["items"][number];

const listAccounts = (search: string, page: number) =>
  unwrap(
    api.admin.accounts.get({ query: { page, per_page: PER_PAGE, ...(search && { search }) } }),
  );

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
  unwrap(api.admin.accounts.post(input));

export const changeTier = (id: string, tier: Tier) =>
  unwrap(api.admin.accounts({ id }).patch({ tier }));

export const deleteAccount = (id: string) => complete(api.admin.accounts({ id }).delete());

export const invitePerson = (accountId: string, input: { email: string; role: Role }) =>
  unwrap(api.admin.accounts({ id: accountId }).users.post(input));

export const changePerson = (id: string, change: { role?: Role; is_admin?: boolean }) =>
  unwrap(api.admin.users({ id }).patch(change));

export const deletePerson = (id: string, revokeKeys: boolean) =>
  complete(api.admin.users({ id }).delete(undefined, { query: { revoke_keys: revokeKeys } }));

export const resetPerson = (id: string) => unwrap(api.admin.users({ id })["password-link"].post());

export const BACKUPS = [...ADMIN, "backups"];

const UNDER_WAY_MS = 1_000;
const REFRESH_MS = 60_000;

const readBackups = () => unwrap(api.admin.backups.get());

/** @param isWanted false for users who may not see them */
export const useBackups = (isWanted = true) =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: readBackups,
    enabled: isWanted,
    refetchInterval: ({ state }) => (state.data?.is_under_way ? UNDER_WAY_MS : REFRESH_MS),
  });

export type BackupState = Awaited<ReturnType<typeof readBackups>>;
export type Backup = BackupState["items"][number];

/** The state shows when it is finished. */
export const beginBackup = () => unwrap(api.admin.backups.post());

export const deleteBackup = (name: string) => complete(api.admin.backups({ name }).delete());

export const downloadHref = ({ name }: Backup) => `/dashboard/api/admin/backups/${name}`;
