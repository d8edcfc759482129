import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createSetup } from "../server/accounts/users.ts";
import { accounts, upkeep, users } from "../server/db/tables.ts";
import { type Looks, openAgain, openUser, openVisitor } from "./browser.ts";
import { buildDashboard } from "./build-dashboard.ts";
import { startServer, type TestServer } from "./harness.ts";
import { closeShared } from "./shared.ts";
import { DOORS, pagesFor, type Sight, settled } from "./web/pages.ts";
import { fillShowcase, type Showcase } from "./web/showcase.ts";
import { fillTeam } from "./web/team.ts";

/**
 * Photographs every page of the dashboard, full of a season's data, into screenshots/: light and dark, on a
 * desk and on a telephone. Names of pages, given as arguments, photograph only those that begin with them; `picture`
 * renews the picture of the README.
 */

const FOLDER = join(import.meta.dir, "../screenshots");
const DOCS = join(import.meta.dir, "../docs");

const LOOKS: Record<string, Looks> = {
  desk: { width: 1280, height: 800 },
  "desk-dark": { width: 1280, height: 800, colorScheme: "dark" },
  phone: { width: 360, height: 740 },
  "phone-dark": { width: 360, height: 740, colorScheme: "dark" },
};

/** Sizes and settings that only some pages need to be looked at in: `WIDE=1` adds them. */
const MORE_LOOKS: Record<string, Looks> = {
  tablet: { width: 768, height: 1024 },
  hd: { width: 1920, height: 1080 },
  "4k": { width: 3840, height: 2160 },
  zoom: { width: 640, height: 400 },
};

async function photographAll(server: TestServer, names: string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const isWanted = ({ name }: Sight) =>
    names.length === 0 || names.some((wanted) => name.startsWith(wanted));
  const looks = { ...LOOKS, ...(process.env.WIDE && MORE_LOOKS) };
  const setup = { name: "setup", path: `/setup#token=${await createSetup(server.deps)}` };
  for (const [look, how] of Object.entries(looks)) {
    const { page } = await openVisitor(server, how);
    for (const sight of [setup].filter(isWanted)) await photograph(page, sight, look);
    await page.context().close();
  }
  const doors = DOORS.filter(isWanted);
  const { page, accountId } = await openUser(server, {}, "owner", { isAdmin: true });
  await page.context().close();
  const showcase = await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
  await fillTeam(server, accountId);
  const inside = [...pagesFor(showcase), ...opened(showcase)].filter(isWanted);
  for (const [look, how] of Object.entries(looks)) {
    const stranger = await openVisitor(server, how);
    for (const door of doors) await photograph(stranger.page, door, look);
    const owner = await openAgain(server, accountId, how);
    for (const sight of inside) await photograph(owner.page, sight, look);
    const beginner = await openUser(server, how);
    for (const sight of EMPTY.filter(isWanted)) await photograph(beginner.page, sight, look);
    for (const visitor of [stranger, owner, beginner]) await visitor.page.context().close();
  }
}

/** The first thing that a reader of the README sees: what shows of the overview without scrolling. */
async function takePicture(server: TestServer): Promise<void> {
  const { page: unused, accountId } = await openUser(server, {}, "owner");
  await unused.context().close();
  isObliging = true;
  await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
  await makeCalm(server, accountId);
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await openAgain(server, accountId, { width: 1200, height: 820, colorScheme });
    await page.goto("/");
    await settled(page);
    const path = join(DOCS, colorScheme === "dark" ? "dashboard-dark.png" : "dashboard.png");
    await page.screenshot({ path, animations: "disabled" });
    await page.context().close();
  }
}

/** An owner with a name that can be anybody's, and a backup of today. */
async function makeCalm({ deps, clock }: TestServer, accountId: string): Promise<void> {
  const { store } = deps;
  const now = clock.now();
  await store.insert(upkeep).values({ job: "backup", startedAt: now, succeededAt: now });
  const email = "you@example.org";
  await store.update(users).set({ email }).where(eq(users.accountId, accountId));
  await store.update(accounts).set({ email }).where(eq(accounts.id, accountId));
}

/** What somebody sees who has nothing yet. */
const EMPTY: Sight[] = [
  { name: "first-links", path: "/setup?step=links" },
  { name: "empty-overview", path: "/" },
  { name: "empty-links", path: "/links" },
  { name: "empty-groups", path: "/groups" },
  { name: "empty-history", path: "/history" },
  { name: "empty-webhooks", path: "/webhooks" },
  { name: "empty-keys", path: "/keys" },
];

/** What is there only after somebody has done something on a page. */
function opened({ webhook, deadLink }: Showcase): Sight[] {
  const click = (name: string) => (page: Page) =>
    page.getByRole("button", { name }).first().click();
  return [
    {
      name: "links-selected",
      path: "/links?status=dead",
      prepare: async (page) => {
        for (const n of [1, 2]) await page.getByRole("checkbox").nth(n).check();
      },
    },
    {
      name: "links-import",
      path: "/links/new",
      prepare: async (page) => {
        await page.getByLabel("URLs").fill(IMPORTED);
        await page.getByRole("button", { name: "Review" }).click();
        await page.getByRole("button", { name: /^Add \d/ }).waitFor();
      },
    },
    { name: "link-delete", path: `/links/${deadLink}`, prepare: click("Delete") },
    { name: "groups-new", path: "/groups", prepare: click("New group") },
    { name: "keys-new", path: "/keys", prepare: click("New key") },
    { name: "webhooks-new", path: "/webhooks", prepare: click("New webhook") },
    {
      name: "webhook-delivery",
      path: `/webhooks/${webhook}`,
      prepare: async (page) => {
        await page.locator("a[href*='delivery=']").first().click();
        await page.getByRole("dialog").getByText("Attempt").first().waitFor();
      },
    },
  ];
}

const IMPORTED = [
  "https://docs.northwind.example/install",
  "https://docs.northwind.example/new-page",
  "www.tailspin.example/about",
  "ftp://files.tailspin.example/",
  "https://docs.northwind.example/new-page",
].join("\n");

async function photograph(page: Page, { name, path, prepare }: Sight, look: string) {
  const file = join(FOLDER, `${name}-${look}.png`);
  try {
    await page.goto(path);
    await settled(page);
    await prepare?.(page);
    await page.screenshot({ path: file, fullPage: true, animations: "disabled" });
  } catch (error) {
    console.error(`${name}-${look}: ${(error as Error).message.split("\n")[0]}`);
  }
}

/** Whether everything sent is taken, so that there is nothing to complain of. */
let isObliging = false;
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => {
    const isBusy = url.endsWith("/busy") && !isObliging;
    return new Response("ok", { status: isBusy ? 503 : 200 });
  },
});

await buildDashboard();
const server = await startServer("sqlite");
try {
  const names = process.argv.slice(2);
  if (names.includes("picture")) await takePicture(server);
  else await photographAll(server, names);
} finally {
  await closeShared();
  await server.stop();
  await receiver.stop(true);
}
