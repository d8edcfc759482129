import type { Clock } from "./clock.ts";

/**
 * What can be wrong with an installation as a whole, by name, and what then no longer works. Everything
 * else goes on: links are looked at as long as what is seen can be written down.
 */
const TROUBLES = {
  /** Too little room on the disk to write safely. */
  disk_full: { stopsWrites: true, stopsDeletions: false, failsHealth: true },
  /** The database is damaged: what it says cannot be trusted. */
  database_damaged: { stopsWrites: true, stopsDeletions: true, failsHealth: true },
  /**
   * The database file is not at its place any more: writes may go to a file that is deleted. Not a reason to
   * restart, which would begin with an empty folder.
   */
  data_folder_gone: { stopsWrites: true, stopsDeletions: true, failsHealth: false },
  /** An error was not caught: the process is in an unknown state. */
  unhandled_error: { stopsWrites: false, stopsDeletions: false, failsHealth: true },
  /** The last backup failed. */
  backup_failed: { stopsWrites: false, stopsDeletions: false, failsHealth: false },
} as const;

export type TroubleName = keyof typeof TROUBLES;
export const TROUBLE_NAMES = Object.keys(TROUBLES) as TroubleName[];

/** `message` says what is wrong and what to do, in whole sentences for the operator. */
export type Trouble = { name: TroubleName; message: string; since: number };

export type Troubles = {
  /** Says that it is so, or with null that it is over. */
  set(name: TroubleName, message: string | null): void;
  all(): Trouble[];
  /** The trouble for which nothing may be written, if there is one. */
  stoppingWrites(): Trouble | null;
  /** The one for which not even anything may be deleted. */
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
