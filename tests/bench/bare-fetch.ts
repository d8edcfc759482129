import { cpuSeconds } from "./program.ts";

/** The measure of the checks: `fetch` and nothing else, on a new connection each. */
const [list, atOnce] = process.argv.slice(2) as [string, string];
const urls: string[] = await Bun.file(list).json();
const tls = process.env.BENCH_CA ? { tls: { ca: process.env.BENCH_CA } } : {};

let next = 0;
async function work() {
  while (next < urls.length) {
    const response = await fetch(urls[next++]!, { keepalive: false, ...tls });
    await response.text();
  }
}

const [startedAt, cpuBefore] = [performance.now(), await cpuSeconds(process.pid)];
await Promise.all(Array.from({ length: Number(atOnce) }, work));
const seconds = (performance.now() - startedAt) / 1000;
const cpu = ((await cpuSeconds(process.pid)) - cpuBefore) / (urls.length / 1000);
console.log(JSON.stringify({ perSecond: urls.length / seconds, cpu }));
