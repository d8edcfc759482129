import { afterAll, beforeAll, expect, test } from "bun:test";
import { sized } from "../long.ts";
import { type LinkedSites, startLinkedSites } from "../sources/linked-sites.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { changesOfHand, mostAtOnce } from "./hosts.ts";
import { post } from "./links.ts";

const SITES = sized(8, 50);
const PAGES = 60;
const AT_ONCE = 2;
/** Sources that a node reads at once, and pages that a step of each has read when its node is killed. */
const [CONCURRENCY, STEP] = [2, 20];
const SETTINGS = {
  STILLUP_HOST_CONCURRENCY: String(AT_ONCE),
  STILLUP_SOURCE_CONCURRENCY: String(CONCURRENCY),
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
};

let cluster: Cluster;
let sites: LinkedSites;
beforeAll(async () => {
  sites = startLinkedSites(PAGES);
  cluster = await startCluster(SETTINGS);
});
afterAll(async () => {
  await cluster.remove();
  await sites.stop();
});

test("Four nodes read each source once, also when one is killed and another stops", async () => {
  const names = ["a", "b", "c", "d"];
  const [a, b, ...rest] = await Promise.all(names.map((name) => cluster.start(name)));
  const asked = { url: rest[0]!.url, key: await cluster.newKey("sources") };
  const hosts = Array.from({ length: SITES }, (_, n) => sites.urlOf(n));
  for (const url of hosts) {
    const settings = { sitemaps: false };
    await post(asked, "/api/v1/sources", { kind: "site", name: url, url, settings });
  }
  const ofSources = () => sites.visits.filter(({ host }) => host.startsWith("127.98."));
  const read = (share: number) => ofSources().length >= SITES * PAGES * share;

  await cluster.until(() => read(0.25));
  await a!.stop("SIGKILL");
  await cluster.until(() => read(0.5));
  await b!.stop();
  const counted = await cluster.until(async () => {
    const rows = await cluster.sql`
      select s.pages::int, s.places::int, r.status from sources s
      join source_runs r on r.source_no = s.no and r.run_no = s.run_no`;
    return rows.every(({ status }: { status: string }) => status === "complete") && [...rows];
  }, 180_000);

  expect(counted.length).toBe(SITES);
  const { pages, places } = sites.counts;
  for (const each of counted) expect(each).toMatchObject({ pages, places, status: "complete" });
  const visits = ofSources();
  const byHost = Map.groupBy(visits, ({ host }) => host);
  expect(byHost.size).toBe(SITES);
  for (const ofHost of byHost.values()) {
    expect(new Set(ofHost.map(({ path }) => path)).size).toBe(pages);
    expect(mostAtOnce(ofHost)).toBeLessThanOrEqual(AT_ONCE);
    // Each of the two that end, and each node that starts, may hand it on.
    expect(changesOfHand(ofHost)).toBeLessThanOrEqual(2 + names.length);
  }
  expect(visits.length - SITES * pages).toBeLessThanOrEqual(2 * CONCURRENCY * (STEP + 1));
}, 300_000);
