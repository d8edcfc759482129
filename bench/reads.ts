import { load } from "./load.ts";
import { newHome, serve, startProgram } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";

const CONNECTIONS = 32;
const REQUESTS = 60_000;
/** Rounds that only let the compiler see what is hot. */
const WARM_UP = 2;
const ROUNDS = 5;

/** One link by key, compared with a bare route that returns the same JSON; in turn, so that drift hits both. */
export async function reads(note: Note): Promise<void> {
  const home = await newHome();
  const { key, linkId } = await seed(home, { links: 10_000 });
  const ours = await serve(home);
  const headers = { authorization: `Bearer ${key}` };
  const path = `${ours.url}/api/v1/links/${linkId}`;
  const reply = await (await fetch(path, { headers })).text();
  const bare = await startProgram([process.execPath, "bench/bare.ts", reply]);
  const runs = [];
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    const base = await load({ url: `${bare.url}/`, connections: CONNECTIONS, requests: REQUESTS });
    const mine = await load({ url: path, headers, connections: CONNECTIONS, requests: REQUESTS });
    if (i >= WARM_UP) runs.push({ base, mine, ratio: mine.perSecond / base.perSecond });
  }
  await Promise.all([ours.stop(), bare.stop()]);
  const { base, mine, ratio } = medianBy(runs, (run) => run.ratio);
  const { p99 } = medianBy(runs, (run) => run.mine.p99).mine;
  const failed = runs.reduce((sum, run) => sum + run.mine.failed + run.base.failed, 0);
  note("bare Elysia route, requests a second", base.perSecond);
  note("GET /links/{id}, requests a second", mine.perSecond);
  note("GET /links/{id}, requests that failed", failed, { most: 0 });
  note("GET /links/{id} / bare route", ratio, { least: 0.2, digits: 2 });
  note("GET /links/{id}, p99 ms at 32 connections", p99, { most: 3, digits: 2 });
}

/** 1,000 links in one request, on an empty account and on one with 100,000. */
export async function batches(note: Note): Promise<void> {
  const seen: number[] = [];
  for (const links of [0, 100_000]) {
    const home = await newHome();
    const { key } = await seed(home, { links });
    const ours = await serve(home);
    const times = [];
    for (let i = 0; i < 8; i++) times.push(await timeBatch(ours.url, key, i));
    await ours.stop();
    const ms = medianBy(times.slice(1), (time) => time);
    seen.push(ms);
    note(`POST /links/batch of 1,000, ms, ${links} present`, ms, { most: 150 });
  }
  const ratio = seen[1]! / seen[0]!;
  note("batch with 100,000 present / with none", ratio, { most: 1.5, digits: 2 });
}

async function timeBatch(url: string, key: string, round: number): Promise<number> {
  const links = Array.from({ length: 1000 }, (_, i) => ({
    url: `https://new.invalid/${round}/${i}`,
  }));
  const body = JSON.stringify({ links });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1/links/batch`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { summary: { created: number } } };
  if (data.summary.created !== 1000) throw new Error("the batch was not created");
  return performance.now() - startedAt;
}
