import { afterAll, beforeAll, describe } from "bun:test";
import { join } from "node:path";
import type { Env } from "../../server/ground/config/config.ts";
import { type Asker, startServer, type TestServer } from "../harness.ts";

/** Two servers on one PostgreSQL, the second of them in a process of its own. */
export type TwoServers = TestServer & { secondUrl: string };

/** Runs the story on PostgreSQL, since SQLite is served by one process. */
export function onTwoServers(
  name: string,
  story: (servers: () => TwoServers) => void,
  settings: Env,
) {
  describe(name, () => {
    let running: TwoServers;
    let second: Awaited<ReturnType<typeof startSecond>>;
    beforeAll(async () => {
      const first = await startServer("postgres", settings);
      second = await startSecond(first, settings);
      running = { ...first, secondUrl: second.url };
    }, STARTS_WITHIN_MS);
    afterAll(async () => {
      await second.stop();
      await running.stop();
    });
    story(() => running);
  });
}

/** As everywhere that PostgreSQL may start first. */
const STARTS_WITHIN_MS = 60_000;

async function startSecond({ config, clock }: TestServer, settings: Env) {
  const program = Bun.spawn([process.execPath, join(import.meta.dir, "second-program.ts")], {
    env: {
      ...settings,
      STILLUP_DATA_DIR: config.dataDir,
      STILLUP_DATABASE_URL: config.databaseUrl,
      NOW: String(clock.now()),
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await program.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  // What begins with the first request has begun.
  await fetch(`${url}/health`);
  return {
    url,
    async stop() {
      program.kill("SIGKILL");
      await program.exited;
    },
  };
}

/**
 * Asks the two servers by turns, `count` times at once.
 * @returns how many replies had which status
 */
export async function askByTurns(
  { url, secondUrl }: TwoServers,
  { key }: Asker,
  [method, path]: readonly [method: string, path: string],
  bodies: unknown[],
  headers: Record<string, string> = {},
): Promise<Record<number, number>> {
  const all = bodies.map((body, n) =>
    fetch((n % 2 === 0 ? url : secondUrl) + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  return Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, some]) => [status, some.length]),
  );
}

/** Bodies of so many requests. */
export const bodies = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(n));
