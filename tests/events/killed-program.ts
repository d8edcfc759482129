import { Database } from "bun:sqlite";
import { onTestFinished } from "bun:test";
import { mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RESTARTED } from "../installed.ts";
import { listeningUrl } from "../listening.ts";
import { createWatch } from "../waits.ts";

/** The executable where one is named, else the program as it stands here. */
const PROGRAM = process.env.STILLUP_BINARY
  ? [process.env.STILLUP_BINARY]
  : [process.execPath, "server/main.ts"];

export type Home = { STILLUP_DATA_DIR: string };

/** A folder for a program. Gone when the test is. */
export function newHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "stillup-killed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { STILLUP_DATA_DIR: folder };
}

export type Kept = ReturnType<typeof openKept>;

/** What is kept in a folder, read next to the program. */
export function openKept({ STILLUP_DATA_DIR: folder }: Home) {
  const database = new Database(join(folder, "stillup.db"));
  database.run("pragma busy_timeout = 60000");
  onTestFinished(() => database.close());
  const rows = (query: string) => database.query(query).values() as (string | number | null)[][];
  return {
    rows,
    one: (query: string) => rows(query)[0]![0],
    change: (query: string, ...params: number[]) => void database.run(query, params),
    /** Resolves once this is so. Looks after each write, when it has been committed and before another one begins. */
    async when(isSo: () => boolean, inWords = () => `${isSo}`) {
      const look = database.transaction(isSo);
      const { changed, when } = createWatch();
      const watcher = watch(folder, changed);
      await when(look.immediate, inWords).finally(() => watcher.close());
    },
  };
}

/** The program in a process of its own, which sends to this machine only and need not wait for anything. */
export async function startProgram(home: Home) {
  const program = Bun.spawn([...PROGRAM, "serve"], {
    env: {
      ...process.env,
      ...RESTARTED,
      ...home,
      STILLUP_PORT: "0",
      STILLUP_SENTINELS: "",
      STILLUP_CHECK_ALLOWED_HOSTS: "loopback",
      STILLUP_WEBHOOK_ALLOWED_HOSTS: "loopback",
      STILLUP_CONFIRM_DELAYS_MS: "0,10,10",
      STILLUP_RATE_LIMIT_PER_MINUTE: "0",
      STILLUP_RATE_LIMIT_PER_HOUR: "0",
    },
    stdout: "pipe",
    stderr: process.env.SHOW ? "inherit" : "ignore",
  });
  onTestFinished(() => program.kill("SIGKILL"));
  const url = await listeningUrl(program.stdout);
  return Object.assign(program, { url });
}

/** What has to come about, which may need the URL of the program. */
type Moment = Promise<void> | ((url: string) => Promise<void>);

/** Runs the program until this has come about, then ends it in order. */
export async function runUntil(
  home: Home,
  moment: Moment,
  signal: "SIGTERM" | "SIGKILL" = "SIGTERM",
): Promise<void> {
  const program = await startProgram(home);
  await (typeof moment === "function" ? moment(program.url) : moment);
  program.kill(signal);
  await program.exited;
}

/** The same, but kills it. */
export const killOnce = (home: Home, moment: Moment) => runUntil(home, moment, "SIGKILL");

/** The time passes that leases take. */
export function passLeases({ change }: Kept) {
  change("update deliveries set due_at = ? where lease is not null", Date.now());
  change("update links set next_check_at = ? where lease is not null", Date.now());
}
