import { useQuery } from "@tanstack/preact-query";
import { ADMIN } from "./admin.ts";
import { api, ask, tell } from "./api.ts";

export const BACKUPS = [...ADMIN, "backups"];

/** While one is being made, somebody may wait for it; at other times little happens. */
const UNDER_WAY_MS = 1_000;
const REFRESH_MS = 60_000;

const readBackups = () => ask(api.admin.backups.get());

/** @param isWanted false for those who may not know */
export const useBackups = (isWanted = true) =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: readBackups,
    enabled: isWanted,
    refetchInterval: ({ state }) => (state.data?.is_under_way ? UNDER_WAY_MS : REFRESH_MS),
  });

export type BackupState = Awaited<ReturnType<typeof readBackups>>;
export type Backup = BackupState["items"][number];

/** Begins one; that it is done is told by the state. */
export const beginBackup = () => ask(api.admin.backups.post());

export const deleteBackup = (name: string) => tell(api.admin.backups({ name }).delete());

export const downloadHref = ({ name }: Backup) => `/dashboard/api/admin/backups/${name}`;
