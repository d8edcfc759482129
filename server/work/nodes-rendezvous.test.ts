import { describe, expect, test } from "bun:test";
import type { Role } from "../ground/config/settings.ts";
import { BUCKETS, createShare, type NodeInfo, ownersAmong, sharersOf } from "./nodes.ts";

const IDS = Array.from({ length: 16 }, (_, i) => `node-${i}`);

const countsOf = (owners: (string | null)[]) =>
  [...Map.groupBy(owners, (owner) => owner).values()].map(({ length }) => length);

describe("Buckets", () => {
  test.each([2, 3, 4, 5])("are nearly evenly spread over %d nodes", (n) => {
    const counts = countsOf(ownersAmong(IDS.slice(0, n)));

    expect(counts.length).toBe(n);
    expect(Math.min(...counts)).toBeGreaterThan((0.85 * BUCKETS) / n);
    expect(Math.max(...counts)).toBeLessThan((1.15 * BUCKETS) / n);
  });

  test("are spread over sixteen nodes so that none has much more than another", () => {
    const counts = countsOf(ownersAmong(IDS));

    expect(Math.min(...counts)).toBeGreaterThan((0.65 * BUCKETS) / 16);
    expect(Math.max(...counts)).toBeLessThan((1.35 * BUCKETS) / 16);
  });

  test("are the same nodes' in whatever order these are known", () => {
    expect(ownersAmong(IDS.toReversed())).toEqual(ownersAmong(IDS));
  });

  test("stay where they are when another's node goes", () => {
    const before = ownersAmong(IDS);
    const after = ownersAmong(IDS.filter((id) => id !== "node-3"));

    const moved = before.filter((owner, bucket) => owner !== after[bucket]);
    expect(new Set(moved)).toEqual(new Set(["node-3"]));
  });

  test("move to a node that comes and nowhere else", () => {
    const before = ownersAmong(IDS);
    const after = ownersAmong([...IDS, "new"]);

    const moved = after.filter((owner, bucket) => owner !== before[bucket]);
    expect(new Set(moved)).toEqual(new Set(["new"]));
    expect(moved.length).toBeLessThan((1.35 * BUCKETS) / 17);
  });

  test("have no owner when there is no node", () => {
    expect(new Set(ownersAmong([]))).toEqual(new Set([null]));
  });
});

const nodeOf = (
  id: string,
  {
    roles = ["api", "checker", "delivery"] as Role[],
    isLive = true,
    online = "online" as const,
  } = {},
  state: Partial<NodeInfo["state"]> = {},
): NodeInfo => ({
  id,
  name: id,
  roles,
  version: "1.0.0",
  startedAt: 0,
  seenAt: 0,
  isLive,
  state: {
    online,
    onlineSince: 0,
    clockOffMs: 0,
    lagMs: { checks: null, deliveries: null },
    buckets: { checks: 0, deliveries: 0 },
    takesPart: true,
    settings: { mail: null, oidc: null },
    ...state,
  },
});

test("A node keeps its share as long as the same nodes have one", () => {
  const share = createShare("node-0");
  const before = share(IDS);

  expect(share(IDS.toReversed())).toBe(before);
  expect(share(["node-0"]).isAll).toBe(true);
  expect(share(["node-1"]).buckets).toEqual([]);
});

describe("Work is shared", () => {
  test("by live nodes with its role", () => {
    const nodes = [
      nodeOf("api", { roles: ["api"] }),
      nodeOf("checker", { roles: ["checker"] }),
      nodeOf("delivery", { roles: ["delivery"] }),
      nodeOf("all"),
      nodeOf("dead", { isLive: false }),
      nodeOf("ending", {}, { takesPart: false }),
    ];

    expect(sharersOf("checks", nodes)).toEqual(["checker", "all"]);
    expect(sharersOf("deliveries", nodes)).toEqual(["delivery", "all"]);
  });

  test("not by one that is offline, unless all are", () => {
    const offline = nodeOf("offline", {}, { online: "offline" });

    expect(sharersOf("checks", [offline, nodeOf("unsure", {}, { online: "unknown" })])).toEqual([
      "unsure",
    ]);
    expect(sharersOf("checks", [offline])).toEqual(["offline"]);
  });
});
