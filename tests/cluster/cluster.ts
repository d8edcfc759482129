import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { createProgram } from "../commands/program.ts";
import type { OwnPostgres } from "../own-postgres.ts";
import { dropPostgres, freshPostgres } from "../postgres.ts";
import { until } from "../until.ts";
import { type ClusterNode, startNode } from "./node.ts";

const EMAIL = "cluster@example.org";

type NodeSettings = Pick<Parameters<typeof startNode>[0], "role" | "aheadMs" | "program" | "port">;

/** Processes of the executable that share one PostgreSQL, with one account. */
export type Cluster = {
  /** The database, read past all nodes. */
  sql: SQL;
  /** Waits until the look returns something. @throws after a minute by default, with the logs of all nodes */
  until<T>(
    what: string,
    look: () => T | Promise<T>,
    withinMs?: number,
  ): ReturnType<typeof until<T>>;
  /** Starts a node and resolves when it is ready. It is stopped with the cluster at the latest. */
  start(name: string, settings?: NodeSettings): Promise<ClusterNode>;
  /** Creates another key of the account. */
  newKey(name: string): Promise<string>;
  remove(): Promise<void>;
};

/**
 * @param settings of all nodes
 * @param postgres a server of its own, where a story stops it
 */
export async function startCluster(
  settings: Record<string, string>,
  postgres?: OwnPostgres,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "stillup-cluster-"));
  const databaseUrl = postgres?.urlOf("postgres") ?? (await freshPostgres());
  const secretKeyFile = join(folder, "secret.key");
  const nodes: ClusterNode[] = [];
  const sql = new SQL(databaseUrl, { max: 2 });
  const { run } = createProgram({
    STILLUP_DATABASE_URL: databaseUrl,
    STILLUP_SECRET_KEY_FILE: secretKeyFile,
  });
  const command = async (...given: string[]) => {
    const { code, out, err } = await run(given);
    if (code !== 0) throw new Error(err);
    return out.trim();
  };
  await command("user", "create", "--email", EMAIL);
  return {
    sql,
    until: (what, look, withinMs) =>
      until(what, look, {
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
      await (postgres ? postgres.remove() : dropPostgres(databaseUrl));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LONGEST_LOG = 3000;

const logOf = ({ name, output }: ClusterNode) => `${name}: ${output.text().slice(-LONGEST_LOG)}`;
