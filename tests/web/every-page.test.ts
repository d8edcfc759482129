import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { endSessionsOf } from "../../server/accounts/sessions.ts";
import { deliveries, users } from "../../server/ground/db/tables.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import { goOffline, onDashboard } from "../browser.ts";
import { setPassword } from "./actors.ts";
import { colorFaultsOf, faultsOf, widthFaultsOf } from "./looking.ts";
import { DOORS, go, goWithin, pagesFor, type Sight, settled, signIn } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";
import { fillTeam } from "./team.ts";

const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => new Response("ok", { status: url.endsWith("/busy") ? 503 : 200 }),
});
afterAll(() => receiver.stop(true));

onDashboard("Every page", (dashboard) => {
  let accountId: string;
  let sights: Sight[];
  let link: string;
  /** Which kinds of page have which title. */
  const titles = new Map<string, Set<string>>();

  /** An account that is full of everything. */
  beforeAll(async () => {
    const { server, account } = dashboard();
    accountId = await account("owner", { isAdmin: true });
    const ids = await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
    await fillTeam(server, accountId);
    const [message] = await server.deps.store
      .select({ id: deliveries.eventId })
      .from(deliveries)
      .where(eq(deliveries.webhookId, ids.webhook));
    const path = `/alerts/${ids.webhook}/messages/${message!.id}`;
    sights = [...pagesFor(ids), { name: "message", path }];
    link = ids.deadLink;
  });

  test.each(PAGES_AT_ONCE)(
    "shows its shape while it loads, says what failed, recovers, stays offline, and can be read in both themes and all widths: %s",
    async (_, names) => {
      const { page } = await dashboard().again(accountId);
      await page.addInitScript(holdAnswers, { answered: ANSWERED, refusal: REFUSAL });
      const seen = new Seen();

      for (const sight of sights.filter(({ name }) => names.includes(name))) {
        await seen.note("status", sight, open(page, sight));
        if (STILL.includes(sight.name)) await settled(page);
        else await seeItLoad(page, sight, seen);
        await seen.note("offline", sight, loseConnection(page));
        await inspect(page, sight, seen);
        const title = await page.title();
        titles.set(title, (titles.get(title) ?? new Set()).add(sight.name.split("-")[0]!));
      }

      expect(seen.wrong).toEqual(NOTHING);
      expect([...titles].filter(([, kinds]) => kinds.size > 1)).toEqual([]);
    },
  );

  test("is looked at, and so are those of strangers", async () => {
    const { page } = await dashboard().stranger();
    const seen = new Seen();

    for (const door of DOORS) {
      await seen.note("status", door, open(page, door));
      await settled(page);
      await inspect(page, door, seen);
    }

    expect(seen.wrong).toEqual(NOTHING);
    expect(sights.map(({ name }) => name)).toEqual(NAMES);
  });

  for (const [name, parts] of Object.entries(PARTS)) {
    test(`loses only the part that fails: ${name}`, async () => {
      const { page } = await dashboard().again(accountId);
      await page.addInitScript(refuseSome, REFUSAL);
      await page.goto(name === "overview" ? "/" : `/links/${link}`);
      await settled(page);
      const headings = await headingsOf(page);

      for (const part of parts) {
        await page.evaluate((refused) => Object.assign(sessionStorage, { refused }), part);
        await page.reload();
        await settled(page);
        // Both the days and the history are made of the runs.
        const of = part.includes("runs") ? 2 : 1;
        expect([part, await page.locator("#main .failed").count()]).toEqual([part, of]);
        const shown = await headingsOf(page);
        const lost = headings.filter((each) => !shown.includes(each));
        expect(lost.length, `${part} took ${lost}`).toBeLessThanOrEqual(of);
      }
    });
  }

  test("offers viewers nothing that they may not do", async () => {
    const { server, user } = dashboard();
    const { page, accountId: own } = await user({}, "viewer");
    await server.deps.store.update(users).set({ accountId }).where(eq(users.accountId, own));
    const offered: string[] = [];

    await page.goto("/nowhere");
    for (const sight of sights.filter((each) => !OF_ONE_PERSON.has(each.name))) {
      await visit(page, sight);
      const row = page.locator("#main [role=row][tabindex='0']").first();
      if (await row.isVisible()) await row.hover();
      const controls = page.locator("#main :is(button, input, select, textarea, [popover] > *)");
      const names = await controls.evaluateAll(namesOf);
      const changes = names.filter((each) => CHANGES.test(each));
      offered.push(...changes.map((each) => `${sight.name}: ${each}`));
    }

    expect(offered).toEqual([]);
  });

  test("is there again after the session has expired and one has signed in", async () => {
    const { server, again } = dashboard();
    const { page } = await again(accountId);
    const { id, email } = await setPassword(server.deps, accountId);
    const heading = () => page.locator("#main h1").innerText();
    // The address is all that signing in keeps: one of each kind.
    const kinds = ["overview", "links-dead", "source-page", "settings-keys", "not-found"];
    const paths = sights.filter(({ name }) => kinds.includes(name)).map(({ path }) => path);
    const before = new Map<string, string>();
    await page.goto("/nowhere");
    for (const path of paths) {
      await goWithin(page, path);
      before.set(path, await heading());
    }

    for (const path of paths) {
      await endSessionsOf(server.deps.store, id);
      await page.goto(path);
      await signIn(page, email);
      await page.waitForURL(path);
      await settled(page);
      expect([path, await heading()]).toEqual([path, before.get(path)!]);
    }
  });

  test("says in one sentence that there is nothing yet, or no such thing", async () => {
    const { page } = await dashboard().user({}, "owner", { isAdmin: true });

    const response = await page.goto("/no/such/page");
    expect(response?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(await page.title()).toBe("Page not found · Stillup");
    for (const [path, sentence] of Object.entries(EMPTY)) {
      await goWithin(page, path);
      await page.locator("#main").getByText(sentence, { exact: true }).first().waitFor();
      expect([path, await page.locator("#main h1").count()]).toEqual([path, 1]);
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    }
  });
});

/** What the pages are called, which is known before the account is there. */
const NAMES = [...pagesFor({} as Parameters<typeof pagesFor>[0]), { name: "message" }].map(
  ({ name }) => name,
);
/** Four pages a test, which takes ten times as long on a busy machine. */
const PAGES_AT_ONCE = Array.from({ length: Math.ceil(NAMES.length / 4) }, (_, n) => {
  const names = NAMES.slice(4 * n, 4 * n + 4);
  return [names.join(", "), names] as const;
});

const NOTHING = {
  status: [] as string[],
  shape: [] as string[],
  failure: [] as string[],
  offline: [] as string[],
  light: [] as string[],
  dark: [] as string[],
  wide: [] as string[],
  headings: [] as string[],
};

/** What is wrong under each condition. */
class Seen {
  readonly wrong = structuredClone(NOTHING);

  /** A look that fails is something wrong as well, and the walk goes on. */
  async note(
    condition: keyof typeof NOTHING,
    { name }: Sight,
    look: Promise<string[]>,
  ): Promise<void> {
    const found = await look.catch(({ message }: Error) => [message.split("\n")[0]!]);
    this.wrong[condition].push(...found.map((what) => `${name}: ${what}`));
  }
}

/** Needed for a page to be there at all. */
const ANSWERED = /\/dashboard\/api\/(live|session|visit)(\?|$)/.source;
const REFUSAL = { error: { message: "The shelf fell over.", status: 400 } };
/** What loads sooner shows no shape. */
const SHAPE_AFTER_MS = 150;
const REFUSED = /could not be loaded.*The shelf fell over\..*Try again/s;
/** Need nothing from the server, or are not pages. */
const STILL = ["settings-import-export", "not-found-anywhere"];

/** What can fail alone: the requests of the parts. */
const PARTS = {
  overview: ["overview/series\\?", "attention\\?", "changes\\?", "overview/upcoming", "sites\\?"],
  link: ["history/series\\?", "links/[^/]+/events\\?", "links/[^/]+/runs\\?"],
};

const EMPTY = {
  "/": "What should stay up?",
  "/links": "No links yet",
  "/sites": "No sites yet",
  "/domains": "No domains yet",
  "/repair": "No dead links",
  "/changes": "The first verdict of a new link is not a change.",
  "/alerts": "No alerts yet",
  "/settings/groups": "No groups yet",
  "/settings/keys": "No API keys yet",
  [`/links/${newId()}`]: "No such link.",
  [`/alerts/${newId()}`]: "No such webhook.",
};

/** Where everyone may change what is their own, and what is not a page. */
const OF_ONE_PERSON = new Set([
  ...["settings-profile", "settings-sessions", "settings-two-factor", "not-found-anywhere"],
]);
const CHANGES =
  /^(Add(?! a filter)|Check(?! frequency)|Select|Move|Delete|Edit|New|Create|Invite|Remove (?!the filter)|More for|Change|Send|Retry|Redeliver|Turn|Set|Save|Mute|Revoke|Import|Back up)\b/;

type Look = { width: number; height?: number; colorScheme?: "light" | "dark" };

const DESK: Look = { width: 1280, colorScheme: "light" };
/** Where there are colors, a page is read by axe's rules as well. */
const LOOKS: Look[] = [
  DESK,
  { width: 3840 },
  { width: 768 },
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 320 },
];
/** Pages whose colors are read in dark on a desk, too: one with each frame. */
const DARK_ON_DESK = ["overview", "links", "sources", "settings-profile"].concat(
  DOORS.map(({ name }) => name),
);

/** What a page can do about the answers that it waits for. */
type Held = { let(answers: "fail" | "pass"): void };

/** Runs in the page before everything else: what it asks the server is answered when the test says so. */
function holdAnswers({ answered, refusal }: { answered: string; refusal: object }) {
  document.addEventListener("readystatechange", () => document.getElementById("answers")?.remove());
  const ask = globalThis.fetch;
  const isAnswered = new RegExp(answered);
  const decided = Promise.withResolvers<void>();
  let answers = "";
  const held: Held = {
    let(what) {
      answers = what;
      decided.resolve();
    },
  };
  Object.assign(globalThis, { held });
  globalThis.fetch = Object.assign(async (...[input, init]: Parameters<typeof fetch>) => {
    const url = input instanceof Request ? input.url : `${input}`;
    if (!url.includes("/dashboard/api/") || isAnswered.test(url)) return ask(input, init);
    await decided.promise;
    return answers === "fail" ? Response.json(refusal, { status: 400 }) : ask(input, init);
  }, ask);
}

/**
 * Runs in the page before everything else: refuses what the test has written into the tab. With a route, the browser
 * would load all assets each time.
 */
function refuseSome(refusal: object) {
  document.addEventListener("readystatechange", () => document.getElementById("answers")?.remove());
  const ask = globalThis.fetch;
  globalThis.fetch = Object.assign(async (...[input, init]: Parameters<typeof fetch>) => {
    const url = input instanceof Request ? input.url : `${input}`;
    const { refused } = sessionStorage;
    const isRefused = refused && new RegExp(`/dashboard/api/${refused}`).test(url);
    return isRefused ? Response.json(refusal, { status: 400 }) : ask(input, init);
  }, ask);
}

const letAnswers = (page: Page, answers: "fail" | "pass") =>
  page.evaluate((what) => (globalThis as unknown as { held: Held }).held.let(what), answers);

/** @returns what is wrong with the status that the server answers with */
async function open(page: Page, { name, path }: Sight): Promise<string[]> {
  await take(page, DESK);
  const status = (await page.goto(path))!.status();
  return status === (name === "not-found-anywhere" ? 404 : 200) ? [] : [`${status}`];
}

/** Goes there by a link. A list shows its rows until those of another filter are there, unless it was left meanwhile. */
async function visit(page: Page, { path }: Sight): Promise<string[]> {
  if (path.includes("?")) {
    await go(page, "/nowhere");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  }
  await goWithin(page, path);
  return [];
}

/** A page whose first answers are late, and then refusals. */
async function seeItLoad(page: Page, sight: Sight, seen: Seen): Promise<void> {
  await seen.note("shape", sight, seeShape(page));
  await letAnswers(page, "fail");
  await seen.note("failure", sight, seeFailure(page));
  await letAnswers(page, "pass");
  await seen.note("failure", sight, seeItOver(page));
}

async function seeShape(page: Page): Promise<string[]> {
  await page.locator("#main .loading").first().waitFor({ state: "attached" });
  await page.clock.runFor(SHAPE_AFTER_MS);
  await page.locator("#main .loading :is(.sk, .shape)").first().waitFor();
  return headingsMissing(page);
}

async function seeFailure(page: Page): Promise<string[]> {
  await settled(page);
  await page.getByRole("navigation", { name: "Main", exact: true }).waitFor();
  const texts = await page.locator("#main .failed[role=alert]").allInnerTexts();
  const wrong = texts.filter((text) => !REFUSED.test(text));
  return [...(texts.length > 0 ? wrong : ["says nothing"]), ...(await headingsMissing(page))];
}

async function seeItOver(page: Page): Promise<string[]> {
  await page.waitForFunction(retryOnce);
  await settled(page);
  return [];
}

/** Presses each button once; parts whose page has failed show that they have only after it is there. */
function retryOnce(): boolean {
  const failed = document.querySelectorAll<HTMLElement>("#main .failed[role=alert]");
  for (const each of failed) {
    if (!each.dataset.isRetried) each.querySelector("button")!.click();
    each.dataset.isRetried = "true";
  }
  return failed.length === 0 && !document.querySelector("#main .loading");
}

async function loseConnection(page: Page): Promise<string[]> {
  const look = () => page.locator("#main").evaluate(headingAndAlerts);
  const before = await look();
  await goOffline(page);
  const after = await look();
  await page.context().setOffline(false);
  await page.getByText(/^Connection lost at/).waitFor({ state: "detached" });
  // The frame has failed with the page, and loads again with the connection.
  await page.getByRole("navigation", { name: "Groups" }).getByRole("link").first().waitFor();
  return before === after ? [] : [`was ${before}, is ${after}`];
}

const headingAndAlerts = (main: Element) =>
  `${main.querySelector("h1")!.textContent} with ${main.querySelectorAll("[role=alert]").length} alerts`;

/** Gives the page the size and the theme. */
async function take(page: Page, { width, height = 800, colorScheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  if (colorScheme) await page.emulateMedia({ colorScheme });
}

/**
 * Looks at a page that is all there, in light colors on a desk, in dark ones on a phone, and in all widths. Which colors
 * go together, contrast.test.ts shows for both themes.
 */
async function inspect(page: Page, sight: Sight, seen: Seen): Promise<void> {
  for (const look of LOOKS) {
    await take(page, look);
    if (look.colorScheme) await seen.note(look.colorScheme, sight, faultsOf(page));
    else await seen.note("wide", sight, widthFaultsOf(page));
    if (look !== DESK || !DARK_ON_DESK.includes(sight.name)) continue;
    await page.emulateMedia({ colorScheme: "dark" });
    await seen.note("dark", sight, colorFaultsOf(page));
  }
  await seen.note("headings", sight, headingsMissing(page));
}

/** Those other than exactly one. */
async function headingsMissing(page: Page): Promise<string[]> {
  const count = await page.locator("h1").count();
  return count === 1 ? [] : [`${count} main headings`];
}

const headingsOf = (page: Page) => page.locator("#main :is(h1, h2)").allInnerTexts();

const namesOf = (controls: Element[]) =>
  controls.map((each) => each.getAttribute("aria-label") ?? each.textContent ?? "");
