import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { links, users } from "../../server/db/tables.ts";
import { type Looks, onDashboard } from "../browser.ts";
import { HOUR } from "../checker/ended.ts";
import { settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";

/** Pictures that were looked at and accepted. One that was deleted is taken again, except in CI. */
const ACCEPTED = join(import.meta.dir, "views");
/** Where a picture goes that differs, with its differences beside it. */
const FOLDER = join(import.meta.dir, "../../screenshots");
/** Share of the pixels. */
const MOST = 0.001;

const LOOKS: Record<string, Looks> = {
  desk: { width: 1440, height: 900 },
  "tablet-dark": { width: 768, height: 1024, colorScheme: "dark" },
  phone: { width: 390, height: 844 },
};

/** A page, and what is done there first. */
type View = { path: string; prepare?: (page: Page) => Promise<unknown> };

async function openLink(page: Page) {
  const row = page.getByRole("row").filter({ has: page.locator('[title*="links-that-last"]') });
  await row.press("Enter");
  await page.locator(".stamp").waitFor();
}

async function openSheet(page: Page) {
  await page.keyboard.press("a");
  await page.getByRole("dialog").getByRole("textbox").first().waitFor();
}

const VIEWS: Record<string, View> = {
  overview: { path: "/" },
  links: { path: "/links" },
  link: { path: "/links?status=dead", prepare: openLink },
  sites: { path: "/sites" },
  changes: { path: "/changes" },
  alerts: { path: "/alerts" },
  groups: { path: "/settings/groups" },
  add: { path: "/sites", prepare: openSheet },
};

/** Whose address is in the pictures, which is another one each time otherwise, as is when a link is checked next. */
const OWNER = "owner@example.org";

/** An address of this machine that nothing else uses, since it is in the pictures. */
const [HOST, PORT] = ["127.84.84.84", 8080];
const receiver = Bun.serve({ port: PORT, hostname: HOST, fetch: () => new Response("ok") });
afterAll(() => receiver.stop(true));

onDashboard("The pages of an account that was used for a season", (dashboard) => {
  let accountId: string | undefined;

  /** The same account for all, since it is only looked at. */
  async function open(looks: Looks): Promise<Page> {
    if (!accountId) {
      const user = await dashboard().user();
      accountId = user.accountId;
      const { server } = dashboard();
      const { store } = server.deps;
      await store.update(users).set({ email: OWNER }).where(eq(users.accountId, accountId));
      await fillShowcase(server, accountId, `http://${HOST}:${PORT}/hook`);
      const nextCheckAt = server.clock.now() + HOUR;
      await store.update(links).set({ nextCheckAt }).where(eq(links.accountId, accountId));
    }
    return (await dashboard().again(accountId, looks)).page;
  }

  test.each(Object.entries(LOOKS))("look as they were accepted, on a %s", async (look, looks) => {
    const page = await open(looks);
    const differences: string[] = [];
    for (const [name, { path, prepare }] of Object.entries(VIEWS)) {
      await page.goto(path);
      await settled(page);
      await prepare?.(page);
      await settled(page);
      await page.evaluate(() => document.fonts.ready);
      const taken = await page.screenshot({ animations: "disabled", caret: "hide" });
      const share = differenceOf(`${name}-${look}`, taken);
      if (share > MOST) differences.push(`${name}-${look}: ${(100 * share).toFixed(2)} %`);
    }
    expect(differences).toEqual([]);
  });
});

/** The share of pixels that differ from the accepted picture; all if there is none. */
function differenceOf(name: string, taken: Buffer): number {
  const file = join(ACCEPTED, `${name}.png`);
  if (!existsSync(file) && !process.env.CI) {
    mkdirSync(ACCEPTED, { recursive: true });
    writeFileSync(file, taken);
  }
  const [before, now] = [
    existsSync(file) ? PNG.sync.read(readFileSync(file)) : null,
    PNG.sync.read(taken),
  ];
  const { width, height } = now;
  const marked = new PNG({ width, height });
  const isComparable = before?.width === width && before.height === height;
  const count = isComparable
    ? pixelmatch(before.data, now.data, marked.data, width, height, { threshold: 0.1 })
    : width * height;
  if (count / (width * height) <= MOST) return count / (width * height);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.png`), taken);
  writeFileSync(join(FOLDER, `${name}-differs.png`), PNG.sync.write(marked));
  return count / (width * height);
}
