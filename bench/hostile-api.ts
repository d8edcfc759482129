import { METRICS_TOKEN } from "../tests/metrics/reading.ts";
import { newFolder, newHome, serve, startProgram } from "./program.ts";
import { seed } from "./seed.ts";
import { type Note, p99Of } from "./table.ts";

/** As many of them fill the memory of a checker process, which ends at 1 GiB. */
const LINKS = 1200;
const RUN_MS = 20_000;
const START_MS = 3000;
const BLOCKED = "http://127.200.0.1";

/** Hosts are addresses of this machine, so that each link has a site of its own. */
const hostOf = (n: number) => `127.1.${n >> 8}.${n & 255}`;

const KINDS: [what: string, pathOf: (n: number) => string][] = [
  ["ordinary pages", (n) => `/page-${n}`],
  ["1 MiB of end tags", () => "/end-tags"],
  ["pages that take all memory", () => "/memory"],
];

/**
 * Latency of the API while one checker process reads ordinary pages, and hostile ones: the paces differ with the
 * machine, the ratios much less.
 */
export async function hostileApi(note: Note): Promise<void> {
  const target = await startProgram([process.execPath, "bench/hostile-target.ts"]);
  const { port } = new URL(target.url);
  const usual = new Map<string, number>();
  for (const [what, pathOf] of KINDS) {
    const { times, ended } = await measure((n) => `http://${hostOf(n)}:${port}${pathOf(n)}`);
    note(`${what}: checker processes that ended`, ended);
    for (const [route, all] of Object.entries(times)) {
      const p99 = p99Of(all);
      const ordinary = usual.get(route) ?? p99;
      usual.set(route, ordinary);
      note(`${what}: ${route}, p99, ms`, p99, { digits: 1 });
      note(`${what}: ${route}, p99 / p99 with ordinary pages`, p99 / ordinary, { digits: 2 });
    }
  }
  await target.stop();
}

type Times = { statistics: number[]; links: number[] };

async function measure(urlOf: (n: number) => string): Promise<{ times: Times; ended: number }> {
  const home = await newHome();
  // After the start, since a backlog is checked step by step.
  const startsAt = Date.now() + START_MS;
  const dueAt = (n: number) => startsAt + 5 * n;
  const { key } = await seed(home, { links: LINKS, urlOf, dueAt, frequency: "hourly" });
  const ours = await serve(home, {
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CHECK_BLOCKED_HOSTS: new URL(BLOCKED).hostname,
    STILLUP_CHECK_PROCESSES: "1",
    // Slow checks use at most half of them.
    STILLUP_CHECK_CONCURRENCY: String(3 * LINKS),
    STILLUP_CHECK_TIMEOUT_MS: "60000",
    STILLUP_HOST_GAP_MS: "0",
    STILLUP_SERVICES_FILE: await servicesFile(),
    STILLUP_METRICS_TOKEN: METRICS_TOKEN,
  });
  const client = [process.execPath, "bench/api-client.ts", `${ours.url}/api/v1`, key, BLOCKED];
  const child = Bun.spawn([...client, "0"], { stdin: "pipe", stdout: "pipe" });
  child.stdin.write("start\n");
  child.stdin.flush();
  await Bun.sleep(Math.max(0, startsAt - Date.now()) + RUN_MS);
  child.stdin.end();
  const { statistics, links }: Times = JSON.parse(await new Response(child.stdout).text());
  const ended = await readRestarts(ours.url);
  await ours.stop();
  return { times: { statistics, links }, ended };
}

/** A service whose pages are kept whole until they end. */
async function servicesFile(): Promise<string> {
  const hosts = Array.from({ length: LINKS }, (_, n) => hostOf(n));
  const kinds = [{ kind: "page", path: "^/memory$", page: { rules: [] } }];
  const path = `${newFolder()}/services.json`;
  await Bun.write(path, JSON.stringify([{ id: "large", name: "Large", hosts, kinds }]));
  return path;
}

async function readRestarts(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/^stillup_checker_process_restarts_total\{[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0);
}
