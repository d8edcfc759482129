import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";

/** What the contents of a first view may take over the network, in bytes. */
const MOST_BYTES = 120_000;
/** Without the line of live updates, which stays open. */
const MOST_REQUESTS = 12;
const MOST_OF: Record<string, number> = { Script: 75_000, Stylesheet: 14_000, Font: 32_000 };

const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("ok"),
});
afterAll(() => receiver.stop(true));

type Sent = { url: string; type: string; bytes: number; ofHeaders: number };

/** Everything that the page loads from now on; what is still being sent counts as well. */
async function watchLoads(session: CDPSession): Promise<Sent[]> {
  const loads = new Map<string, Sent>();
  session.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (response.url.startsWith("data:")) return;
    const { pathname: url } = new URL(response.url);
    const load = { url, type, bytes: 0, ofHeaders: response.encodedDataLength };
    loads.set(requestId, load);
    sent.push(load);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load) load.bytes = encodedDataLength - load.ofHeaders;
  });
  const sent: Sent[] = [];
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  return sent;
}

/** What the first view needs; what loads for later, once the page is idle, does not belong to it. */
async function loadedBy(page: Page, path: string): Promise<Sent[]> {
  await page.addInitScript(() => {
    globalThis.requestIdleCallback = () => 0;
  });
  const sent = await watchLoads(await page.context().newCDPSession(page));
  await page.goto(path);
  await settled(page);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState("load");
  return [...sent];
}

const sum = (sent: Sent[]) => sent.reduce((total, { bytes }) => total + bytes, 0);

onDashboard("The first view", (dashboard) => {
  let accountId: string;
  beforeAll(async () => {
    const { server, account } = dashboard();
    accountId = await account();
    await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
  });

  test.each(["/", "/links"])("of %s is small, and needs few requests", async (path) => {
    const { page } = await dashboard().again(accountId);

    const sent = await loadedBy(page, path);

    const table = sent.map(({ url, type, bytes }) => `${bytes} ${type} ${url}`).join("\n");
    if (process.env.STILLUP_TEST_VERBOSE) console.log(table, sum(sent), sent.length);
    expect(
      sent.some(({ url }) => url.endsWith("/session")),
      table,
    ).toBe(false);
    for (const [type, most] of Object.entries(MOST_OF)) {
      const found = sum(sent.filter((each) => each.type === type));
      expect(found, `${type}\n${table}`).toBeLessThanOrEqual(most);
    }
    expect(sum(sent), table).toBeLessThanOrEqual(MOST_BYTES);
    const asked = sent.filter(({ type }) => type !== "EventSource");
    expect(asked.length, table).toBeLessThanOrEqual(MOST_REQUESTS);
  });

  test("is followed by the other pages in free moments", async () => {
    const { page } = await dashboard().again(accountId);
    await page.addInitScript(() => {
      globalThis.requestIdleCallback = (then) => Number(setTimeout(then));
    });
    const [settings, palette] = ["settings", "palette"].map((name) =>
      page.waitForResponse(new RegExp(`/assets/${name}-[\\w-]+\\.js$`)),
    );

    await page.goto("/");
    await settled(page);
    await palette;
    await page.clock.runFor(1_500);

    await settings;
  });
});
