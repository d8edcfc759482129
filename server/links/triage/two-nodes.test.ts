import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY } from "../../../tests/checker/ended.ts";
import { startServer, type TestServer } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { ALIVE, eventsOf, GONE, LINKS, sound, URL_A } from "../../../tests/triage/playing.ts";
import { endMutes } from "./end-mutes.ts";

const MANY = 300;

describe("Two nodes on one database", () => {
  let nodes: [TestServer, TestServer];
  beforeAll(async () => {
    const first = await startServer("postgres");
    const { databaseUrl, secretKeyFile } = first.config;
    const shared = {
      STILLUP_DATABASE_URL: databaseUrl,
      STILLUP_SECRET_KEY_FILE: secretKeyFile,
    };
    nodes = [first, await startServer("postgres", shared)];
  }, 60_000);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
  });

  test("end mutes at the same minute, and each death is reported once", async () => {
    const [{ deps, clock }, other] = nodes;
    const me = await nodes[0].account();
    const url = "https://hooks.slack.com/services/T/B/x";
    await me.post("/api/v1/webhooks", { url, format: "slack", events: ["link.dead"] });
    const links = Array.from({ length: MANY }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post(`${LINKS}/batch`, { links });
    const checkAll = async (seen: typeof ALIVE) => {
      for (let left = MANY; left > 0; )
        left -= await checkDueLinks({ ...deps, check: async () => seen });
    };
    await checkAll(ALIVE);
    const muted_until = new Date(clock.now() + 2 * DAY).toISOString();
    await me.post(`${LINKS}/batch-change`, {
      filter: {},
      change: { handling: "muted", muted_until },
    });
    clock.moveBy(1.5 * DAY);
    await checkAll(GONE);
    clock.moveBy(DAY);
    other.clock.moveBy(3 * DAY);

    await Promise.all([endMutes(deps), endMutes(other.deps), endMutes(other.deps)]);

    const late = (await eventsOf(nodes[0], me)).filter((each) => each.endsWith("late"));
    expect(late).toHaveLength(MANY);
    await sound(nodes[0]);
  });

  test("make one link of one external id, however many ask at once", async () => {
    const me = await nodes[0].account();
    const askers = [me, nodes[1].asker(me.key)];
    const links = [{ external_id: "p-17", url: URL_A, tags: ["docs"] }];

    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => askers[i % 2]!.post(`${LINKS}/upsert`, { links })),
    );

    const statuses = replies.map(({ body }) => body.data.results[0].status).sort();
    expect(statuses).toEqual(["created", ...Array.from({ length: 49 }, () => "unchanged")]);
    await sound(nodes[0]);
  });
});
