import { openEngine } from "../server/ground/db/open.ts";
import type { Engine } from "../server/ground/db/store.ts";
import { METRICS_TOKEN } from "../tests/metrics/reading.ts";
import {
  cpuSeconds,
  type Home,
  IS_POSTGRES,
  memoryMb,
  newFolder,
  newHome,
  ownCpuSeconds,
  serve,
  watchMemory,
} from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note, p99Of, type Wish } from "./table.ts";
import { type Scheme, startWeb, type Web } from "./web.ts";

/** For a quick look: `BENCH_LINKS=2000 BENCH_ROUNDS=1 npm run bench -- checking`. */
export const LINKS = Number(process.env.BENCH_LINKS ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const BATCH = 1000;
const AT_ONCE = "500";
const IDLE_MS = 10_000;
const SETTLE_MS = 2000;
const LOOK_MS = 100;
const LONGEST_MS = 180_000;

/**
 * Checks of distinct pages on as many sites, from the first request to the durable result, each on a new connection:
 * new links of unknown hosts, and the same links when they are due again: pages with the same `ETag`, pages with the
 * same bytes, and changed ones. A bare `fetch` of the same pages is for
 * comparison, and an API client measures its latency meanwhile.
 */
export async function checking(note: Note): Promise<void> {
  note("idle memory, MB", await idleMb(), limit({ most: 90 }));
  const web = await startWeb();
  for (const scheme of ["http", "https"] as const) {
    const rounds: Round[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      // In turn, so that drift affects both.
      const bare = await bareFetch(web, scheme);
      rounds.push({ bare, ...(await checkAll(web, scheme, await newHome())) });
    }
    report(note, scheme, rounds);
  }
  await web.stop();
}

/** `cpu` is in seconds for 1,000. */
export type Pace = { perSecond: number; cpu: number };
type ApiTimes = { statistics: number[]; links: number[]; batch: number[] };
type Phase = Pace & {
  /** Of the server's own process, the rest being that of its checker processes. */
  serverCpu: number;
  /** For each link. */
  requests: number;
  /** That the sites sent, for each link. */
  kB: number;
  unchecked: number;
  /** Longest delay of the server's event loop. */
  heldMs: number;
  times: ApiTimes;
};
const SCHEDULES = ["validators", "plain", "changed"] as const;
type Checked = Record<"firstContact" | (typeof SCHEDULES)[number], Phase> & { peakMb: number };
type Round = Checked & { bare: Pace };

/** The limits are those of SQLite. */
const limit = (wish: Wish): Wish =>
  IS_POSTGRES ? { ...wish, most: undefined, least: undefined } : wish;

async function idleMb(): Promise<number> {
  const ours = await serve(await newHome());
  await Bun.sleep(IDLE_MS);
  const idle = memoryMb(ours.pid);
  await ours.stop();
  return idle;
}

async function bareFetch(web: Web, scheme: Scheme): Promise<Pace> {
  const list = `${newFolder()}/urls.json`;
  const urls = Array.from({ length: LINKS }, (_, n) => web.urlOf(n, scheme));
  await Bun.write(list, JSON.stringify(urls));
  const run = Bun.spawn([process.execPath, "bench/bare-fetch.ts", list, AT_ONCE], {
    env: { ...process.env, ...web.settings, BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" },
  });
  return JSON.parse(await new Response(run.stdout).text());
}

/**
 * @param beforePlain called before links whose pages have no validators become due again
 * @param afterPlain called when they are checked
 */
export async function checkAll(
  web: Web,
  scheme: Scheme,
  home: Home,
  beforePlain: () => Promise<void> = async () => {},
  afterPlain: () => Promise<void> = async () => {},
): Promise<Checked> {
  const { key } = await seed(home, { links: 0 });
  const furtherSite = new URL(web.urlOf(LINKS, scheme));
  const settings = {
    STILLUP_CHECK_CONCURRENCY: AT_ONCE,
    STILLUP_METRICS_TOKEN: METRICS_TOKEN,
    // Their checks end without a request. Otherwise thousands of links of one site wait for their turns.
    STILLUP_CHECK_BLOCKED_HOSTS: furtherSite.hostname,
  };
  const ours = await serve(home, { ...web.settings, ...settings });
  const database = openEngine(home.STILLUP_DATABASE_URL);
  const memory = watchMemory(ours.pid);
  const further = furtherSite.origin;
  const server = { ...ours, api: `${ours.url}/api/v1`, key, database, web, scheme, further };
  await web.makePages("validators");
  const firstContact = await measure(server, LINKS, () => addLinks(server));
  let round = 0;
  const again = (before: () => Promise<void> = async () => {}) =>
    measure(server, ++round * 100 * LINKS, async () => {
      await before();
      await makeDue(database);
      return [];
    });
  // The one before finds out whether the servers mean their validators.
  await again();
  const validators = await again();
  await web.makePages("plain");
  // Their validators are forgotten.
  await again();
  const plain = await again(beforePlain);
  await afterPlain();
  await web.makePages("changed");
  const changed = await again();
  const peakMb = memory.stop();
  await ours.stop();
  await database.close();
  return { firstContact, validators, plain, changed, peakMb };
}

type Server = {
  url: string;
  api: string;
  pid: number;
  key: string;
  database: Engine;
  web: Web;
  scheme: Scheme;
  /** The site of the links that the API client adds. */
  further: string;
};

/**
 * @param firstFurther number of the first link that the API client adds
 * @param begin makes all links due, and returns the times of its own requests
 */
async function measure(
  server: Server,
  firstFurther: number,
  begin: () => Promise<number[]>,
): Promise<Phase> {
  const { pid, web, database } = server;
  const client = startApiClient(server, firstFurther);
  await Bun.sleep(SETTLE_MS);
  await Promise.all([readHeldMs(server), web.takeStats()]);
  const since = Date.now();
  const before = { all: cpuSeconds(pid), own: ownCpuSeconds(pid) };
  client.start();
  const batch = await begin();
  const { checked, lastAt } = await untilChecked(database, since);
  const cpu = (cpuSeconds(pid) - before.all) / (checked / 1000);
  const serverCpu = (ownCpuSeconds(pid) - before.own) / (checked / 1000);
  const times = await client.stop();
  const heldMs = await readHeldMs(server);
  const { firstAt, requests, bytes } = await web.takeStats();
  return {
    perSecond: checked / ((lastAt - firstAt) / 1000),
    cpu,
    serverCpu,
    requests: requests / LINKS,
    kB: bytes / 1000 / LINKS,
    unchecked: LINKS - checked,
    heldMs,
    times: { ...times, batch: [...times.batch, ...batch] },
  };
}

/** In batches, one after another. Their frequency distinguishes them from the links of the API client. */
async function addLinks({ api, key, web, scheme }: Server): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const times: number[] = [];
  for (let from = 0; from < LINKS; from += BATCH) {
    const links = Array.from({ length: Math.min(BATCH, LINKS - from) }, (_, i) => ({
      url: web.urlOf(from + i, scheme),
      check_frequency: "hourly",
    }));
    const body = JSON.stringify({ links });
    const startedAt = performance.now();
    const reply = await fetch(`${api}/links/batch`, { method: "POST", headers, body });
    if (!reply.ok) throw new Error(`${reply.status} for a batch: ${await reply.text()}`);
    await reply.arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  return times;
}

const makeDue = (database: Engine) =>
  database.run({
    sql: "update links set next_check_at = ? where check_frequency = 'hourly'",
    params: [Date.now()],
  });

/** Resolves once all links are found active, or time is up. */
async function untilChecked(database: Engine, since: number) {
  const sql = `select count(*), max(last_checked_at) from links
    where check_frequency = 'hourly' and status = 'active' and last_checked_at >= ?`;
  for (;;) {
    const [[checked, lastAt]] = (await database.run({ sql, params: [since] })) as [number[]];
    const found = { checked: Number(checked), lastAt: Number(lastAt) };
    if (found.checked === LINKS || Date.now() - since > LONGEST_MS) return found;
    await Bun.sleep(LOOK_MS);
  }
}

/** Returns the longest delay of the server's event loop since the last call, in milliseconds. */
async function readHeldMs({ url }: Server): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/^stillup_event_loop_lag_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
}

/** Starts a client in a process of its own, which then waits for `start`. */
function startApiClient({ api, key, further }: Server, firstFurther: number) {
  const command = [process.execPath, "bench/api-client.ts", api, key, further];
  const child = Bun.spawn([...command, String(firstFurther)], { stdin: "pipe", stdout: "pipe" });
  const start = () => {
    child.stdin.write("start\n");
    child.stdin.flush();
  };
  const stop = async (): Promise<ApiTimes> => {
    child.stdin.end();
    return JSON.parse(await new Response(child.stdout).text());
  };
  return { start, stop };
}

/** Only http has limits of pace, since over https the handshakes alone take as much. */
const LIMITS = {
  http: {
    firstContact: { leastPerSecond: 1000, mostCpu: 1.5 },
    validators: { leastPerSecond: 3000, mostCpu: 0.25, mostKb: 0.5 },
    plain: { leastPerSecond: 2000, mostCpu: 0.45 },
    changed: { mostCpu: 0.9 },
  },
  https: { firstContact: {}, validators: { mostKb: 0.5 }, plain: {}, changed: {} },
} satisfies Record<Scheme, Record<string, Limits>>;

type Limits = { leastPerSecond?: number; mostCpu?: number; mostKb?: number };

const WORDS = {
  validators: "schedule, same validators",
  plain: "schedule, same bytes",
  changed: "schedule, all pages changed",
};

/** Paces are those of the median round, latencies those of all rounds together. */
function report(note: Note, scheme: Scheme, rounds: Round[]) {
  const bare = medianBy(rounds, (round) => round.bare.perSecond).bare;
  note(`${scheme}, bare fetch: pages a second`, bare.perSecond);
  note(`${scheme}, bare fetch: CPU seconds for 1,000`, bare.cpu, { digits: 3 });
  const limits = LIMITS[scheme];
  reportPhase(note, `${scheme}, first contact`, rounds, "firstContact", limits.firstContact);
  for (const name of SCHEDULES) {
    reportPhase(note, `${scheme}, ${WORDS[name]}`, rounds, name, limits[name]);
  }
  const peakMb = Math.max(...rounds.map((round) => round.peakMb));
  note(`${scheme}: memory at most, all processes, MB`, peakMb, limit({ most: 220 }));
}

function reportPhase(
  note: Note,
  what: string,
  rounds: Round[],
  name: "firstContact" | (typeof SCHEDULES)[number],
  { leastPerSecond, mostCpu, mostKb }: Limits,
) {
  const phases = rounds.map((round) => round[name]);
  const ratioOf = (round: Round) => round[name].perSecond / round.bare.perSecond;
  const middle = medianBy(rounds, ratioOf);
  const { perSecond, cpu, serverCpu, requests, kB } = middle[name];
  note(`${what}: links a second`, perSecond, limit({ least: leastPerSecond }));
  note(`${what}: links / pages of bare fetch`, ratioOf(middle), { digits: 2 });
  note(`${what}: CPU seconds for 1,000`, cpu, limit({ most: mostCpu, digits: 3 }));
  note(`${what}: of these in the server's process`, serverCpu, { digits: 3 });
  note(`${what}: requests for each link`, requests, { digits: 2 });
  note(`${what}: kB that the sites sent for each link`, kB, limit({ most: mostKb, digits: 2 }));
  note(`${what}: links not found active`, Math.max(...phases.map((one) => one.unchecked)), {
    most: 0,
  });
  const times = (route: keyof ApiTimes) => phases.flatMap((phase) => phase.times[route]);
  reportTimes(note, `${what}: history statistics`, times("statistics"), 25);
  reportTimes(note, `${what}: list of links`, times("links"), 25);
  reportTimes(note, `${what}: 1,000 links added`, times("batch"), 100);
  const heldMs = Math.max(...phases.map((phase) => phase.heldMs));
  note(`${what}: event loop held, worst, ms`, heldMs, limit({ most: 20, digits: 1 }));
}

function reportTimes(note: Note, what: string, times: number[], mostMs: number) {
  if (times.length === 0) return;
  note(
    `${what}, median, ms`,
    medianBy(times, (time) => time),
    { digits: 1 },
  );
  note(`${what}, p99, ms`, p99Of(times), limit({ most: mostMs, digits: 1 }));
  note(`${what}, worst, ms`, Math.max(...times), { digits: 1 });
}
