import { pathOf } from "./pages.ts";

/**
 * Uses the API at a fixed pace, from a line on stdin until its end, and prints how long each request took, in
 * milliseconds. Times count from when a request was due, so that a stalled server does not hide those that it delays.
 */
const [api, key, site, first] = process.argv.slice(2) as [string, string, string, string];
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

const READ_EVERY_MS = 50;
const ADD_EVERY_MS = 2000;
const BATCH = 1000;

async function send(path: string, init: RequestInit = {}): Promise<void> {
  const reply = await fetch(api + path, { headers, ...init });
  if (!reply.ok) throw new Error(`${reply.status} for ${path}`);
  await reply.arrayBuffer();
}

const readStatistics = () => send("/history/stats");
const readLinks = () => send("/links?per_page=50");

/** Adds further links of one site. */
function addLinks(n: number): Promise<void> {
  const from = Number(first) + n * BATCH;
  const links = Array.from({ length: BATCH }, (_, i) => ({
    url: site + pathOf(from + i),
    check_frequency: "monthly",
  }));
  return send("/links/batch", { method: "POST", body: JSON.stringify({ links }) });
}

async function repeat(everyMs: number, request: (n: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let n = 0; !isOver; n++) {
    const dueAt = startedAt + (n + 0.5) * everyMs;
    await Promise.race([Bun.sleep(Math.max(0, dueAt - performance.now())), over.promise]);
    const note = () => void times.push(performance.now() - dueAt);
    if (!isOver) pending.push(request(n).then(note));
  }
  await Promise.all(pending);
  return times;
}

let isOver = false;
const over = Promise.withResolvers<void>();

// Opens the connections before anything is measured.
await Promise.all([readStatistics(), readLinks()]);
const input = Bun.stdin.stream().getReader();
await input.read();
const routes = [
  repeat(READ_EVERY_MS, readStatistics),
  repeat(READ_EVERY_MS, readLinks),
  repeat(ADD_EVERY_MS, addLinks),
];
await input.read();
isOver = true;
over.resolve();
const [statistics, links, batch] = await Promise.all(routes);
console.log(JSON.stringify({ statistics, links, batch }));
process.exit(0);
