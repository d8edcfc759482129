import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { faultsOf } from "./looking.ts";
import { DOORS, pagesFor, type Sight, settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";
import { fillTeam } from "./team.ts";

const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => new Response("ok", { status: url.endsWith("/busy") ? 503 : 200 }),
});
afterAll(() => receiver.stop(true));

onDashboard("Every page", (dashboard) => {
  let walk: Promise<Seen> | undefined;

  /** Goes through all pages of an account that is full of everything, once for all tests. */
  const seen = () => {
    walk ??= lookAround();
    return walk;
  };

  async function lookAround(): Promise<Seen> {
    const { server, user, stranger, again } = dashboard();
    const { accountId } = await user({}, "owner", { isAdmin: true });
    const ids = await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
    await fillTeam(server, accountId);
    const all: Seen = {
      light: [],
      dark: [],
      phone: [],
      wide: [],
      headings: [],
      statuses: [],
      titles: new Map(),
    };
    const { page: strange } = await stranger();
    for (const sight of DOORS) await inspect(strange, sight, all);
    const { page } = await again(accountId);
    for (const sight of pagesFor(ids)) await inspect(page, sight, all);
    return all;
  }

  test("can be read by everyone when it is light", async () => {
    expect((await seen()).light).toEqual([]);
  });

  test("can be read by everyone when it is dark", async () => {
    expect((await seen()).dark).toEqual([]);
  });

  test("can be read by everyone on a telephone", async () => {
    expect((await seen()).phone).toEqual([]);
  });

  test("is no wider than the screen, from a small telephone to 4K", async () => {
    expect((await seen()).wide).toEqual([]);
  });

  test("is found by the server where the router finds it", async () => {
    expect((await seen()).statuses).toEqual([]);
  });

  test("has one main heading, and a title that says where one is", async () => {
    const { headings, titles } = await seen();

    expect(headings).toEqual([]);
    expect([...titles].filter(([, names]) => new Set(names).size > 1)).toEqual([]);
  });
});

/** What is wrong, page by page; and which kinds of page have which title. */
type Seen = Record<"light" | "dark" | "phone" | "wide" | "headings" | "statuses", string[]> & {
  titles: Map<string, string[]>;
};

const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } };
const WIDTHS = [320, 360, 768, 1280, 3840];

async function inspect(page: Page, { name, path }: Sight, seen: Seen): Promise<void> {
  const note = (what: keyof Omit<Seen, "titles">, texts: string[]) =>
    seen[what].push(...texts.map((text) => `${name}: ${text}`));
  await page.setViewportSize(SIZES.desk);
  const status = (await page.goto(path))!.status();
  await settled(page);
  if (status !== (name === "not-found-anywhere" ? 404 : 200)) note("statuses", [`${status}`]);
  note("light", await faultsOf(page));
  await page.emulateMedia({ colorScheme: "dark" });
  note("dark", await faultsOf(page));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(SIZES.phone);
  note("phone", await faultsOf(page));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const over = await overflowOf(page);
    if (over > 0) note("wide", [`${over} pixels too wide for ${width}`]);
  }
  const count = await page.locator("h1").count();
  if (count !== 1) note("headings", [`${count} main headings`]);
  const title = await page.title();
  seen.titles.set(title, [...(seen.titles.get(title) ?? []), name.split("-")[0]!]);
}

const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
