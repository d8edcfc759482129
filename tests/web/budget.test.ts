import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { IS_LONG } from "../long.ts";
import { pagesFor, settled } from "./pages.ts";
import { shiftsOf, watchShifts } from "./shifts.ts";
import { fillShowcase, type Showcase } from "./showcase.ts";

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

/** A number in the place of a dash makes it wider by a few pixels. */
const MOST_SHIFT = 0.001;
/** What loads sooner shows no shape. */
const SHAPE_AFTER_MS = 150;

/** Runs in the page before everything else: what it asks the server is answered once the test has seen it wait. */
function holdAnswers() {
  document.addEventListener("readystatechange", () => document.getElementById("answers")?.remove());
  const ask = globalThis.fetch;
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(globalThis, { letGo: resolve });
  globalThis.fetch = Object.assign(async (...[input, init]: Parameters<typeof fetch>) => {
    const url = input instanceof Request ? input.url : `${input}`;
    if (/\/dashboard\/api\/(?!live|session|visit)/.test(url)) await promise;
    return ask(input, init);
  }, ask);
}

const sum = (sent: Sent[]) => sent.reduce((total, { bytes }) => total + bytes, 0);

onDashboard("The first view", (dashboard) => {
  let accountId: string;
  let showcase: Showcase;
  beforeAll(async () => {
    const { server, account } = dashboard();
    accountId = await account("owner", { isAdmin: true });
    showcase = await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
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

  test.each(IS_LONG ? [390, 1440] : [1440])(
    "of each page moves nothing while it loads, %d px wide",
    async (width) => {
      const { page } = await dashboard().again(accountId, { width });
      await page.addInitScript(holdAnswers);
      await watchShifts(page);
      const moved: object[] = [];

      for (const { name, path } of pagesFor(showcase)) {
        await page.goto(path);
        await page.locator("#main h1, #main .loading").first().waitFor({ state: "attached" });
        await page.clock.runFor(SHAPE_AFTER_MS);
        await page.evaluate(() => (globalThis as unknown as { letGo(): void }).letGo());
        await settled(page);
        const seen = await shiftsOf(page);
        if (seen.shift > MOST_SHIFT) moved.push({ name, ...seen });
      }

      expect(moved).toEqual([]);
    },
  );

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
