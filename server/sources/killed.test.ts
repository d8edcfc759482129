import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { executable, type Installed, install, newFolder, SETTINGS } from "../../tests/installed.ts";
import { sized } from "../../tests/long.ts";
import { randomFrom } from "../../tests/random.ts";
import { type LinkedSites, startLinkedSites } from "../../tests/sources/linked-sites.ts";
import { until } from "../../tests/until.ts";

const PAGES = sized(60, 300);
const KILLS = sized(1, 10);
/** Of what a step has read. */
const READ_AGAIN = 20;
const UNLIMITED = { STILLUP_RATE_LIMIT_PER_MINUTE: "0", STILLUP_RATE_LIMIT_PER_HOUR: "0" };

let sites: LinkedSites;
let installed: Installed;
const folder = newFolder();
let key = "";

beforeAll(async () => {
  sites = startLinkedSites(PAGES);
  const program = await executable();
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  await $`${program} user create --email killed@example.org`.env(env).quiet();
  key = (await $`${program} key create --email killed@example.org --name k`.env(env).text()).trim();
  installed = await install(folder, UNLIMITED);
});
afterAll(async () => {
  await installed.remove();
  await sites.stop();
});

async function ask(method: string, path: string, body?: object) {
  const reply = await fetch(`${installed.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return (await reply.json()).data;
}

test("A site is read to its end by a program that is killed again and again, and counted as if it had not been", async () => {
  const random = randomFrom(20_300_102);
  const url = sites.urlOf(1);
  const { id } = await ask("POST", "/sources", {
    kind: "site",
    name: "Docs",
    url,
    settings: { sitemaps: false },
  });
  const isRead = ({ host }: { host: string }) => host === new URL(url).host;
  const read = () => sites.visits.filter(isRead).length;
  const run = async () => (await ask("GET", `/sources/${id}`)).run;
  let runs = 1;

  for (let kill = 0; kill < KILLS; kill++) {
    const target = read() + random(2 * READ_AGAIN);
    await until(`${target} pages`, async () => {
      if (read() >= target) return true;
      if (!(await run()).ended_at) return false;
      runs++;
      await ask("POST", `/sources/${id}/run`);
      return false;
    });
    await installed.stop("SIGKILL");
    await installed.start();
  }
  const ended = await until("the end of the run", async () => {
    const source = await ask("GET", `/sources/${id}`);
    return source.run.ended_at && source;
  });

  expect(ended.run).toMatchObject({ status: "complete", links: { missing: 0, retired: 0 } });
  expect(ended.counts).toMatchObject(sites.counts);
  const times = Map.groupBy(sites.visits.filter(isRead), ({ path }) => path);
  expect(times.size).toBe(sites.counts.pages);
  // The first page is also read to find out where the site is.
  const again = read() - runs * sites.counts.pages;
  expect(again).toBeLessThanOrEqual(KILLS * (READ_AGAIN + 1));
  const { pagination } = await ask("GET", "/links?per_page=1");
  expect(pagination.total).toBe(sites.counts.links);
}, 600_000);
