import { openEngine } from "../server/ground/db/open.ts";
import { type Home, newHome, serve, watchMemory } from "./program.ts";
import { seed } from "./seed.ts";
import { type Note, p99Of } from "./table.ts";
import { startWeb } from "./web.ts";

const LINKS = 1_000_000;
const HOUR_MS = 3_600_000;
const MEASURED_MS = 90_000;
/** Requests to the API, evenly spread. */
const ASKS_A_SECOND = 20;
const FIRST_LOOKS = 30;
/** Before which all links are made. */
const SEEDING_MS = 75_000;

/** A million links, each due once an hour, while people and scripts use the API. */
export async function aMillionHourly(note: Note): Promise<void> {
  const web = await startWeb();
  const home = await newHome();
  const beginsAt = Date.now() + SEEDING_MS;
  const dueAt = (n: number) => beginsAt + (n * HOUR_MS) / LINKS;
  const wanted = { links: LINKS, urlOf: web.urlOf, dueAt, frequency: "hourly" as const };
  const { key, linkId, firstNo } = await seed(home, wanted);
  await Bun.sleep(Math.max(0, beginsAt - 1000 - Date.now()));
  const ours = await serve(home, web.settings);
  const memory = watchMemory(ours.pid);
  const { searches, others } = await useTheApi(ours.url, key, linkId, MEASURED_MS);
  const peakMb = memory.stop();
  await ours.stop();
  await web.stop();
  const lateness = await readLateness(home, (no) => dueAt(no - firstNo));
  const perSecond = lateness.length / (MEASURED_MS / 1000);
  note("1,000,000 links hourly: checks a second", perSecond, { least: 250 });
  note("1,000,000 links hourly: lateness p99, ms", p99Of(lateness), { most: 5000 });
  note("1,000,000 links hourly: API p99, ms", p99Of(others), { most: 25, digits: 1 });
  note("1,000,000 links hourly: search p99, ms", p99Of(searches), { most: 100, digits: 1 });
  note("1,000,000 links hourly: memory at most, MB", peakMb, { most: 250 });
}

/** What a dashboard and a script ask for, one request after another, at an even pace. */
async function useTheApi(
  url: string,
  key: string,
  linkId: string,
  forMs: number,
): Promise<{ searches: number[]; others: number[] }> {
  const headers = { authorization: `Bearer ${key}` };
  const paths = [
    `/links/${linkId}`,
    "/links",
    "/links?status=dead&page=700",
    "/links?search=//n3",
    "/history",
    "/history/stats",
    "/usage",
    `/links/${linkId}/history`,
  ];
  const [searches, others]: [number[], number[]] = [[], []];
  const endsAt = performance.now() + forMs;
  for (let i = 0; performance.now() < endsAt; i++) {
    const startedAt = performance.now();
    const reply = await fetch(`${url}/api/v1${paths[i % paths.length]}`, { headers });
    if (!reply.ok) throw new Error(`${reply.status} for ${paths[i % paths.length]}`);
    await reply.arrayBuffer();
    const times = paths[i % paths.length]!.includes("search") ? searches : others;
    times.push(performance.now() - startedAt);
    await Bun.sleep(Math.max(0, 1000 / ASKS_A_SECOND - (performance.now() - startedAt)));
  }
  return { searches: searches.slice(FIRST_LOOKS), others: others.slice(FIRST_LOOKS) };
}

/** How long after it was due each check came to its end, in milliseconds; the check itself included. */
async function readLateness(home: Home, dueAt: (no: number) => number): Promise<number[]> {
  const database = openEngine(home.STILLUP_DATABASE_URL);
  const sql = "select link_no, checked_at from checks";
  const ended = (await database.run({ sql, params: [] })) as [number, number][];
  await database.close();
  return ended.map(([no, at]) => at - dueAt(no));
}
