import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createSetup } from "../server/accounts/users.ts";
import { accounts, upkeep, users } from "../server/ground/db/tables.ts";
import {
  closeVisitors,
  keepImporting,
  type Looks,
  openAgain,
  openUser,
  openVisitor,
} from "./browser.ts";
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
  desk: { width: 1440, height: 900 },
  "desk-dark": { width: 1440, height: 900, colorScheme: "dark" },
  phone: { width: 390, height: 844 },
  "phone-dark": { width: 390, height: 844, colorScheme: "dark" },
};

/** Sizes and settings that only some pages need to be looked at in: `WIDE=1` adds them, `LOOKS=a,b` chooses. */
const MORE_LOOKS: Record<string, Looks> = {
  small: { width: 320, height: 640 },
  phablet: { width: 720, height: 900 },
  "rail-least": { width: 721, height: 900 },
  between: { width: 820, height: 1180 },
  "rail-most": { width: 1080, height: 800 },
  "desk-least": { width: 1081, height: 800 },
  tablet: { width: 768, height: 1024 },
  "tablet-dark": { width: 768, height: 1024, colorScheme: "dark" },
  hd: { width: 1920, height: 1080 },
  "4k": { width: 3840, height: 2160 },
  zoom: { width: 640, height: 400 },
  forced: { width: 1440, height: 900, forcedColors: "active" },
  print: { width: 794, height: 1123, media: "print" },
};

async function photographAll(server: TestServer, names: string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const isWanted = ({ name }: Sight) =>
    names.length === 0 || names.some((wanted) => name.startsWith(wanted));
  const looks = chosenLooks();
  const setup = { name: "setup", path: `/setup#token=${await createSetup(server.deps)}` };
  for (const [look, how] of Object.entries(looks)) {
    const { page } = await openVisitor(server, how);
    for (const sight of [setup].filter(isWanted)) await photograph(page, sight, look);
    await closeVisitors();
  }
  const doors = DOORS.filter(isWanted);
  const { accountId } = await openUser(server, {}, "owner", { isAdmin: true });
  await closeVisitors();
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
    await closeVisitors();
  }
}

function chosenLooks(): Record<string, Looks> {
  const all = { ...LOOKS, ...MORE_LOOKS };
  const names = process.env.LOOKS?.split(",");
  if (names) return Object.fromEntries(names.map((name) => [name, all[name]!]));
  return process.env.WIDE ? all : LOOKS;
}

/** The first thing that a reader of the README sees: what shows of the overview without scrolling. */
async function takePicture(server: TestServer): Promise<void> {
  const { accountId } = await openUser(server, {}, "owner");
  await closeVisitors();
  isObliging = true;
  await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
  await makeCalm(server, accountId);
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await openAgain(server, accountId, { width: 1280, height: 860, colorScheme });
    await page.goto("/");
    await settled(page);
    const path = join(DOCS, colorScheme === "dark" ? "dashboard-dark.png" : "dashboard.png");
    await page.screenshot({ path, animations: "disabled" });
    await closeVisitors();
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

/** What someone sees who has nothing yet. */
const EMPTY: Sight[] = [
  { name: "empty-overview", path: "/" },
  { name: "empty-links", path: "/links" },
  { name: "empty-sites", path: "/sites" },
  { name: "empty-sources", path: "/sources" },
  { name: "empty-changes", path: "/changes" },
  { name: "empty-alerts", path: "/alerts" },
  { name: "empty-groups", path: "/settings/groups" },
  { name: "empty-keys", path: "/settings/keys" },
];

/** Up to this width, a row has no drawer. */
const PHONE = 720;

const pressed = (key: string) => (page: Page) => page.keyboard.press(key);

/** What is there only after something was done on a page. */
function opened({ deadLink, webhook, source }: Showcase): Sight[] {
  const click = (name: string) => (page: Page) =>
    page.locator("#main").getByRole("button", { name }).first().click();
  return [
    {
      name: "links-selected",
      path: "/links?status=dead",
      prepare: async (page) => {
        for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
      },
    },
    {
      name: "links-drawer",
      path: "/links?status=dead",
      prepare: async (page) => {
        for (const key of ["j", "Space"]) await page.keyboard.press(key);
        if (page.viewportSize()!.width <= PHONE) return;
        await page.getByRole("complementary").getByText("Response").first().waitFor();
      },
    },
    {
      name: "add",
      path: "/links",
      prepare: async (page) => {
        await page.keyboard.press("a");
        const sheet = page.getByRole("dialog");
        await sheet.getByRole("textbox").first().fill(IMPORTED);
        await sheet.getByRole("button", { name: /^Add \d/ }).waitFor();
      },
    },
    {
      name: "add-source",
      path: "/links",
      prepare: async (page) => {
        await page.keyboard.press("a");
        const sheet = page.getByRole("dialog");
        await sheet.getByRole("textbox").first().fill("https://docs.northwind.example/");
        await sheet.getByRole("button", { name: "Create a source" }).waitFor();
      },
    },
    // The sheet shows its list until all of it is checked, so it comes last.
    {
      name: "add-live",
      path: "/links",
      prepare: async (page) => {
        await page.keyboard.press("a");
        const sheet = page.getByRole("dialog");
        const another = `https://docs.northwind.example/${crypto.randomUUID()}`;
        await sheet.getByRole("textbox").first().fill(`${IMPORTED}\n${another}`);
        await sheet.getByRole("button", { name: /^Add \d/ }).click();
        await sheet.getByRole("button", { name: "Undo" }).waitFor();
      },
    },
    { name: "link-compare", path: "/", prepare: (page) => compare(page, deadLink) },
    { name: "palette", path: "/", prepare: pressed("Control+k") },
    { name: "help", path: "/", prepare: pressed("?") },
    { name: "settings-groups-new", path: "/settings/groups", prepare: click("New group") },
    { name: "settings-keys-new", path: "/settings/keys", prepare: click("New key") },
    { name: "sources-new", path: "/sources", prepare: click("New source") },
    { name: "sources-found", path: "/sources", prepare: findSource },
    { name: "sources-again", path: "/sources", prepare: previewAgain },
    { name: "source-edit", path: `/sources/${source}`, prepare: editSource },
    { name: "alerts-new", path: "/alerts", prepare: click("New alert") },
    {
      name: "message",
      path: `/alerts/${webhook}`,
      prepare: async (page) => {
        await page.locator(".msgs a").first().click();
        await page.getByRole("heading", { name: "Attempts" }).waitFor();
      },
    },
  ];
}

const FOUND = {
  kind: "site",
  url: "https://docs.northwind.example/",
  name: "docs.northwind.example",
  pages: 20,
  links: 311,
  new_links: 280,
  room: 99_966,
  robots: null,
  errors: [],
  samples: ["https://www.rfc-editor.org/rfc/rfc9110", "https://example.org/manual"].map(
    (url, n) => ({
      url,
      page_url: "https://docs.northwind.example/set-up",
      text: "the manual",
      line: 40 + n,
    }),
  ),
  notes: ["2 pages are run by script. Their links are not found."],
};

const responseOf = (status: number, title: string, text: string, heading = title) => ({
  checked_at: "2030-03-30T08:30:00.000Z",
  reason: status === 200 ? "ok" : "http_404",
  message: "",
  status_code: status,
  final_url: "https://docs.northwind.example/v1/quickstart",
  title,
  words: text.split(" ").length,
  headers: [],
  text,
  truncated: false,
  headings: [heading],
  visible_text: text,
  not_modified: null,
});

const QUICKSTART =
  "Docs Guides API Pricing Quickstart Send your first message in five minutes. Install the command line, sign in, and create a project. A project has keys, members and a budget.";
const RESPONSES = {
  alive: responseOf(200, "Quickstart: Northwind developer docs", QUICKSTART, "Quickstart"),
  dead: responseOf(
    404,
    "Page not found: Northwind developer docs",
    "Docs Guides API Pricing Page not found We have moved version 1 of these docs. A project has keys, members and a budget.",
    "Page not found",
  ),
};

async function compare(page: Page, link: string): Promise<void> {
  await page.route("**/raw", (route) => route.fulfill({ json: { data: RESPONSES } }));
  await page.goto(`/links/${link}`);
  await page.getByRole("button", { name: "Compare with last alive check" }).click();
  await page.getByRole("dialog").getByText("Removed words").waitFor();
}

async function findSource(page: Page): Promise<void> {
  await page.route("**/sources/preview", (route) => route.fulfill({ json: { data: FOUND } }));
  await page.locator("#main").getByRole("button", { name: "New source" }).click();
  await page.getByLabel("Address").fill(FOUND.url);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("311 links").waitFor();
}

/** What the settings leave out is counted when a person asks for it. */
async function previewAgain(page: Page): Promise<void> {
  await findSource(page);
  const data = { ...FOUND, links: 288, new_links: 257, left_out: 23 };
  await page.route("**/sources/preview", (route) => route.fulfill({ json: { data } }));
  await page.getByRole("dialog").getByText("More", { exact: true }).click();
  await page.getByLabel("Leave out").fill("/edit/\n/*?diff=");
  await page.getByRole("button", { name: "Preview again" }).click();
  await page.getByText("23 left out by the settings").waitFor();
  await page.mouse.move(0, 0);
}

async function editSource(page: Page): Promise<void> {
  await page.locator("#main").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
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
// All looks of all pages are more requests than a person sends in an hour, and the clock stands still.
const server = await startServer("sqlite", {
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
});
keepImporting(server);
try {
  const names = process.argv.slice(2);
  if (names.includes("picture")) await takePicture(server);
  else await photographAll(server, names);
} finally {
  await closeShared();
  await server.stop();
  await receiver.stop(true);
}
