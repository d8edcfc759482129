import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freePort } from "../free-port.ts";
import { IS_LONG } from "../long.ts";
import { programOf } from "../upgrades/program-of.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Hosts, startHosts } from "./hosts.ts";
import { addLinks, checked, linksByChecks } from "./links.ts";
import type { ClusterNode } from "./node.ts";

const ALLOWING = {
  name: "9001_notes.sql",
  statements: "-- Runs next to 9.1.0\nALTER TABLE links ADD COLUMN notes TEXT;\n",
};
const BREAKING = {
  name: "9002_end.sql",
  statements: "-- Runs next to 9.3.0\nALTER TABLE links DROP COLUMN notes;\n",
};
/** In `npm test`, tests/upgrades/mixed-versions.test.ts has the rules of this on a real PostgreSQL. */
describe.if(IS_LONG)("Nodes of several versions", () => {
  let cluster: Cluster;
  let sites: Hosts;
  let programs: Record<"old" | "new" | "next", string[]>;
  const nodes: Record<string, ClusterNode> = {};
  const start = async (name: string, program: string[], role = "all", port = 0) => {
    nodes[name] = await cluster.start(name, { program, role, port });
    return nodes[name];
  };
  beforeAll(async () => {
    sites = startHosts();
    programs = {
      old: programOf("9.1.0"),
      new: programOf("9.2.0", [ALLOWING]),
      next: programOf("9.3.0", [ALLOWING, BREAKING]),
    };
    cluster = await startCluster({ STILLUP_CONFIRM_DELAYS_MS: "0" });
  });
  afterAll(async () => {
    await cluster.remove();
    await sites.stop();
  });

  test("serve and check together, when the newer one's migration allows it", async () => {
    const key = await cluster.newKey("rolling");
    const old = await start("old", programs.old);
    await start("new", programs.new, "api");
    expect(await applied()).toContain(ALLOWING.name);

    await addLinks({ url: old.url, key }, sites, 5, 4);
    await checked(cluster, 20);

    expect(await linksByChecks(cluster.sql)).toEqual({ 1: 20 });
    const visits = sites.takeVisits();
    expect(new Set(visits.map(({ by }) => by))).toEqual(new Set(["old"]));
    const list = await fetch(`${nodes.new!.url}/api/v1/links`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(list.status).toBe(200);
  });

  test("may be joined by another of the older version", async () => {
    const again = await start("old-again", programs.old);

    expect((await again.ready()).status).toBe("ready");
    await again.stop();
  });

  test("keep a node waiting whose migration breaks older nodes, until those are gone", async () => {
    const port = freePort();
    const starting = start("next", programs.next, "all", port);
    const doing = await cluster.until("a node that waits", () =>
      doingAt(port, "waiting until older nodes"),
    );

    expect(doing).toBe("waiting until older nodes are stopped or upgraded");
    expect(await applied()).not.toContain(BREAKING.name);
    expect((await nodes.old!.ready()).status).toBe("ready");

    await Promise.all([nodes.old!.stop(), nodes.new!.stop()]);
    await starting;
    expect(await applied()).toContain(BREAKING.name);
  });

  test("end where the database was upgraded beyond them", async () => {
    await cluster.sql`insert into migrations (name, applied_at) values ('9003_more.sql', 1)`;

    const sentence = "written by a newer version (9003_more.sql)";
    await nodes.next!.output.has(new RegExp(RegExp.escape(sentence)));

    await cluster.until("the node to be over", () => isOver(nodes.next!));
  });

  const applied = async (): Promise<string[]> =>
    (await cluster.sql`select name from migrations`).map(({ name }: { name: string }) => name);
});

/** Returns what a process that is not ready says it does, once that has this beginning. */
async function doingAt(port: number, beginning: string): Promise<string | undefined> {
  const url = `http://127.0.0.1:${port}/ready`;
  const reply = await fetch(url, { keepalive: false }).catch(() => null);
  const { doing } = ((await reply?.json()) ?? {}) as { doing?: string };
  return doing?.startsWith(beginning) ? doing : undefined;
}

/** Whether the node no longer listens. */
const isOver = ({ url }: ClusterNode) =>
  fetch(`${url}/health`, { keepalive: false }).then(
    () => false,
    () => true,
  );
