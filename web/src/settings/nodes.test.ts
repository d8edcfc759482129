import { expect, test } from "bun:test";
import type { NodeInfo } from "../../../server/work/nodes.ts";
import { onDashboard } from "../../../tests/browser.ts";

const MINUTE_MS = 60_000;

onDashboard("The nodes of the installation", (dashboard) => {
  test("are one line where there is one, and say what each does, how late it is, and what is wrong", async () => {
    const { server, user } = dashboard();
    const { deps, clock } = server;
    const alone = deps.nodes;
    const [self] = alone.all();
    const { page } = await user({}, "owner", { isAdmin: true });
    const list = page.getByRole("list", { name: "Nodes" });
    const says = (name: string, text: string) =>
      list
        .getByRole("listitem")
        .filter({ hasText: name })
        .getByText(text, { exact: true })
        .waitFor();
    /** The page as it is while these serve the database, the first of which answers. */
    async function see(nodes: Partial<NodeInfo>[]) {
      const all = nodes.map((node, i) => ({ ...self!, id: i === 0 ? self!.id : `n${i}`, ...node }));
      Object.assign(deps, { nodes: { ...alone, all: () => all } });
      await page.reload();
    }
    const stateOf = (more: Partial<NodeInfo["state"]>) => ({ ...self!.state, ...more });

    await page.goto("/settings/installation");
    await page.getByText("This installation runs on one node.").waitFor();
    expect(await list.count()).toBe(0);

    await see([
      { name: "front", roles: ["api", "delivery"], state: stateOf(ofDelivery) },
      { name: "quick", roles: ["checker"], state: stateOf(ofChecker(256, 400)) },
      { name: "slow", roles: ["checker"], state: stateOf(ofChecker(768, 3 * MINUTE_MS)) },
      { name: "killed", isLive: false, seenAt: clock.now() - 7 * MINUTE_MS },
      { name: "lonely", state: stateOf({ online: "offline" }) },
      { name: "early", state: stateOf({ clockOffMs: 5 * MINUTE_MS }) },
    ]);
    await says("front", "This one");
    await says("front", "API, messages");
    await says("front", "100%, on time");
    await says("front", "Online");
    await says("quick", "25%, on time");
    await says("slow", "75%, 3 minutes late");
    await says("killed", "Gone");
    await says("killed", "7 minutes ago");
    await says("lonely", "Offline");
    await says("early", "Clock 5 minutes ahead");

    await see([
      { name: "new", version: "1.10.0", roles: ["api"] },
      { name: "old", version: "1.9.2", roles: ["checker"] },
      { name: "older", version: "1.8.0", roles: ["delivery"], isLive: false },
    ]);
    const versions =
      "The nodes run different versions: 1.9.2 and 1.10.0. Upgrade the older ones next.";
    await page.getByText(versions).waitFor();
    await page.getByText("No node sends messages.").waitFor();
    expect(await page.getByText("No node checks links.").count()).toBe(0);
    Object.assign(deps, { nodes: alone });
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
