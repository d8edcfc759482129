import { expect, test } from "bun:test";
import type { NodeInfo } from "../../server/work/nodes.ts";
import { onDashboard } from "../browser.ts";

const MINUTE_MS = 60_000;

onDashboard("The nodes of the installation", (dashboard) => {
  const itself = dashboard;
  /** The page as it is while these serve the database, the first of which answers. */
  async function administrator(nodes?: Partial<NodeInfo>[], looks = {}) {
    const { deps } = itself().server;
    const alone = deps.nodes;
    const [self] = alone.all();
    const all = nodes?.map((node, i) => ({ ...self!, id: i === 0 ? self!.id : `n${i}`, ...node }));
    if (all) Object.assign(deps, { nodes: { ...alone, all: () => all } });
    const { page } = await itself().user(looks, "owner", { isAdmin: true });
    await page.goto("/settings/installation");
    await page.getByRole("heading", { name: "Nodes" }).waitFor();
    const list = page.getByRole("list", { name: "Nodes" });
    const node = (name: string) => list.getByRole("listitem").filter({ hasText: name });
    const done = () => void Object.assign(deps, { nodes: alone });
    return { page, node, done };
  }
  const stateOf = (more: Partial<NodeInfo["state"]>): NodeInfo["state"] => ({
    ...itself().server.deps.nodes.all()[0]!.state,
    ...more,
  });

  test("are one line where there is one node", async () => {
    const { page } = await administrator();

    await page.getByText("This installation runs on one node.").waitFor();
    expect(await page.getByRole("list", { name: "Nodes" }).count()).toBe(0);
  });

  test("tell what each does, how much of it, and how late it is", async () => {
    const { node, done } = await administrator([
      { name: "front", roles: ["api", "delivery"], state: stateOf(ofDelivery) },
      { name: "quick", roles: ["checker"], state: stateOf(ofChecker(256, 400)) },
      { name: "slow", roles: ["checker"], state: stateOf(ofChecker(768, 3 * MINUTE_MS)) },
    ]);

    await node("front").getByText("This one").waitFor();
    await node("front").getByText("API, messages").waitFor();
    await node("front").getByText("100%, on time").waitFor();
    await node("quick").getByText("25%, on time").waitFor();
    await node("slow").getByText("75%, 3 minutes late").waitFor();
    done();
  });

  test("tell which are gone, offline, or on a machine whose clock is wrong", async () => {
    const { clock } = itself().server;
    const { node, done } = await administrator([
      { name: "here" },
      { name: "killed", isLive: false, seenAt: clock.now() - 7 * MINUTE_MS },
      { name: "lonely", state: stateOf({ online: "offline" }) },
      { name: "early", state: stateOf({ clockOffMs: 5 * MINUTE_MS }) },
    ]);

    await node("here").getByText("Online", { exact: true }).waitFor();
    await node("killed").getByText("Gone").waitFor();
    await node("killed").getByText("7 minutes ago").waitFor();
    await node("lonely").getByText("Offline").waitFor();
    await node("early").getByText("Clock 5 minutes ahead").waitFor();
    done();
  });

  test("point out versions that differ and work that nobody does", async () => {
    const { page, done } = await administrator([
      { name: "new", version: "1.10.0", roles: ["api"] },
      { name: "old", version: "1.9.2", roles: ["checker"] },
      { name: "older", version: "1.8.0", roles: ["delivery"], isLive: false },
    ]);

    const versions =
      "The nodes run different versions: 1.9.2 and 1.10.0. Upgrade the older ones next.";
    await page.getByText(versions).waitFor();
    await page.getByText("No node sends messages.").waitFor();
    expect(await page.getByText("No node checks links.").count()).toBe(0);
    done();
  });
});

const ofDelivery: Partial<NodeInfo["state"]> = {
  buckets: { checks: 0, deliveries: 1024 },
  lagMs: { checks: null, deliveries: 0 },
};

const ofChecker = (buckets: number, lagMs: number): Partial<NodeInfo["state"]> => ({
  buckets: { checks: buckets, deliveries: 0 },
  lagMs: { checks: lagMs, deliveries: null },
});
