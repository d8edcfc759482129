import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seed } from "../bench/seed.ts";
import { listeningUrl } from "../listening.ts";
import { until } from "../until.ts";

const LINKS = 600;
/** Requests after which the program is killed, each time. */
const KILLED_AFTER = [40, 150, 260];

/** Sites at addresses of this machine, which notice when one is asked again while it is being asked. */
function startSites() {
  const seen = { requests: 0, overlaps: 0, reach: (_: number) => {} };
  const asked = new Set<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    async fetch({ url }) {
      if (asked.has(url)) seen.overlaps++;
      asked.add(url);
      seen.reach(++seen.requests);
      await Bun.sleep(1);
      asked.delete(url);
      return new Response("<title>A page</title><p>All is well here.</p>", {
        headers: { "content-type": "text/html" },
      });
    },
  });
  /** Resolves once so many more requests have come. */
  const requests = (more: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wanted = seen.requests + more;
    seen.reach = (count) => count >= wanted && resolve();
    return promise;
  };
  const urlOf = (n: number) => `http://127.1.${n >> 8}.${n & 255}:${server.port}/`;
  return { seen, requests, urlOf, stop: () => server.stop(true) };
}

async function startProgram(folder: string) {
  const program = Bun.spawn([process.execPath, "server/main.ts", "serve"], {
    env: {
      ...process.env,
      STILLUP_DATA_DIR: folder,
      STILLUP_PORT: "0",
      STILLUP_SENTINELS: "",
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  await listeningUrl(program.stdout);
  return program;
}

/** What must be true at every moment: history, roll-ups and links tell the same. */
function look(database: Database) {
  const one = (query: string) => database.query(query).values()[0]![0] as number;
  const rolledUp = "select coalesce(sum(active + dead + unknown), 0) from";
  return {
    integrity: database.query("pragma integrity_check").values()[0]![0],
    checks: one("select count(*) from checks"),
    hours: one(`${rolledUp} history_hours where subject = 1`),
    days: one(`${rolledUp} history_days where subject = 1`),
    daysOfLinks: one(`${rolledUp} history_days where subject <> 1`),
    checked: one(`select count(*) from links where exists (
      select 1 from checks where link_no = no and checked_at = last_checked_at)`),
    usage: one("select coalesce(sum(checks), 0) from usage_days"),
  };
}

test("a program that is killed in the middle of its checks loses none and writes none by halves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-killed-"));
  const sites = startSites();
  const links = { links: LINKS, urlOf: sites.urlOf, dueAt: Date.now, frequency: "hourly" as const };
  await seed({ STILLUP_DATA_DIR: folder }, links);
  const database = new Database(join(folder, "stillup.db"));
  database.run("pragma busy_timeout = 5000");
  database.run("update links set last_checked_at = null");

  for (const count of KILLED_AFTER) {
    const reached = sites.requests(count);
    const program = await startProgram(folder);
    await reached;
    program.kill("SIGKILL");
    await program.exited;

    const { integrity, checks, ...others } = look(database);
    expect(integrity).toBe("ok");
    expect(Object.values(others)).toEqual(Array(5).fill(checks));
    // The time passes that their leases take.
    database.run("update links set next_check_at = ? where lease is not null", [Date.now()]);
  }
  const program = await startProgram(folder);
  await until(() => look(database).checked >= LINKS, { everyMs: 20 });
  program.kill("SIGTERM");
  await program.exited;

  const { integrity, checks, ...others } = look(database);
  expect({ integrity, checks }).toEqual({ integrity: "ok", checks: LINKS });
  expect(Object.values(others)).toEqual(Array(5).fill(LINKS));
  expect(sites.seen.overlaps).toBe(0);
  database.close();
  sites.stop();
  rmSync(folder, { recursive: true });
});
