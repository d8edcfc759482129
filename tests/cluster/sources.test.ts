import { afterAll, beforeAll, expect, test } from "bun:test";
import { IS_LONG, sized } from "../long.ts";
import { type LinkedSites, startLinkedSites } from "../sources/linked-sites.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { changesOfHand, mostAtOnce } from "./hosts.ts";
import { post } from "./links.ts";

const SITES = sized(2, 12);
const PAGES = sized(30, 60);
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

/** A killed node holds its sources until their lease is over, which takes half a minute. */
test("Nodes read each source once, also when one stops and, in the long run, another is killed", async () => {
  const names = IS_LONG ? ["killed", "stopped", "third", "fourth"] : ["stopped", "other"];
  const nodes = await Promise.all(names.map((name) => cluster.start(name)));
  const [stopped, killed] = [nodes.at(IS_LONG ? 1 : 0)!, nodes[0]!];
  const asked = { url: nodes.at(-1)!.url, key: await cluster.newKey("sources") };
  const hosts = Array.from({ length: SITES }, (_, n) => sites.urlOf(n));
  for (const url of hosts) {
    const settings = { sitemaps: false };
    await post(asked, "/api/v1/sources", { kind: "site", name: url, url, settings });
  }
  const ofSources = () => sites.visits.filter(({ host }) => host.startsWith("127.98."));
  const read = (share: number) => ofSources().length >= SITES * PAGES * share;

  await cluster.until("a quarter of the pages", () => read(0.25));
  if (IS_LONG) await killed.stop("SIGKILL");
  await cluster.until("half of the pages", () => read(0.5));
  await stopped.stop();
  const counted = await cluster.until(
    "all sources",
    async () => {
      const rows = await cluster.sql`
      select s.pages::int, s.places::int, r.status from sources s
      join source_runs r on r.source_no = s.no and r.run_no = s.run_no`;
      return rows.every(({ status }: { status: string }) => status === "complete") && [...rows];
    },
    180_000,
  );

  expect(counted.length).toBe(SITES);
  const { pages, places } = sites.counts;
  for (const each of counted) expect(each).toMatchObject({ pages, places, status: "complete" });
  const visits = ofSources();
  const byHost = Map.groupBy(visits, ({ host }) => host);
  expect(byHost.size).toBe(SITES);
  for (const ofHost of byHost.values()) {
    expect(new Set(ofHost.map(({ path }) => path)).size).toBe(pages);
    expect(mostAtOnce(ofHost)).toBeLessThanOrEqual(AT_ONCE);
    // Each that ends, and each node that starts, may hand it on.
    expect(changesOfHand(ofHost)).toBeLessThanOrEqual(2 + names.length);
  }
  expect(visits.length - SITES * pages).toBeLessThanOrEqual(2 * CONCURRENCY * (STEP + 1));
}, 300_000);
