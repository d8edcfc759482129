import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { saw } from "../../../tests/checker/ended.ts";
import { openLine } from "../../../tests/live/line.ts";
import { type LiveNode, startLiveNode } from "../../../tests/live/node.ts";
import { type Browser, newOwner, openBrowser } from "../../../tests/session/browser.ts";
import { createSession } from "../../accounts/sessions.ts";
import type { Engine } from "../../ground/db/store.ts";
import { claimDueLinks } from "../../monitor/claim.ts";
import { createRecorder } from "../../monitor/record.ts";

/** How nodes may reach their database, by what it can do. */
const WAYS: [what: string, engine: Partial<Engine>][] = [
  ["that hear each other", {}],
  ["whose database does not let them listen", { listen: async () => null }],
  ["that receive no notifications", { listen: async () => async () => {} }],
];

describe.each(WAYS)("Pages of two nodes %s", (_, engine) => {
  let [here, there]: LiveNode[] = [];
  beforeAll(async () => {
    here = await startLiveNode({ engine });
    there = await startLiveNode({ engine, sharing: here });
    if (!engine.listen) await here.connected();
  });
  afterAll(async () => {
    await there!.stop();
    await here!.stop();
  });

  /** Someone whose browser is at the one node, and the same session at the other. */
  async function signedIn() {
    const { owner } = await newOwner(here!);
    const { store, clock } = here!.deps;
    const token = await createSession(store, owner.id, clock.now());
    const cookie = `session=${token}`;
    return { browser: openBrowser(here!, cookie), elsewhere: openBrowser(there!, cookie) };
  }
  const newLink = async (browser: Browser): Promise<string> => {
    const url = `https://example.org/${crypto.randomUUID()}`;
    return (await browser.post("/links", { url })).body.data.id;
  };

  async function checkAll({ deps }: LiveNode) {
    const recorder = createRecorder(deps, () => {});
    for (const link of await claimDueLinks(deps, 100)) {
      recorder.add({ link, conclusion: saw("ok", { statusCode: 200 }), at: deps.clock.now() });
    }
    await recorder.drain();
  }

  test("get what a request to the other node changed, even if no number shows it", async () => {
    const { browser, elsewhere } = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(here!, browser);
    await line.next();

    await elsewhere.patch(`/links/${id}`, { check_frequency: "weekly" });

    const snapshot = await line.until(({ topics }) => topics.includes("links"));
    expect(snapshot.links).toBeNull();
    expect(snapshot.topics).toContain("groups");
    line.close();
  });

  test("get the links that the other node checked", async () => {
    const { browser } = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(here!, browser);
    await line.next();

    await checkAll(there!);

    const snapshot = await line.until(({ topics }) => topics.includes("history"));
    expect(snapshot.links).toContain(id);
    line.close();
  });

  test("get what they missed when they reconnect to the other node", async () => {
    const { browser, elsewhere } = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(here!, browser);
    await line.next();
    line.close();
    await browser.patch(`/links/${id}`, { check_frequency: "weekly" });

    const back = await openLine(there!, elsewhere, line.lastId());

    expect((await back.next()).topics).toEqual(expect.arrayContaining(["links", "audit"]));
    back.close();
  });

  test("do not get earlier changes again", async () => {
    const { browser, elsewhere } = await signedIn();
    const line = await openLine(there!, elsewhere);
    await line.next();
    await newLink(browser);
    await line.until(({ topics }) => topics.includes("links"));
    line.close();

    const back = await openLine(there!, elsewhere, line.lastId());

    expect((await back.next()).topics).not.toContain("groups");
    back.close();
  });
});
