import { openEngine } from "../server/ground/db/open.ts";
import { sampleOf } from "../server/notify/event-types.ts";

import {
  cpuSeconds,
  type Home,
  memoryMb,
  newHome,
  serve,
  startProgram,
  watchMemory,
} from "./program.ts";
import { seed } from "./seed.ts";
import { seedWebhooks } from "./seed-webhooks.ts";
import { medianBy, type Note, p99Of } from "./table.ts";

const PENDING = 10_000;
const ROUNDS = 3;
/** As many attempts as one webhook has under way. */
const AT_ONCE = "4";
const LONGEST_S = 120;
/** What waits in the end for a receiver that never answers. */
const FLOOD = 100_000;
/** How many events go to a healthy receiver meanwhile, evenly spread. */
const NEWS = 200;
const NEWS_A_SECOND = 20;
const SETTLED_MS = 2000;

/** Deliveries on this machine: their pace, how much dead receivers hold up a healthy one, and what waiting costs. */
export async function deliveries(note: Note): Promise<void> {
  await pace(note);
  for (const dead of [1, 30]) {
    const { ages } = await notifyDuringFailures({ dead, pending: PENDING });
    note(`with ${dead} dead: event to arrival p99, ms`, p99Of(ages), { most: 2000 });
  }
  const grown: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const idle = await notifyDuringFailures({ dead: 1, pending: 0 });
    const flooded = await notifyDuringFailures({ dead: 1, pending: FLOOD });
    grown.push(flooded.memoryMb - idle.memoryMb);
  }
  const grownMb = medianBy(grown, (mb) => mb);
  note("memory for 100,000 pending, MB", grownMb, { most: 20, digits: 1 });
}

/** From the start of the program to the last success in the database, compared with `fetch` alone. In turn. */
async function pace(note: Note) {
  const rounds: Compared[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const base = await barePosts();
    rounds.push({ base, mine: await deliverAll() });
  }
  const ratioOf = ({ base, mine }: Compared) => mine.perSecond / base.perSecond;
  const { base, mine } = medianBy(rounds, ratioOf);
  note("bare posts, a second", base.perSecond);
  note("deliveries, a second", mine.perSecond, { least: 1000 });
  note("deliveries / bare posts", ratioOf({ base, mine }), { digits: 2 });
  note("bare posts, CPU seconds for 1,000", base.cpu, { digits: 3 });
  note("deliveries, CPU seconds for 1,000", mine.cpu, { digits: 3 });
  note("deliveries, memory at most, MB", mine.peakMb);
}

/** `cpu` is seconds for 1,000. */
type Pace = { perSecond: number; cpu: number };
type Compared = { base: Pace; mine: Pace & { peakMb: number } };

async function barePosts(): Promise<Pace> {
  const receiver = await startReceiver();
  const at = Date.now();
  const [timestamp, webhookId] = [new Date(at).toISOString(), crypto.randomUUID()];
  const data = sampleOf("link.dead", at);
  const body = JSON.stringify({ event: "link.dead", timestamp, webhookId, data });
  const program = [process.execPath, "bench/bare-posts.ts"];
  const run = Bun.spawn([...program, receiver.url, String(PENDING), AT_ONCE, body]);
  const measured: Pace = JSON.parse(await new Response(run.stdout).text());
  await receiver.stop();
  return measured;
}

/** All of them are there before the program is. */
async function deliverAll(): Promise<Compared["mine"]> {
  const receiver = await startReceiver();
  const home = await newHome();
  const { accountId } = await seed(home, { links: 0 });
  await seedWebhooks(home, accountId, { urls: [receiver.url], pending: PENDING });
  const startedAt = Date.now();
  const ours = await serve(home, SETTINGS);
  const memory = watchMemory(ours.pid);
  const { done, lastAt } = await untilSucceeded(home);
  const cpu = cpuSeconds(ours.pid) / (done / 1000);
  const peakMb = memory.stop();
  await Promise.all([ours.stop(), receiver.stop()]);
  return { perSecond: done / ((lastAt - startedAt) / 1000), cpu, peakMb };
}

/** How many have succeeded when all of them have or time is up, and when the last one did. */
async function untilSucceeded(home: Home): Promise<{ done: number; lastAt: number }> {
  const database = openEngine(home.STILLUP_DATABASE_URL);
  const sql = "select count(*), max(completed_at) from deliveries where status = 'succeeded'";
  let [done, lastAt] = [0, 0];
  await until(async () => {
    [[done, lastAt]] = (await database.run({ sql, params: [] })) as [[number, number]];
    return done === PENDING;
  });
  await database.close();
  return { done, lastAt };
}

/**
 * Makes news for a healthy receiver while deliveries wait for dead ones. Gives how old the news were when they
 * came, in milliseconds, and how much memory the program has after that.
 */
async function notifyDuringFailures(others: { dead: number; pending: number }) {
  const receiver = await startReceiver();
  const home = await newHome();
  const { accountId, key } = await seed(home, { links: 0 });
  const urls = Array.from({ length: others.dead }, (_, n) => `${receiver.url}${n}/silent`);
  await seedWebhooks(home, accountId, { urls, pending: others.pending });
  const ours = await serve(home, SETTINGS);
  const waiting = Math.min(others.dead, others.pending);
  await until(async () => (await receiver.seen()).silent >= waiting);
  await makeNews(`${ours.url}/api/v1`, key, receiver.url);
  await until(async () => (await receiver.seen()).taken === NEWS);
  await Bun.sleep(SETTLED_MS);
  const usedMb = memoryMb(ours.pid);
  const { ages } = await receiver.seen();
  await Promise.all([ours.stop(), receiver.stop()]);
  const lost = Array<number>(NEWS - ages.length).fill(Number.POSITIVE_INFINITY);
  return { ages: [...ages, ...lost], memoryMb: usedMb };
}

/** New links, each on a site of its own at an address of this machine. */
async function makeNews(api: string, key: string, url: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const reply = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${reply.status} for ${path}`);
  };
  await post("/webhooks", { url, events: ["link.created"] });
  const startedAt = performance.now();
  for (let n = 0; n < NEWS; n++) {
    await Bun.sleep(Math.max(0, startedAt + (n * 1000) / NEWS_A_SECOND - performance.now()));
    await post("/links", { url: `http://127.1.0.${n}:${new URL(url).port}/` });
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < LONGEST_S * 4 && !(await isSo()); i++) await Bun.sleep(250);
}

type Seen = { taken: number; ages: number[]; silent: number };

/** In a process of its own. */
async function startReceiver() {
  const program = await startProgram([process.execPath, "bench/receiver.ts"]);
  const seen = async () => (await (await fetch(`${program.url}seen`)).json()) as Seen;
  return { ...program, seen };
}

const SETTINGS = {
  STILLUP_WEBHOOK_ALLOWED_HOSTS: "loopback",
  STILLUP_CHECK_ALLOWED_HOSTS: "loopback",
};
