import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { $ } from "bun";
import { buildDashboard } from "./build-dashboard.ts";
import { newest } from "./newest.ts";

const ROOT = join(import.meta.dir, "..");
const SOURCES = ["server", "drizzle", "web/dist", ".ci/build.ts", "package.json"];

/** The program as it is shipped: the one that is named, or built unless it is there and newer than its source. */
export async function executable(): Promise<string> {
  if (process.env.STILLUP_BINARY) return resolve(process.env.STILLUP_BINARY);
  await buildDashboard();
  const built = join(ROOT, "dist/stillup");
  const source = Math.max(...SOURCES.map((path) => newest(join(ROOT, path))));
  if (newest(built) < source) await $`bun .ci/build.ts`.cwd(ROOT).quiet();
  return built;
}

/** The executable running in a folder of its own, as it is right after installation. */
export type Installed = {
  url: string;
  pid: number;
  folder: string;
  /** What it says a new user is to open; null when there is an account. */
  setupUrl: string | null;
  /** Ends in order, or not. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts again, at the same address. */
  start(): Promise<void>;
  /** Ends, and takes its folder away. */
  remove(): Promise<void>;
};

/** As the program sets it before it starts for a second time, which tests/binary.test.ts proves and others need not wait for. */
export const RESTARTED = {
  BUN_CONFIG_MAX_HTTP_REQUESTS: "1256",
  BUN_JSC_forceRAMSize: String(256 * 1024 * 1024),
};

/** Goes no further than this machine, and does not wait. */
export const SETTINGS = {
  PATH: process.env.PATH ?? "",
  ...RESTARTED,
  STILLUP_SENTINELS: "",
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_WEBHOOK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_CONFIRM_DELAYS_MS: "0,10,10",
  STILLUP_HOST_GAP_MS: "0",
};

/**
 * @param folder with data already; a new one if none is given
 * @param settings in addition to those that keep it on this machine
 */
export async function install(
  folder = newFolder(),
  settings: Record<string, string> = {},
): Promise<Installed> {
  const file = await executable();
  let program: Bun.Subprocess<"ignore", "pipe", "ignore">;
  let port = "0";
  const installed: Installed = {
    url: "",
    pid: 0,
    folder,
    setupUrl: null,
    async start() {
      program = Bun.spawn([file], {
        cwd: folder,
        env: {
          ...SETTINGS,
          ...settings,
          STILLUP_PORT: port,
          STILLUP_DATA_DIR: join(folder, "data"),
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      });
      const printed = await readStart(program.stdout);
      port = new URL(printed.url).port;
      Object.assign(installed, printed, { pid: program.pid });
    },
    async stop(signal = "SIGTERM") {
      program.kill(signal);
      await program.exited;
    },
    async remove() {
      await installed.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await installed.start();
  return installed;
}

export const newFolder = () => mkdtempSync(join(tmpdir(), "stillup-installed-"));

/** Without an account it prints where to create one, a moment after it listens. */
async function readStart(output: ReadableStream<Uint8Array>) {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = "";
  async function until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(text)?.[1];
      if (found) return found;
      const { value, done } = await reader.read();
      if (done) throw new Error(`It did not start: ${text}`);
      text += decoder.decode(value, { stream: true });
    }
  }
  const url = await until(/listening on (http:[^\s"]+)/);
  const reply = await fetch(`${url}/dashboard/api/session`);
  const { data } = (await reply.json()) as { data: { state: string } };
  const setupUrl = data.state === "setup" ? await until(/set up at ([^\s"]+)/) : null;
  reader.releaseLock();
  return { url, setupUrl };
}
