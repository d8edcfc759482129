import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable, SETTINGS } from "../installed.ts";
import { METRICS_TOKEN } from "../metrics/reading.ts";
import { type Output, outputOf } from "../output.ts";
import { until } from "../until.ts";

/** Shifts what the process takes for the time of day. */
const AHEAD = join(import.meta.dir, "ahead.js");

/** The executable running on a database that others serve as well, on a machine of its own as far as it can tell. */
export type ClusterNode = {
  name: string;
  url: string;
  output: Output;
  /** What `GET /ready` says to the operator, whether it is or not. */
  ready(): Promise<Readiness>;
  /** Ends in order, or not. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
};

export type Readiness = {
  status: string;
  nodes: { name: string; live: boolean; buckets: { checks: number; deliveries: number } }[];
};

type NodeProps = {
  name: string;
  databaseUrl: string;
  /** The same for all of them. */
  secretKeyFile: string;
  role?: string;
  /** By how much its clock is wrong. */
  aheadMs?: number;
  settings?: Record<string, string>;
  /** What starts it, where that is another version; the executable if none is given. */
  program?: string[];
  /** Any that is free if none is given. */
  port?: number;
};

/** Resolves when it is ready. */
export async function startNode(props: NodeProps): Promise<ClusterNode> {
  const { name, databaseUrl, secretKeyFile, role = "all", aheadMs = 0, settings = {} } = props;
  const { program: command = [await executable()], port = 0 } = props;
  const folder = mkdtempSync(join(tmpdir(), "stillup-node-"));
  const program = Bun.spawn(command, {
    cwd: folder,
    env: {
      ...SETTINGS,
      ...settings,
      STILLUP_PORT: String(port),
      STILLUP_DATA_DIR: folder,
      STILLUP_DATABASE_URL: databaseUrl,
      STILLUP_SECRET_KEY_FILE: secretKeyFile,
      STILLUP_ROLE: role,
      STILLUP_NODE_NAME: name,
      STILLUP_CHECK_USER_AGENT: name,
      STILLUP_METRICS_TOKEN: METRICS_TOKEN,
      ...(aheadMs !== 0 && {
        BUN_OPTIONS: `--preload ${AHEAD}`,
        BUN_AHEAD_MS: String(aheadMs),
      }),
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = outputOf(program);
  const url = await output.url();
  const ready = async () => (await (await ask(url, "/ready")).json()) as Readiness;
  const isReady = async () => {
    if (program.exitCode !== null) throw new Error(`${name} ended: ${output.text()}`);
    return (await ask(url, "/ready")).ok;
  };
  await until(`${name} to be ready`, isReady, { everyMs: 50, log: output.text });
  return {
    name,
    url,
    output,
    ready,
    async stop(signal = "SIGTERM") {
      program.kill(signal);
      await program.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A connection is not kept, since nodes come and go. */
const ask = (url: string, path: string) =>
  fetch(url + path, {
    keepalive: false,
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
