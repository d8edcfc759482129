import { openEngine } from "../../server/db/open.ts";
import { cpuSeconds, type Home, memoryMb, newFolder, newHome, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";
import { startWeb, type Web } from "./web.ts";

const AT_ONCE = "500";
const ROUNDS = 3;
/** How long the answer of a real site takes, more or less. */
const FAR_MS = 250;
const LONGEST_S = 120;
const START_MS = 2000;

/** Whole checks, from the claim to the durable history, beside `fetch` alone; a new connection each. */
export async function checking(note: Note): Promise<void> {
  const near = await compare({ links: 10_000, delayMs: 0, scheme: "http" });
  tell(note, "http", near, { mostCpu: 0.3, leastPerSecond: 3000, mostMb: 150 });
  const secure = await compare({ links: 4000, delayMs: 0, scheme: "https" });
  tell(note, "https", secure, { mostCpu: 0.55 });
  const { base, mine } = await compare({ links: 10_000, delayMs: FAR_MS, scheme: "http" });
  note(`sites ${FAR_MS} ms away: bare fetch, a second`, base.perSecond);
  note(`sites ${FAR_MS} ms away: checks, a second`, mine.perSecond);
  const ratio = mine.perSecond / base.perSecond;
  note(`sites ${FAR_MS} ms away: checks / bare fetch`, ratio, { digits: 2, least: 0.7 });
}

type Kind = { links: number; delayMs: number; scheme: "http" | "https" };
/** `cpu` is seconds for 1,000. */
export type Pace = { perSecond: number; cpu: number };
type Compared = { base: Pace; mine: Pace & { peakMb: number } };
type Wishes = { mostCpu: number; leastPerSecond?: number; mostMb?: number };

function tell(note: Note, what: string, { base, mine }: Compared, wishes: Wishes) {
  const { mostCpu, leastPerSecond, mostMb } = wishes;
  note(`${what}: bare fetch, a second`, base.perSecond);
  note(
    `${what}: checks, a second`,
    mine.perSecond,
    leastPerSecond ? { least: leastPerSecond } : {},
  );
  const ratio = mine.perSecond / base.perSecond;
  note(`${what}: checks / bare fetch`, ratio, { digits: 2, ...(mostMb && { least: 0.7 }) });
  note(`${what}: bare fetch, CPU seconds for 1,000`, base.cpu, { digits: 3 });
  note(`${what}: checks, CPU seconds for 1,000`, mine.cpu, { digits: 3, most: mostCpu });
  note(`${what}: checks, memory at most, MB`, mine.peakMb, mostMb ? { most: mostMb } : {});
}

/** In turn, so that drift hits both. */
async function compare(kind: Kind): Promise<Compared> {
  const web = await startWeb(kind.delayMs);
  const rounds: Compared[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const base = await bareFetch(web, kind);
    rounds.push({ base, mine: await checkAll(web, kind, await newHome()) });
  }
  await web.stop();
  return medianBy(rounds, ({ base, mine }) => mine.perSecond / base.perSecond);
}

const urlOf = (web: Web, { scheme }: Kind) => (scheme === "https" ? web.secureUrlOf : web.urlOf);

async function bareFetch(web: Web, kind: Kind): Promise<Pace> {
  // Names would be looked up by the system, which knows none of them.
  const port = new URL(web.secureUrlOf(0)).port;
  const reach = kind.scheme === "https" ? () => `https://localhost:${port}/` : web.urlOf;
  const list = `${newFolder()}/urls.json`;
  await Bun.write(list, JSON.stringify(Array.from({ length: kind.links }, (_, n) => reach(n))));
  const run = Bun.spawn([process.execPath, "tests/bench/bare-fetch.ts", list, AT_ONCE], {
    env: {
      ...process.env,
      BUN_CONFIG_MAX_HTTP_REQUESTS: "2000",
      ...(kind.scheme === "https" && { BENCH_CA: web.ca }),
    },
  });
  return JSON.parse(await new Response(run.stdout).text());
}

/**
 * All links are due at the start; the pace is told by their own moments.
 * @param onStart called when they become due
 */
export async function checkAll(
  web: Web,
  kind: Kind,
  home: Home,
  onStart: () => Promise<void> = async () => {},
): Promise<Compared["mine"]> {
  await seed(home, {
    links: kind.links,
    urlOf: urlOf(web, kind),
    dueAt: () => Date.now() + 60_000,
    frequency: "hourly",
  });
  const database = openEngine(home.STILLUP_DATABASE_URL);
  const run = (sql: string, ...params: unknown[]) => database.run({ sql, params });
  await run("update links set last_checked_at = null");
  const ours = await serve(home, {
    ...web.settings,
    ...AS_FAST,
    STILLUP_CHECK_CONCURRENCY: AT_ONCE,
  });
  // What is late at the start is caught up with slowly, so that they become due only after it.
  await Bun.sleep(START_MS);
  await onStart();
  const cpuBefore = await cpuSeconds(ours.pid);
  await run("update links set next_check_at = ?", Date.now());
  let [done, first, last] = [0, 0, 0];
  for (let i = 0; i < LONGEST_S * 4 && done < kind.links; i++) {
    await Bun.sleep(250);
    [[done, first, last]] = (await run(PROGRESS)) as [[number, number, number]];
  }
  const cpu = ((await cpuSeconds(ours.pid)) - cpuBefore) / (done / 1000);
  const { peak } = await memoryMb(ours.pid);
  await ours.stop();
  await database.close();
  return { perSecond: done / ((last - first) / 1000), cpu, peakMb: peak };
}

const PROGRESS =
  "select count(last_checked_at), min(last_checked_at), max(last_checked_at) from links";

/** The https sites have many names each. */
const AS_FAST = { STILLUP_HOST_GAP_MS: "0", STILLUP_HOST_CONCURRENCY: "1000" };
