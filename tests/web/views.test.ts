import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { links, users } from "../../server/ground/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { HOUR } from "../checker/ended.ts";
import { settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";

/** Pictures that were looked at and accepted. One that was deleted is taken again, except in CI. */
const ACCEPTED = join(import.meta.dir, "views");
/** Where a picture goes that differs, with its differences next to it. */
const FOLDER = join(import.meta.dir, "../../screenshots");
/** Share of the pixels. */
const MOST = 0.001;

const LOOKS: Record<string, Look> = {
  desk: { width: 1440, height: 900, colorScheme: "light" },
  "tablet-dark": { width: 768, height: 1024, colorScheme: "dark" },
  phone: { width: 390, height: 844, colorScheme: "light" },
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
  /** In front of an account that is the same each time, after a season in which each session has ended. */
  async function open(): Promise<Page> {
    const { server, account, again } = dashboard();
    const { store } = server.deps;
    const accountId = await account();
    await store.update(users).set({ email: OWNER }).where(eq(users.accountId, accountId));
    await fillShowcase(server, accountId, `http://${HOST}:${PORT}/hook`);
    const nextCheckAt = server.clock.now() + HOUR;
    await store.update(links).set({ nextCheckAt }).where(eq(links.accountId, accountId));
    return (await again(accountId)).page;
  }

  test("look as they were accepted, on a desk, a tablet in the dark and a phone", async () => {
    const page = await open();
    const differences: string[] = [];
    for (const [name, { path, prepare }] of Object.entries(VIEWS)) {
      await wear(page, LOOKS.desk!);
      await page.goto(path);
      await settled(page);
      await prepare?.(page);
      for (const [look, looks] of Object.entries(LOOKS)) {
        await wear(page, looks);
        await settled(page);
        const taken = await page.screenshot({ animations: "disabled", caret: "hide" });
        const share = differenceOf(`${name}-${look}`, taken);
        if (share > MOST) differences.push(`${name}-${look}: ${(100 * share).toFixed(2)} %`);
      }
    }
    expect(differences).toEqual([]);
  });
});

type Look = { width: number; height: number; colorScheme: "light" | "dark" };

/** Waits until the page has been painted in its new size and colors. */
async function wear(page: Page, { colorScheme, ...size }: Look) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
}

/** The share of pixels that differ from the accepted picture; all if there is none. */
function differenceOf(name: string, taken: Buffer): number {
  const file = join(ACCEPTED, `${name}.png`);
  if (!existsSync(file) && !process.env.CI) {
    mkdirSync(ACCEPTED, { recursive: true });
    writeFileSync(file, taken);
  }
  const accepted = existsSync(file) ? readFileSync(file) : null;
  if (accepted?.equals(taken)) return 0;
  const [before, now] = [accepted && PNG.sync.read(accepted), PNG.sync.read(taken)];
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
