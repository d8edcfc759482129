import { existsSync } from "node:fs";
import { measureBodies } from "./bodies.ts";
import { measureCatalogue, measureFiling } from "./filing.ts";
import { fill } from "./fill.ts";
import { measureJudging } from "./judging.ts";
import { load } from "./load.ts";
import { memoryMb, newFolder, startProgram } from "./program.ts";

const CONNECTIONS = 32;
const REQUESTS = 60_000;
/** Rounds that only let the compiler see what is hot. */
const WARM_UP = 2;
const ROUNDS = 5;
const EXECUTABLE = "dist/stillup";
const ROOMY = { STILLUP_RATE_LIMIT_PER_MINUTE: "1000000", STILLUP_RATE_LIMIT_PER_HOUR: "1000000" };

/** The program, from the executable when it was built. */
const command = existsSync(EXECUTABLE) ? [EXECUTABLE] : [process.execPath, "server/main.ts"];

const serve = (folder: string) =>
  startProgram([...command, "serve"], { STILLUP_DATA_DIR: folder, STILLUP_PORT: "0", ...ROOMY });

type Row = { what: string; seen: string; wanted: string; ok: boolean };
const rows: Row[] = [];
const note = (what: string, seen: string, wanted: string, ok: boolean) =>
  rows.push({ what, seen, wanted, ok });

await judging();
await filing();
await readsAgainstBare();
await batches();
await aMillion();
await startAndMemory();
await bodies();
console.table(rows);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);

/** A page of 200 kB, from its bytes to its verdict, beside a bare pass of the parser over it. */
async function judging() {
  const { judgeMs, ratio, garbageKb } = await measureJudging();
  note("judging a page of 200 kB, ms", judgeMs.toFixed(2), "< 2", judgeMs < 2);
  note("judging it / only parsing it", ratio.toFixed(2), "≤ 3", ratio <= 3);
  note("garbage of judging it, kB", whole(garbageKb), "≤ 1,000", garbageKb <= 1000);
}

/** Finding the services of a million addresses, beside reading them as URLs; and the catalogue at the start. */
async function filing() {
  const { classifyMs, parseMs } = await measureFiling();
  note("filing 1,000,000 URLs under services, ms", whole(classifyMs), "< 2,000", classifyMs < 2000);
  note("filing them / reading them as URLs", (classifyMs / parseMs).toFixed(2), "", true);
  const startMs = await measureCatalogue();
  note("the catalogue at the start, ms", startMs.toFixed(1), "< 5", startMs < 5);
}

/** By how much memory grows for bodies that are large, endless or worse. */
async function bodies() {
  for (const { what, grownMb, mostMb } of await measureBodies()) {
    const isFine = mostMb === null || grownMb < mostMb;
    note(`memory for ${what}, MB`, grownMb.toFixed(1), mostMb ? `< ${mostMb}` : "", isFine);
  }
}

/** One link by key, beside a bare route that returns the same JSON; in turn, so that drift hits both. */
async function readsAgainstBare() {
  const folder = newFolder();
  const { key, linkId } = await fill(folder, 10_000);
  const ours = await serve(folder);
  const headers = { authorization: `Bearer ${key}` };
  const path = `${ours.url}/api/v1/links/${linkId}`;
  const reply = await (await fetch(path, { headers })).text();
  const bare = await startProgram([process.execPath, "tests/bench/bare.ts", reply]);
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
  note("bare Elysia route, requests/s", whole(base.perSecond), "", failed === 0);
  note("GET /links/{id}, requests/s", whole(mine.perSecond), "", failed === 0);
  note("GET /links/{id} / bare route", ratio.toFixed(2), "≥ 0.20", ratio >= 0.2);
  note("GET /links/{id}, p99 ms at 32 connections", p99.toFixed(2), "< 3", p99 < 3);
}

/** 1,000 links in one request, on an empty account and on one with 100,000. */
async function batches() {
  const seen: number[] = [];
  for (const present of [0, 100_000]) {
    const folder = newFolder();
    const { key } = await fill(folder, present);
    const ours = await serve(folder);
    const times = [];
    for (let i = 0; i < 8; i++) times.push(await timeBatch(ours.url, key, i));
    await ours.stop();
    const ms = medianBy(times.slice(1), (time) => time);
    seen.push(ms);
    note(
      `POST /links/batch of 1,000, ms, ${whole(present)} present`,
      ms.toFixed(1),
      "< 150",
      ms < 150,
    );
  }
  const ratio = seen[1]! / seen[0]!;
  note("batch with 100,000 present / with none", ratio.toFixed(2), "≈ 1 (< 1.5)", ratio < 1.5);
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

/** A list of 20 out of a million, plain and by status. */
async function aMillion() {
  const folder = newFolder();
  const { key } = await fill(folder, 1_000_000);
  const ours = await serve(folder);
  for (const query of ["?per_page=20", "?per_page=20&status=dead"]) {
    const url = `${ours.url}/api/v1/links${query}`;
    const headers = { authorization: `Bearer ${key}` };
    const { p99, failed } = await load({ url, headers, connections: 4, requests: 4000 });
    note(
      `GET /links${query} of 1,000,000, p99 ms`,
      p99.toFixed(2),
      "< 20",
      p99 < 20 && failed === 0,
    );
  }
  await ours.stop();
}

async function startAndMemory() {
  const folder = newFolder();
  await fill(folder, 100_000);
  const starts = [];
  let memory = 0;
  for (let i = 0; i < 6; i++) {
    const ours = await serve(folder);
    starts.push(ours.startMs);
    await Bun.sleep(2000);
    memory = await memoryMb(ours.pid);
    await ours.stop();
  }
  const ms = medianBy(starts.slice(1), (start) => start);
  const what = command.length === 1 ? "executable" : "from the checkout";
  note(`listening, ms, ${what}, 100,000 links`, ms.toFixed(0), "< 150", ms < 150);
  note("idle memory, MB", memory.toFixed(0), "< 80", memory < 80);
  if (existsSync(EXECUTABLE))
    note("executable, MB", whole(Bun.file(EXECUTABLE).size / 1e6), "", true);
}

function medianBy<T>(items: T[], by: (item: T) => number): T {
  return items.toSorted((a, b) => by(a) - by(b))[Math.floor(items.length / 2)]!;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
