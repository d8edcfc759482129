import { addressOf, siteIn } from "./pages.ts";
import { cpuSeconds } from "./program.ts";

/**
 * What checks are compared with: reads the same pages with `fetch` and nothing else, each on a new connection (unless
 * there is a third argument) to the address of its site, since `fetch` would resolve names by the system, which does not know these.
 */
const [list, atOnce, keep] = process.argv.slice(2) as [string, string, string?];
const urls: string[] = await Bun.file(list).json();

let next = 0;
async function work() {
  while (next < urls.length) {
    const url = new URL(urls[next++]!);
    const { host, hostname } = url;
    url.hostname = addressOf(siteIn(host));
    const tls = { serverName: hostname };
    const response = await fetch(url, { keepalive: keep !== undefined, headers: { host }, tls });
    if (!response.ok) throw new Error(`${response.status} for ${url}`);
    await response.text();
  }
}

const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(process.pid)];
await Promise.all(Array.from({ length: Number(atOnce) }, work));
const seconds = (performance.now() - startedAt) / 1000;
const cpu = (cpuSeconds(process.pid) - cpuBefore) / (urls.length / 1000);
console.log(JSON.stringify({ perSecond: urls.length / seconds, cpu }));
