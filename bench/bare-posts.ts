import { cpuSeconds } from "./program.ts";

/** What deliveries are compared with: `fetch` and nothing else, each on a new connection. */
const [url, count, atOnce, body] = process.argv.slice(2) as [string, string, string, string];
const headers = { "content-type": "application/json" };

let left = Number(count);
async function work() {
  while (left-- > 0) {
    const response = await fetch(url, { method: "POST", headers, body, keepalive: false });
    await response.text();
  }
}

const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(process.pid)];
await Promise.all(Array.from({ length: Number(atOnce) }, work));
const seconds = (performance.now() - startedAt) / 1000;
const cpu = (cpuSeconds(process.pid) - cpuBefore) / (Number(count) / 1000);
console.log(JSON.stringify({ perSecond: Number(count) / seconds, cpu }));
