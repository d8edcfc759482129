import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BUCKETS } from "../../server/work/nodes.ts";
import { startHooks } from "../hooks.ts";
import { IS_LONG, sized } from "../long.ts";
import { type OwnPostgres, startOwnPostgres } from "../own-postgres.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { changesOfHand, type Hosts, mostAtOnce, startHosts, type Visit } from "./hosts.ts";
import { addLinks, checked, linksByChecks, makeDue, post } from "./links.ts";
import type { ClusterNode } from "./node.ts";

const HOSTS = sized(6, 40);
const PAGES = sized(10, 40);
const LINKS = HOSTS * PAGES;
const AT_ONCE = 2;
/**
 * Half of the checks under way may take long, and others that do begin again. This is enough for all links, so that each
 * is asked for once also on a machine that makes all of them take long.
 */
const CONCURRENCY = 2 * LINKS;
const PER_MINUTE = 100;
const AHEAD_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

const SETTINGS = {
  STILLUP_HOST_CONCURRENCY: String(AT_ONCE),
  STILLUP_CHECK_CONCURRENCY: String(CONCURRENCY),
  STILLUP_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE),
  STILLUP_WEBHOOK_RETRY_SECONDS: "0,0,1,1,1,1",
};

/**
 * Two nodes that do all work, or several of which each does a part. What follows from their parts has its proof on played
 * nodes in `npm test` (tests/nodes), and is tested with whole processes in the long run.
 */
describe("Several nodes on one PostgreSQL", () => {
  let postgres: OwnPostgres | undefined;
  let cluster: Cluster;
  let sites: Hosts;
  let [api, checkers]: [ClusterNode[], ClusterNode[]] = [[], []];
  let rounds = 0;

  beforeAll(async () => {
    sites = startHosts();
    postgres = IS_LONG ? await startOwnPostgres() : undefined;
    cluster = await startCluster(SETTINGS, postgres);
    const start = (role: string, ...names: string[]) =>
      Promise.all(names.map((name) => cluster.start(name, { role })));
    if (IS_LONG) {
      api = await start("api,delivery", "api-1", "api-2");
      checkers = await start("checker", "checker-1", "checker-2", "checker-3");
    } else {
      checkers = await start("all", "one", "other");
      api = [...checkers];
    }
  });
  afterAll(async () => {
    await cluster.remove();
    await sites.stop();
  });

  /** Waits until every link was checked once in each round so far. */
  async function allAreChecked() {
    rounds++;
    await checked(cluster, rounds * LINKS);
    expect(await linksByChecks(cluster.sql)).toEqual({ [rounds]: LINKS });
  }

  test("check every link that is due once, and each host from one node with its politeness", async () => {
    const key = await cluster.newKey("adding");
    await addLinks({ url: api[0]!.url, key }, sites, HOSTS, PAGES);
    await allAreChecked();

    const visits = sites.takeVisits();
    expect(new Set(visits.map(pageOf)).size).toBe(LINKS);
    expect(visits.length).toBe(LINKS);
    expect(new Set(visits.map(({ by }) => by)).size).toBe(checkers.length);
    for (const ofHost of byHost(visits)) {
      expect(changesOfHand(ofHost)).toBe(0);
      expect(mostAtOnce(ofHost)).toBeLessThanOrEqual(AT_ONCE);
    }
  });

  test.if(IS_LONG)(
    "take over the links of a killed node, and give a new node its share",
    async () => {
      await makeDue(cluster.sql);
      await checked(cluster, rounds * LINKS + LINKS / 4);
      const killed = checkers.shift()!;
      await killed.stop("SIGKILL");
      checkers.push(await cluster.start("checker-4", { role: "checker" }));
      await allAreChecked();

      const visits = sites.takeVisits();
      const times = Map.groupBy(visits, pageOf).values();
      expect(Math.max(...times.map(({ length }) => length))).toBeLessThanOrEqual(2);
      expect(visits.some(({ by }) => by === "checker-4")).toBe(true);
      for (const ofHost of byHost(visits)) {
        // Two nodes may overlap while one starts, each within its limit.
        for (const ofNode of byNode(ofHost))
          expect(mostAtOnce(ofNode)).toBeLessThanOrEqual(AT_ONCE);
      }
      const { nodes } = await api[0]!.ready();
      expect(nodes.find(({ name }) => name === killed.name)?.live).toBe(false);
    },
  );

  test.if(IS_LONG)("lose nothing and judge nothing while the database is away", async () => {
    await makeDue(cluster.sql);
    await checked(cluster, rounds * LINKS + LINKS / 4);
    await postgres!.stop();
    await Promise.all(checkers.map(({ output }) => output.has(/heartbeat failed/)));
    await postgres!.start();
    await allAreChecked();

    const [{ n }] =
      await cluster.sql`select count(*)::int as n from links where status <> 'active'`;
    expect(n).toBe(0);
    await cluster.until(
      "a node that is ready",
      async () => (await fetch(`${api[1]!.url}/ready`)).ok,
    );
  });

  test.if(IS_LONG)("are not misled by one whose clock is five minutes ahead", async () => {
    const early = await cluster.start("early", { role: "checker", aheadMs: AHEAD_MS });
    await cluster.until("a share for each", async () => {
      const shares = await Promise.all([early, ...checkers].map(shareOf));
      return shares[0]! > 0 && shares.reduce((sum, share) => sum + share, 0) === BUCKETS;
    });
    sites.takeVisits();
    await makeDue(cluster.sql, { inMs: 4 * MINUTE_MS });
    await makeDue(cluster.sql, { part: "/pages/1" });
    const due = await dueNow();
    await checked(cluster, rounds * LINKS + due);

    const visits = sites.takeVisits();
    expect(visits.some(({ by }) => by === early.name)).toBe(true);
    expect(visits.filter(({ path }) => !path.startsWith("/pages/1"))).toEqual([]);
    expect(visits.length).toBe(due);
    await early.stop();
  });

  test.if(IS_LONG)(
    "say in their log by how much their clock is wrong, once they know the database's",
    async () => {
      const early = await cluster.start("early-log", { role: "checker", aheadMs: AHEAD_MS });
      const aheadOf = async (node: ClusterNode) => {
        await node.output.has(/"message":"started".*\n/);
        const lines = linesOf(node);
        const listening = lines.filter(({ message }) => message.startsWith("listening on"));
        const since = lines.findIndex(({ message }) => message === "started");
        const connected = [...listening, ...lines.slice(since)];
        // In whole minutes, since how long the database's answer took is a part of it.
        return new Set(connected.map(({ clockAheadMs = 0 }) => minutes(clockAheadMs)));
      };

      expect(await aheadOf(early)).toEqual(new Set([minutes(AHEAD_MS)]));
      for (const node of [...api, ...checkers]) expect(await aheadOf(node)).toEqual(new Set([0]));
      await early.stop();
    },
  );

  const linesOf = (node: ClusterNode): { message: string; clockAheadMs?: number }[] =>
    node.output
      .text()
      .match(/^\{.*\}$/gm)!
      .map((line) => JSON.parse(line));

  const minutes = (ms: number) => Math.round(ms / MINUTE_MS);

  /** Parts of the work that the node takes now. */
  const shareOf = async (node: ClusterNode) =>
    (await node.ready()).nodes.find(({ name }) => name === node.name)?.buckets.checks ?? 0;

  const dueNow = async () =>
    (await cluster.sql`select count(*)::int as n from links where url like '%/pages/1%'`)[0].n;

  test.if(IS_LONG)("allow as many requests of one key as a single node does", async () => {
    const key = await cluster.newKey("hurried");
    const headers = { authorization: `Bearer ${key}` };
    const asked = Array.from({ length: 2 * PER_MINUTE }, (_, n) =>
      fetch(`${api[n % api.length]!.url}/api/v1/groups`, { headers }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 200).length).toBe(PER_MINUTE);
    expect(statuses.filter((status) => status === 429).length).toBe(PER_MINUTE);
  });

  test.if(IS_LONG)(
    "send each event under one id, also when the sending node is killed",
    async () => {
      const hooks = startHooks();
      const key = await cluster.newKey("hooks");
      const hook = { url: hooks.url, events: ["link.dead"] };
      await post({ url: api[0]!.url, key }, "/api/v1/webhooks", hook);
      sites.takeAway("/pages/2");
      const [{ n }] = await cluster.sql`
      select count(*)::int as n from links where url like '%/pages/2%'`;
      await makeDue(cluster.sql, { part: "/pages/2" });
      await cluster.until("a quarter of the messages", () => hooks.bodies.size >= n / 4);
      await api.shift()!.stop("SIGKILL");
      await cluster.until("all messages", () => hooks.bodies.size >= n);

      const links = [...hooks.bodies.values()].map((body) => JSON.parse(body).data.linkId);
      expect(new Set(links).size).toBe(n);
      expect(links.length).toBe(n);
      expect(hooks.seen.altered).toBe(0);
    },
  );
});

const pageOf = ({ host, path }: Visit) => host + path;

const byHost = (visits: Visit[]) => [...Map.groupBy(visits, ({ host }) => host).values()];

const byNode = (visits: Visit[]) => [...Map.groupBy(visits, ({ by }) => by).values()];
