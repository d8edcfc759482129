import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page, Route } from "playwright-core";
import { endSessionsOf } from "../../server/accounts/sessions.ts";
import { deliveries, users } from "../../server/db/tables.ts";
import { goOffline, onDashboard } from "../browser.ts";
import { until } from "../until.ts";
import { pagesFor, type Sight, settled } from "./pages.ts";
import { fillShowcase } from "./showcase.ts";
import { fillTeam } from "./team.ts";

const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
afterAll(() => receiver.stop(true));

const PASSWORD = "correct horse battery staple";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const API = "**/dashboard/api/**";
/** Answered in any case: without them there is no page. */
const ESSENTIAL = /\/dashboard\/api\/(live|session|visit)(\?|$)/;
/** Need nothing from the server, or are no pages. */
const STILL = ["settings-import-export", "not-found-anywhere"];

onDashboard("Every page", (dashboard) => {
  let filled: Promise<Filled> | undefined;

  /** An account that is full of everything, once for all tests. */
  const full = () => {
    filled ??= fill();
    return filled;
  };

  async function fill(): Promise<Filled> {
    const { server, user } = dashboard();
    const { accountId } = await user({}, "owner", { isAdmin: true });
    const ids = await fillShowcase(server, accountId, `http://127.0.0.1:${receiver.port}/hook`);
    await fillTeam(server, accountId);
    const { store } = server.deps;
    const [message] = await store
      .select({ id: deliveries.eventId })
      .from(deliveries)
      .where(eq(deliveries.webhookId, ids.webhook));
    const sights = [
      ...pagesFor(ids),
      { name: "message", path: `/alerts/${ids.webhook}/messages/${message!.id}` },
    ];
    return { accountId, sights, link: ids.deadLink };
  }

  /** Says of each page what is wrong with it. */
  async function look(page: Page, sights: Sight[], wrongWith: (sight: Sight) => Promise<string[]>) {
    const wrong: string[] = [];
    page.setDefaultTimeout(10_000);
    for (const sight of sights) {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      const found = await wrongWith(sight).catch(({ message }: Error) => [message.split("\n")[0]]);
      for (const what of found) wrong.push(`${sight.name}: ${what}`);
    }
    return wrong;
  }

  test("shows its shape while it loads", async () => {
    const { accountId, sights } = await full();
    const { page } = await dashboard().again(accountId);

    const wrong = await look(page, sights, async ({ name, path }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(API, (route) =>
        unlessEssential(route, () => promise.then(() => route.continue())),
      );
      await page.goto(path);
      if (STILL.includes(name)) await settled(page);
      else await page.locator("#main .loading :is(.skeleton, .shape)").first().waitFor();
      const count = await page.locator("#main h1").count();
      resolve();
      await settled(page);
      return count === 1 ? [] : [`${count} main headings while it loads`];
    });

    expect(wrong).toEqual([]);
  });

  test("says what the server said when it fails, and loads when that is over", async () => {
    const { accountId, sights } = await full();
    const { page } = await dashboard().again(accountId);
    await page.clock.install({ time: dashboard().server.clock.now() });

    const wrong = await look(page, sights, async ({ name, path }) => {
      if (STILL.includes(name)) return [];
      let isOver = false;
      // The route stays: a request whose route goes meanwhile may never be answered.
      await page.route(API, (route) =>
        unlessEssential(route, () => (isOver ? route.continue() : route.fulfill(BROKEN))),
      );
      await page.goto(path);
      await retriesEnd(page);
      // The backups of the account have failed too, which the page says without an alert.
      const failed = page.locator("#main .failed[role=alert]");
      const texts = await failed.allInnerTexts();
      await page.getByRole("navigation", { name: "Main", exact: true }).waitFor();
      const headings = await page.locator("#main h1").count();
      isOver = true;
      await until(async () => {
        const button = failed.getByRole("button", { name: "Try again" }).first();
        // It may go away before the click.
        if (await button.isVisible()) await button.click({ timeout: 1_000 }).catch(() => {});
        return (await failed.count()) === 0;
      });
      return [
        ...(texts.length > 0 ? [] : ["says nothing"]),
        ...texts.filter(
          (text) => !/could not be loaded.*The shelf fell over\..*Try again/s.test(text),
        ),
        ...(headings === 1 ? [] : [`${headings} main headings when it failed`]),
      ];
    });

    expect(wrong).toEqual([]);
  });

  for (const [name, parts] of Object.entries(PARTS)) {
    test(`loses only the part that fails: ${name}`, async () => {
      const { accountId, link } = await full();
      const { page } = await dashboard().again(accountId);
      await page.clock.install({ time: dashboard().server.clock.now() });
      const path = name === "overview" ? "/" : `/links/${link}`;
      await page.goto(path);
      await settled(page);
      const headings = await headingsOf(page);

      const wrong = await look(
        page,
        parts.map((part) => ({ name: part, path })),
        async (part) => {
          await page.route(`**/dashboard/api/${part.name}`, (route) => route.fulfill(BROKEN));
          await page.goto(path);
          await retriesEnd(page);
          await settled(page);
          const count = await page.locator("#main .failed").count();
          // Both the days and the history are made of the runs.
          const of = part.name.includes("runs") ? 2 : 1;
          const shown = await headingsOf(page);
          const lost = headings.filter((each) => !shown.includes(each));
          return [
            ...(count === of ? [] : [`${count} parts failed`]),
            ...(lost.length <= of ? [] : [`lost ${lost.join(", ")}`]),
          ];
        },
      );

      expect(wrong).toEqual([]);
    });
  }

  test("stays when the connection is lost, and says so", async () => {
    const { accountId, sights } = await full();
    const { page } = await dashboard().again(accountId);

    const wrong = await look(page, sights, async ({ path }) => {
      await page.goto(path);
      await settled(page);
      const before = await page.locator("#main h1").innerText();
      const alerts = await page.locator("#main [role=alert]").count();
      await goOffline(page);
      const after = await page.locator("#main h1").innerText();
      const isFailed = (await page.locator("#main [role=alert]").count()) > alerts;
      await page.context().setOffline(false);
      await page.getByText(/^Connection lost at/).waitFor({ state: "detached" });
      return [...(before === after ? [] : [`was ${before}`]), ...(isFailed ? ["failed"] : [])];
    });

    expect(wrong).toEqual([]);
  });

  test("offers viewers nothing that they may not do", async () => {
    const { server, user } = dashboard();
    const { accountId, sights } = await full();
    const { page, accountId: own } = await user({}, "viewer");
    await server.deps.store.update(users).set({ accountId }).where(eq(users.accountId, own));

    const wrong = await look(page, sights, async ({ name, path }) => {
      if (OF_ONE_PERSON.includes(name)) return [];
      await page.goto(path);
      await settled(page);
      const row = page.locator("#main [role=row][tabindex='0']").first();
      if (await row.isVisible()) await row.hover();
      const controls = page.locator("#main :is(button, input, select, textarea, [popover] > *)");
      const names = await controls.evaluateAll(namesOf);
      return names.filter((each) => CHANGES.test(each));
    });

    expect(wrong).toEqual([]);
  });

  test("is there again after the session has expired and one has signed in", async () => {
    const { server, again } = dashboard();
    const { accountId, sights } = await full();
    const { store } = server.deps;
    const { page } = await again(accountId);
    const passwordHash = await Bun.password.hash(PASSWORD, COST);
    const [owner] = await store.select().from(users).where(eq(users.accountId, accountId));
    await store.update(users).set({ passwordHash }).where(eq(users.id, owner!.id));

    const wrong = await look(page, sights, async ({ path }) => {
      await page.goto(path);
      await settled(page);
      const before = await page.locator("#main h1").innerText();
      await endSessionsOf(store, owner!.id);
      await page.reload();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.getByLabel("E-mail").fill(owner!.email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.waitForURL(path);
      await settled(page);
      const after = await page.locator("#main h1").innerText();
      return before === after ? [] : [`was "${before}", is "${after}"`];
    });

    expect(wrong).toEqual([]);
  });

  test("says in one sentence that there is nothing yet", async () => {
    const { page } = await dashboard().user({}, "owner", { isAdmin: true });

    const sights = Object.entries(EMPTY).map(([path, name]) => ({ path, name }));
    const wrong = await look(page, sights, async ({ path, name }) => {
      await page.goto(path);
      await page.locator("#main").getByText(name, { exact: true }).first().waitFor();
      const count = await page.locator("#main h1").count();
      return count === 1 ? [] : [`${count} main headings`];
    });

    expect(wrong).toEqual([]);
  });
});

type Filled = { accountId: string; sights: Sight[]; link: string };

const BROKEN = {
  status: 500,
  json: { error: { message: "The shelf fell over.", status: 500 } },
};

/** What can fail alone: the requests of the parts. */
const PARTS = {
  overview: ["overview/series?*", "attention?*", "changes?*", "overview/upcoming*", "sites?*"],
  link: ["history/series?*", "links/*/events?*", "links/*/runs?*"],
};

const EMPTY = {
  "/": "What should stay up?",
  "/links": "No links yet",
  "/sites": "No sites yet",
  "/changes": "The first verdict of a new link is not a change.",
  "/alerts": "No alerts yet",
  "/settings/groups": "No groups yet",
  "/settings/keys": "No API keys yet",
};

/** Where everyone may change what is their own. */
const OF_ONE_PERSON = ["settings-profile", "settings-sessions", "settings-two-factor"];
const CHANGES =
  /^(Add(?! a filter)|Check(?! frequency)|Select|Move|Delete|Edit|New|Create|Invite|Remove (?!the filter)|Change|Send|Retry|Redeliver|Turn|Set|Save|Mute|Revoke|Import|Back up)\b/;

const unlessEssential = (route: Route, otherwise: () => Promise<void>) => {
  const request = route.request();
  return ESSENTIAL.test(request.url()) ? route.continue() : otherwise();
};

/** Lets the pauses before retries pass. */
const retriesEnd = (page: Page) =>
  until(async () => {
    await page.clock.runFor(5_000);
    return page.evaluate(
      () => !!document.querySelector("#main h1") && !document.querySelector(".loading"),
    );
  });

const headingsOf = (page: Page) => page.locator("#main :is(h1, h2)").allInnerTexts();

const namesOf = (controls: Element[]) =>
  controls.map((each) => each.getAttribute("aria-label") ?? each.textContent ?? "");
