import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { type Parsed, START, startServer } from "../../tests/harness.ts";
import { METRICS_TOKEN } from "../../tests/metrics/reading.ts";
import { type PlayedNode, playNode } from "../../tests/nodes/playing.ts";
import { freshPostgres } from "../../tests/postgres.ts";
import { createService } from "../app/app.ts";
import { links } from "../ground/db/tables.ts";
import { nodeReadings } from "../pages/metrics/process.ts";
import { BUCKETS } from "./nodes.ts";

const BEAT_MS = 5000;

describe("A node that leaves checks to others", () => {
  let [api, checker]: PlayedNode[] = [];
  let time: MovableClock;
  beforeEach(async () => {
    const url = await freshPostgres();
    time = movableClock(START);
    api = playNode(url, time, {
      ROLE: "api",
      NODE_NAME: "front",
      METRICS_TOKEN,
    });
    checker = playNode(url, time, { ROLE: "checker", NODE_NAME: "back" });
  });
  afterEach(() => Promise.all([api!.close(), checker!.close()]));

  async function readiness(): Promise<Parsed> {
    const { front } = await createService(api!.deps);
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const reply = await front(new Request("http://localhost/ready", { headers }));
    return { code: reply.status, ...((await reply.json()) as Parsed) };
  }

  async function beat(nodes: (PlayedNode | undefined)[], times = 1) {
    for (let i = 0; i < times; i++) {
      time.moveBy(BEAT_MS);
      for (const node of nodes) await node!.beat();
    }
  }

  test("is ready without any that checks, and says that none does", async () => {
    await api!.beat();

    expect(await readiness()).toMatchObject({ code: 200, status: "ready", checker: false });
  });

  test("lists all nodes, itself first, with what they do", async () => {
    await beat([checker, api], 2);

    const { checker: isChecked, nodes } = await readiness();

    expect(isChecked).toBe(true);
    const [seen, common] = [new Date(time.now()).toISOString(), { version: "0.1.0", live: true }];
    expect(nodes).toEqual([
      {
        name: "front",
        roles: ["api"],
        seen_at: seen,
        ...common,
        lag: { checks: null, deliveries: null },
        buckets: { checks: 0, deliveries: 0 },
      },
      {
        name: "back",
        roles: ["checker"],
        seen_at: seen,
        ...common,
        lag: { checks: 0, deliveries: null },
        buckets: { checks: BUCKETS, deliveries: 0 },
      },
    ]);
  });

  test("says that no node checks once the one that did is dead, and that it is", async () => {
    await beat([api, checker], 6);
    await beat([api], 5);

    const { checker: isChecked, nodes } = await readiness();

    expect(isChecked).toBe(false);
    expect(nodes[1]).toMatchObject({ name: "back", live: false });
    expect(nodeReadings(api!.deps)).toMatchObject({ nodes_gone: 1 });
  });

  test("does not count a node as gone that is back under its name", async () => {
    await beat([api, checker], 6);
    await beat([api], 5);
    await checker!.close();
    checker = playNode(api!.deps.config.databaseUrl, time, { ROLE: "checker", NODE_NAME: "back" });
    await beat([checker, api]);

    expect(nodeReadings(api!.deps)).toMatchObject({
      nodes_gone: 0,
      nodes: [
        [{ role: "api" }, 1],
        [{ role: "checker" }, 1],
        [{ role: "delivery" }, 0],
      ],
    });
  });
});

test("How late a node is depends on the links of its own part", async () => {
  const server = await startServer("postgres");
  const me = await server.account();
  for (const n of [1, 2, 3]) await me.post("/api/v1/links", { url: `https://site-${n}.example/` });
  const time = movableClock(server.clock.now() + 60_000);
  const only = playNode(server.config.databaseUrl, time, { ROLE: "checker" });
  await only.beat();
  await server.deps.store.update(links).set({ nextCheckAt: time.now() - 30_000 });
  time.moveBy(20_000);
  await only.beat();

  expect(only.nodes.all()[0]!.state.lagMs).toEqual({ checks: 50_000, deliveries: null });
  expect(nodeReadings(only.deps)).toMatchObject({ node_lag_seconds: [[{ work: "checks" }, 50]] });
  await only.close();
  await server.stop();
});
