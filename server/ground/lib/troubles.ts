import type { Clock } from "./clock.ts";

/**
 * Problems of the whole installation, and what each of them stops. Links are checked as long as results can be written.
 */
const TROUBLES = {
  /** Too little disk space to write safely. */
  disk_full: { stopsWrites: true, stopsDeletions: false, failsHealth: true },
  /** The database is damaged, so its content cannot be trusted. */
  database_damaged: { stopsWrites: true, stopsDeletions: true, failsHealth: true },
  /**
   * The database file is missing: writes may go to a deleted file. Health checks pass, because a restart would begin
   * with an empty folder.
   */
  data_folder_gone: { stopsWrites: true, stopsDeletions: true, failsHealth: false },
  /** After an uncaught error the state of the process is unknown. */
  unhandled_error: { stopsWrites: false, stopsDeletions: false, failsHealth: true },
  /** The last backup failed. */
  backup_failed: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
  /** The mail server does not accept mail. */
  mail_server: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
  /** Nodes have different mail servers, or some have none. */
  mail_settings: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
  /** Nodes have different OpenID providers. */
  oidc_settings: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
  /** The provider's groups would leave an account without an owner, or the installation without an administrator. */
  oidc_roles: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
  /** The archive refuses the operator's key. */
  archive_key: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
} as const;

export type TroubleName = keyof typeof TROUBLES;
export const TROUBLE_NAMES = Object.keys(TROUBLES) as TroubleName[];

/** `message` says what is wrong and what to do, in whole sentences for the operator. */
export type Trouble = { name: TroubleName; message: string; since: number };

export type Troubles = {
  /** Sets the trouble, or clears it with null. */
  set(name: TroubleName, message: string | null): void;
  all(): Trouble[];
  /** The trouble that allows only deletions, if any. */
  stoppingWrites(): Trouble | null;
  /** The trouble that does not allow deletions either, if any. */
  stoppingDeletions(): Trouble | null;
  /** Whether health checks of this process fail. */
  failHealth(): boolean;
};

export function createTroubles({ now }: Clock): Troubles {
  const known = new Map<TroubleName, Trouble>();
  const all = () => [...known.values()];
  return {
    set(name, message) {
      if (message === null) known.delete(name);
      else known.set(name, { name, message, since: known.get(name)?.since ?? now() });
    },
    all,
    stoppingWrites: () => all().find(({ name }) => TROUBLES[name].stopsWrites) ?? null,
    stoppingDeletions: () => all().find(({ name }) => TROUBLES[name].stopsDeletions) ?? null,
    failHealth: () => all().some(({ name }) => TROUBLES[name].failsHealth),
  };
}
