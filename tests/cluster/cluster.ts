import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $, SQL } from "bun";
import { executable, SETTINGS } from "../installed.ts";
import { type OwnPostgres, startOwnPostgres } from "../own-postgres.ts";
import { until } from "../until.ts";
import { type ClusterNode, startNode } from "./node.ts";

const EMAIL = "cluster@example.org";
const DATABASE = "stillup";

type NodeSettings = Pick<Parameters<typeof startNode>[0], "role" | "aheadMs" | "program" | "port">;

/** Processes of the executable that share one PostgreSQL, with one account. */
export type Cluster = {
  postgres: OwnPostgres;
  /** The database, read past all nodes. */
  sql: SQL;
  /** Waits until the look returns something. @throws after a minute by default, with the logs of all nodes */
  until<T>(look: () => T | Promise<T>, withinMs?: number): ReturnType<typeof until<T>>;
  /** Starts a node and resolves when it is ready. It is stopped with the cluster at the latest. */
  start(name: string, settings?: NodeSettings): Promise<ClusterNode>;
  /** Creates another key of the account. */
  newKey(name: string): Promise<string>;
  remove(): Promise<void>;
};

/** @param settings of all nodes */
export async function startCluster(settings: Record<string, string>): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "stillup-cluster-"));
  const postgres = await startOwnPostgres();
  await createDatabase(postgres);
  const databaseUrl = postgres.urlOf(DATABASE);
  const secretKeyFile = join(folder, "secret.key");
  const nodes: ClusterNode[] = [];
  const sql = new SQL(databaseUrl, { max: 2 });
  const command = async (...given: string[]) => {
    const env = {
      ...SETTINGS,
      STILLUP_DATA_DIR: folder,
      STILLUP_DATABASE_URL: databaseUrl,
      STILLUP_SECRET_KEY_FILE: secretKeyFile,
    };
    return (await $`${await executable()} ${given}`.env(env).text()).trim();
  };
  await command("user", "create", "--email", EMAIL);
  return {
    postgres,
    sql,
    until: (look, withinMs) =>
      until(look, {
        everyMs: 50,
        ...(withinMs !== undefined && { withinMs }),
        log: () => nodes.map(logOf).join("\n"),
      }),
    async start(name, props = {}) {
      const node = await startNode({ name, databaseUrl, secretKeyFile, settings, ...props });
      nodes.push(node);
      return node;
    },
    newKey: (name) => command("key", "create", "--email", EMAIL, "--name", name),
    async remove() {
      await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
      await sql.close();
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LONGEST_LOG = 3000;

const logOf = ({ name, log }: ClusterNode) => `${name}: ${log().slice(-LONGEST_LOG)}`;

async function createDatabase({ urlOf }: OwnPostgres): Promise<void> {
  const admin = new SQL(urlOf("postgres"), { max: 1 });
  await admin.unsafe(`create database ${DATABASE}`).simple();
  await admin.close();
}
