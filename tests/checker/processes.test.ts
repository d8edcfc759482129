import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seed } from "../bench/seed.ts";
import { executable } from "../installed.ts";
import { listeningUrl } from "../listening.ts";
import { newScratchFolder } from "../scratch.ts";
import { until } from "../until.ts";

const PAGE = { headers: { "content-type": "text/html" } };
const html = (text: string) =>
  `<title>${text}</title><p>${`All is well here, ${text}. `.repeat(20)}`;

/** Sites at addresses of this machine, and the executable that checks their links. */
let sites: ReturnType<typeof startSites>;
let program: Awaited<ReturnType<typeof startProgram>> | null;
beforeEach(() => {
  sites = startSites();
});
afterEach(async () => {
  await program?.stop();
  program = null;
  await sites.stop();
});

function startSites() {
  const pages = new Map<string, (request: Request) => Response | Promise<Response>>();
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const page = pages.get(pathname) ?? pages.get("*");
      const isMadeUp = /^\/(robots\.txt|[a-z]{16})$/.test(pathname);
      return page && !isMadeUp ? page(request) : new Response("Not found", { status: 404 });
    },
  });
  return {
    pages,
    urlOf: (n: number, path = `/page-${n}`) =>
      `http://127.1.${n >> 8}.${n & 255}:${server.port}${path}`,
    stop: () => server.stop(true),
  };
}

async function startProgram(urls: string[], settings: Record<string, string> = {}) {
  const folder = newScratchFolder("stillup-processes-");
  const home = { STILLUP_DATA_DIR: folder };
  await seed(home, {
    links: urls.length,
    urlOf: (n) => urls[n]!,
    dueAt: Date.now,
    frequency: "hourly",
  });
  const database = new Database(join(folder, "stillup.db"));
  database.exec("pragma busy_timeout = 10000");
  database.exec("update links set last_checked_at = null, status = 'unknown', reason = null");
  const server = Bun.spawn([await executable(), "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      ...home,
      STILLUP_PORT: "0",
      STILLUP_SENTINELS: "",
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_CHECK_PROCESSES: "2",
      STILLUP_CONFIRM_DELAYS_MS: "0,10,10",
      STILLUP_HOST_GAP_MS: "0",
      ...settings,
    },
    stdout: "pipe",
    stderr: process.env.SHOW ? "inherit" : "ignore",
  });
  await listeningUrl(server.stdout);
  const read = (sql: string, ...params: string[]) => database.query(sql).values(...params);
  return {
    folder,
    server,
    /** Status and reason of each link. */
    verdicts: () => read("select url, status, reason from links order by no"),
    checked: () => read("select count(last_checked_at) from links")[0]![0] as number,
    evidence: (url: string) =>
      read(
        "select evidence from checks join links on link_no = no where url = ? and evidence is not null order by checks.checked_at",
        url,
      ).flat(),
    reasons: (url: string) =>
      read(
        "select kinds.reason from checks join links on link_no = no join check_kinds kinds on kind_no = kinds.no where url = ? order by checks.checked_at",
        url,
      ).flat(),
    due: (url: string) =>
      database.query("update links set next_check_at = 0 where url = ?").run(url),
    async stop() {
      server.kill("SIGKILL");
      await server.exited;
      database.close();
    },
  };
}

/** The ids of the checker processes of a server. */
function checkersOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        const isChild =
          readFileSync(`/proc/${each}/stat`, "utf8").split(") ")[1]!.split(" ")[1] === String(pid);
        return isChild && readFileSync(`/proc/${each}/cmdline`, "utf8").includes("checker-process");
      } catch {
        return false;
      }
    });
}

describe("Links are checked in processes of their own", () => {
  test("of which each has sites of its own", async () => {
    const askedBy = new Map<string, number>();
    sites.pages.set("*", () => new Response(html("a page"), PAGE));
    sites.pages.set("/gone", () => new Response("Gone", { status: 410 }));
    const urls = Array.from({ length: 40 }, (_, n) =>
      sites.urlOf(n, n % 10 === 9 ? "/gone" : undefined),
    );
    program = await startProgram(urls);

    await until(() => program!.checked() === urls.length, "all links are checked");

    const dead = program.verdicts().filter(([, status]) => status === "dead");
    expect(dead.map(([url]) => url)).toEqual(urls.filter((url) => url.endsWith("/gone")));
    expect(program.verdicts().filter(([, status]) => status === "active")).toHaveLength(36);
    expect(checkersOf(program.server.pid)).toHaveLength(2);
    expect(askedBy.size).toBe(0);
  });
});
