import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Locator, Page } from "playwright-core";
import { users } from "../../../server/ground/db/tables.ts";
import type { Conclusion } from "../../../server/judge/probe/conclusion.ts";
import type { Probe } from "../../../server/judge/probe/probe.ts";
import { captureResponse } from "../../../server/judge/probe/response.ts";
import { goOffline, type Looks, onDashboard } from "../../../tests/browser.ts";
import { DAY, saw } from "../../../tests/checker/ended.ts";
import type { Asker } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { addChecks, type NewCheck } from "../../../tests/rows.ts";
import { startSite } from "../../../tests/site.ts";
import { askerOf, faultsOf } from "../../../tests/web/looking.ts";
import { linkPage } from "../../../tests/web/pages/link.ts";
import { go } from "../../../tests/web/pages.ts";
import { PARKED } from "../../../tests/web/parked.ts";

const PAGE = `<title>A page</title><h1>A page</h1><p>${"Some words of it. ".repeat(60)}</p>`;
const HTML = { headers: { "content-type": "text/html" } };
const GONE = saw("http_410", { statusCode: 410, responseTimeMs: 80 });
const FINE = saw("ok", { statusCode: 200, responseTimeMs: 120 });
const FORBIDDEN = saw("http_403", { statusCode: 403 });
const BUSY = saw("http_503", { statusCode: 503 });
const DEAD = { status: "dead", reason: "http_404", statusCode: 404 } as const;
const CHANGED = { statusChanged: true, previousStatus: "active" } as const;
const SLACK = "https://hooks.slack.com/services/T000/B000/secret";

/** What a server sent: a page with a heading. */
function sent(status: number, title: string, text: string) {
  const headers = new Headers({ server: "nginx", "set-cookie": "secret" });
  const markup = `<title>${title}</title><h1>Guide</h1><p>${text}`;
  const page = { title, heading: "Guide", headings: [], subheading: "", text, markup };
  const answer = { kind: "answered", status, headers, page, finalUrl: "https://example.org/page" };
  return { response: captureResponse(answer as unknown as Probe, null)! };
}

/** How many lines of its own height the element takes. */
const linesOf = (element: Locator) =>
  element.evaluate((node) => {
    const { height } = node.getBoundingClientRect();
    return Math.round(height / Number.parseFloat(getComputedStyle(node).lineHeight));
  });

onDashboard("The page of one link", (dashboard) => {
  /** Someone with no links yet, whose checks end as the test says. */
  async function someone(looks: Looks = {}) {
    const { server, user } = dashboard();
    const { deps, clock } = server;
    const { page, accountId } = await user(looks);
    const me = await askerOf(server, accountId);
    const ends = new Map<string, Conclusion>();
    return {
      page,
      accountId,
      me,
      ends,
      link: linkPage(page),
      async add(url = "https://example.org/page", end: Conclusion = FINE): Promise<string> {
        ends.set(url, end);
        return (await me.post("/api/v1/links", { url })).body.data.id;
      },
      addPast: (linkId: string, checks: (Partial<NewCheck> & { ago: number })[]) =>
        addChecks(
          server,
          checks.map(({ ago, ...check }) => ({ linkId, checkedAt: clock.now() - ago, ...check })),
        ),
      /** Lets everything be due and end as was said for its URL, or like this. */
      async check(end?: Conclusion) {
        clock.moveBy(2 * DAY);
        await checkDueLinks({ ...deps, check: async ({ url }) => end ?? ends.get(url) ?? FINE });
        await page.clock.setFixedTime(clock.now());
      },
    };
  }

  test("shows the whole URL on request, copies it, and allows no change without a connection", async () => {
    const { page, link, add } = await someone({ width: 1440 });
    const short = await add(`https://example.org/${"two-lines/".repeat(16)}`);
    const long = await add(`https://example.org/${"a".repeat(2028)}`);
    const narrow = (isNarrow: boolean) =>
      page.setViewportSize({ width: isNarrow ? 390 : 1440, height: 800 });

    await go(page, `/links/${short}`);
    await link.url.waitFor();
    expect(await link.showAll.count()).toBe(0);
    await narrow(true);
    await link.showAll.first().waitFor();
    expect(await linesOf(link.url)).toBe(3);
    await narrow(false);
    await link.showAll.first().waitFor({ state: "detached" });

    await go(page, `/links/${long}`);
    await link.showAll.first().waitFor();
    expect(await linesOf(link.url)).toBe(3);
    expect(await faultsOf(page)).toEqual([]);
    await link.showAll.first().click();
    expect(await linesOf(link.url)).toBeGreaterThan(3);
    await page.getByRole("button", { name: "Show less" }).click();
    expect(await linesOf(link.url)).toBe(3);

    // As in browsers that have no clipboard for pages without encryption.
    await page.evaluate(() =>
      Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }),
    );
    await page.getByRole("button", { name: "Copy URL" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    await page.evaluate(() => Reflect.deleteProperty(navigator, "clipboard"));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`https://example.org/${"a".repeat(2028)}`);

    await goOffline(page);
    for (const name of ["Check now", /^Group: /, /^Check frequency: /]) {
      const button = page.locator("#main").getByRole("button", { name, disabled: true });
      expect(await button.getAttribute("title")).toBe("Offline");
    }
    await page.keyboard.press("#");
    await page.getByText("Offline", { exact: true }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Check now", disabled: false }).waitFor();
  });

  test("says what the link is, for how long, why, and how sure that is, and is walked through in its list", async () => {
    const { page, accountId, link, add, check } = await someone();
    const { server } = dashboard();
    const parked = await add("https://example.org/parked", PARKED);
    const fine = await add("https://example.org/fine");
    const unsure = await add("https://example.org/unsure", BUSY);
    await walkThrough();
    await check();
    server.clock.moveBy(3 * DAY);
    await page.clock.setFixedTime(server.clock.now());

    await go(page, `/links/${parked}`);
    await link.heading("Dead for 3 days").waitFor();
    const why = "The domain is parked or for sale. Confirmed by 2 attempts.";
    expect(await link.verdict.textContent()).toContain(why);
    await page.getByText("The certificate expires in 4 days.").waitFor();
    const copy = page.getByRole("link", { name: "Search the Wayback Machine" });
    expect(await copy.getAttribute("href")).toBe(
      "https://web.archive.org/web/https://example.org/parked",
    );
    expect(await copy.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await link.report.allTextContents()).toEqual([
      expect.stringMatching(
        /^2 redirects301example\.org\/parked200www\.example\.org\/lander with www/,
      ),
      "0 msDNSsale.example.net → 192.0.2.7",
      "Connection192.0.2.7, port 80",
      "12 msResponse20012 ms",
      "ContentDomain for saleThe link leads to a marketplace for domains.",
      "3 sSecond attempt404, with a browser profile12 ms",
      "Rest of the siteA random URL next to it returns 404.",
      expect.stringMatching(
        /^NotesThe redirects leave https for plain http\.This link changes status often.*2 of 3 test servers responded\.$/,
      ),
      "DeadThe domain is parked or for sale. Confirmed by 2 attempts. domain_parked",
    ]);

    await go(page, `/links/${fine}`);
    await link.heading("Alive for 3 days").waitFor();
    expect(await link.verdict.textContent()).toContain("Last checked 3 days ago, 200");
    expect(await link.report.first().isVisible()).toBe(false);
    await page.getByText("Evidence", { exact: true }).click();
    await link.report.last().getByText("The server returned 200.").waitFor();

    await go(page, `/links/${unsure}`);
    await page.getByText("If it fails the same way for 7 days, it is marked dead.").waitFor();

    await check(FORBIDDEN);
    const isAccounts = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(isAccounts);
    await page.goto(`/links/${parked}`);
    await link.heading("Dead for 5 days").waitFor();
    const last = "The last check was inconclusive: The server returned 403 (forbidden).";
    expect(await link.verdict.textContent()).toContain(`${why} ${last}`);
    await link.report.getByText("The link leads to a marketplace for domains.").waitFor();
    await page.getByText("1 run, 2 checks", { exact: true }).waitFor();
    await copy.waitFor();
    expect(await page.locator(".lh .deeds button, .about button").count()).toBe(0);

    /** In the list that it was opened from, which keeps its filter. */
    async function walkThrough() {
      await add("https://example.org/walk/one");
      const two = await add("https://example.org/walk/two");
      await add("https://example.net/three");
      await page.goto("/links?search=walk");
      const bar = page.getByRole("region", { name: "Where you are" });

      await page.locator(`.c-u a[href="/links/${two}"]`).click();
      await link.heading("example.org/walk/two").waitFor();
      const position = await bar.locator(".pos").textContent();
      expect(position).toMatch(/^[12] of 2/);
      await page.keyboard.press(position?.startsWith("1") ? "j" : "k");
      await link.heading("example.org/walk/one").waitFor();
      await bar.getByRole("link", { name: "“walk”" }).click();

      await page.waitForURL("**/links?search=walk");
    }
  });

  test("invents nothing before the first check, shows a requested check while it runs, is tried and changed where it stands, and deleted at once", async () => {
    const { page, me, link, add, check } = await someone();
    const site = startSite({ "/page": () => new Response(PAGE, HTML) });
    const id = await add(`${site.url}/page`);
    await tryIt(page, me, id);
    await seeFirstChecks();
    await changeIt();
    await site.stop();

    async function seeFirstChecks() {
      await go(page, `/links/${id}`);
      await link.heading("Waiting for its first check").waitFor();
      await page.getByText("None yet. Messages are listed for 30 days.").waitFor();
      expect(await page.locator(".report, .strip, .runs, .plot").count()).toBe(0);
      expect(await page.locator("main").textContent()).not.toMatch(/0 ?%|unknown/i);
      await check(GONE);
      await link.heading("Dead for less than a minute").waitFor();

      const asked = page.waitForResponse(`**/links/${id}/check`);
      await page.keyboard.press("r");
      await page.locator("button[aria-busy=true]", { hasText: "Check now" }).waitFor();
      await asked;
      await link.heading(/^Dead for/).waitFor();
      await check(FINE);
      await page
        .getByText("Checked. Alive for less than a minute. The server returned 200.")
        .waitFor();
      await page.locator("button[aria-busy=true]").waitFor({ state: "detached" });
      await link.runs.first().getByText("Alive").waitFor();
    }

    /** Undo takes back what was changed, and the deletion. */
    async function changeIt() {
      await me.post("/api/v1/groups", { name: "Handbook" });
      await go(page, `/links/${id}`);

      await link.about.getByRole("button", { name: "Check frequency: Daily" }).click();
      await page.getByRole("button", { name: "Monthly", exact: true }).click();
      await page.getByText("Checked monthly").waitFor();
      await page.keyboard.press("v");
      await page.getByRole("button", { name: "Handbook", exact: true }).click();
      await page.getByText("Moved to “Handbook”").waitFor();
      await link.about.getByText("Handbook").first().waitFor();
      await page.getByRole("button", { name: /Undo/ }).click();
      await link.about.getByRole("button", { name: "Group: None" }).waitFor();
      await page.reload();
      await link.about.getByRole("button", { name: "Group: None" }).waitFor();
      await link.about.getByRole("button", { name: "Check frequency: Monthly" }).waitFor();

      await page.keyboard.press("#");
      await page.waitForURL("**/links");
      await page.getByText("1 link deleted").waitFor();
      await page.getByRole("button", { name: /Undo/ }).click();
      await go(page, `/links/${id}`);
      await link.heading(/\/page/).waitFor();
      await me.delete(`/api/v1/links/${id}`);
      await page.goto(`/links/${id}`);
      await page.getByText("It was deleted, or its address is wrong.").waitFor();
    }
  });

  test("shows what was: states, runs, checks, response times, responses and alerts", async () => {
    const { page, me, add, addPast, ends, check } = await someone();
    const webhook = await me.post("/api/v1/webhooks", { url: SLACK, events: ["link.dead"] });
    const raw = await add("https://example.org/raw", {
      ...FINE,
      ...sent(200, "Our guide", `It was here. ${"And so on. ".repeat(40)}Good bye.`),
    });
    await check();
    ends.set("https://example.org/raw", {
      ...GONE,
      ...sent(410, "Gone", `It is gone. ${"And so on. ".repeat(40)}Good bye.`),
    });
    const lived = await add("https://example.org/lived", GONE);
    await addPast(lived, [{ ago: 80 * DAY }, { ago: 2 * DAY, ...DEAD, ...CHANGED }]);
    const signals = Array.from({ length: 12 }, (_, n) => ({
      rule: `rule_${n}`,
      text: `Sign ${n}.`,
    }));
    const evidence = { ...PARKED.evidence, signals };
    const parked = await add("https://example.org/parked", {
      ...PARKED,
      ...sent(200, "For sale", "Buy this domain"),
      evidence,
    });
    const monthOfChecks = Array.from({ length: 30 }, (_, n) => ({
      ago: (n + 2) * DAY,
      responseTimeMs: 84 + n,
    }));
    await addPast(parked, monthOfChecks);
    const timed = await add("https://example.org/timed");
    await addPast(timed, [
      { ago: 3 * DAY, responseTimeMs: 240 },
      { ago: 60 * DAY, responseTimeMs: 480 },
    ]);
    await check();

    await go(page, `/links/${lived}`);
    await seeStates(page);
    await go(page, `/links/${timed}`);
    await seeResponseTimes(page);
    await go(page, `/links/${raw}`);
    await seeResponses(page);
    const bars = page.getByRole("region", { name: "Rest of the site" }).getByRole("link");
    expect(await bars.allTextContents()).toEqual(["Dead3", "All links4"]);
    await go(page, `/links/${parked}`);
    const [event] = (await me.get(`/api/v1/links/${parked}/events`)).body.data.items;
    await seeAlert(page, `/alerts/${webhook.body.data.id}/messages/${event.id}`);
    await seeRuns(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("shows what it led to and leads to now, until someone says that it is right", async () => {
    const { page, add, check } = await someone({ width: 1440 });
    const id = await add();
    const showing = (title: string, keptTitle: number, print: string): Conclusion =>
      saw("ok", {
        statusCode: 200,
        finalUrl: "https://example.org/page",
        facts: {
          title,
          language: "en",
          textHash: title.length,
          look: { script: "Latn", print, keptTitle },
        },
      });
    for (let n = 0; n < 2; n++) await check(showing("Growing tomatoes", 1, "0".repeat(16)));
    await go(page, `/links/${id}`);
    await page.getByRole("heading", { name: "History" }).waitFor();
    expect(await page.getByText("Then and now").count()).toBe(0);

    await check(showing("Free spins for everyone", 0, "f".repeat(16)));

    const card = page.getByRole("region", { name: "Then and now" });
    await page.reload();
    await card.getByText("It may be another page").waitFor();
    await card.getByText("Growing tomatoes").waitFor();
    await card.getByText("Free spins for everyone").waitFor();
    await card.getByText("Hardly a word of the earlier title is left.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await card.getByRole("button", { name: "This is right now" }).click();
    await page.getByText("The page is the right one. It is checked again.").waitFor();
    await card.waitFor({ state: "detached" });
    await page.getByText("The page is the right one", { exact: true }).waitFor();
  });

  test("says which anchors its page has, and which it lost", async () => {
    const { page, link, add, check } = await someone();
    const id = await add("https://example.org/page#caf%C3%A9");
    const seen = (state: "found" | "missing", alike: string[] = []) =>
      check({ ...FINE, fragments: [{ fragment: "caf%C3%A9", state, alike }] });
    const anchors = (text: RegExp) => link.about.getByText(text).waitFor();

    await seen("found");
    await go(page, `/links/${id}`);
    await anchors(/^#café found$/);
    for (let n = 0; n < 2; n++) await seen("missing", ["cafe-1", "cafes"]);
    await go(page, "/links?fragment=missing");
    await page.getByText("1 link", { exact: true }).waitFor();
    await go(page, `/links/${id}`);

    await anchors(/^#café No such anchor since .* like #cafe-1, #cafes$/);
    expect(await faultsOf(page)).toEqual([]);
  });
});

/** What a page must show, before it is saved. */
async function tryIt(page: Page, me: Asker, id: string) {
  await go(page, `/links/${id}`);
  const sheet = await linkPage(page).edit();

  await sheet.getByLabel("The page must contain").fill("Handbook");
  await sheet.getByRole("button", { name: "Try" }).press("Enter");
  await sheet.getByRole("status").getByText("The page does not contain “Handbook”.").waitFor();
  await sheet.getByLabel("The page must contain").fill("Some words");
  await sheet.getByRole("button", { name: "Try" }).press("Enter");
  await sheet.getByRole("status").getByText("The server returned 200.").waitFor();
  await sheet.getByLabel("Accepted status codes").fill("600");
  await sheet.getByRole("button", { name: "Try" }).click();
  await sheet
    .getByRole("alert")
    .getByText(/must be a status code/)
    .waitFor();

  const saved = async () => (await me.get(`/api/v1/links/${id}`)).body.data;
  expect(await saved()).toMatchObject({ expect: null, last_check: null });
  await sheet.getByLabel("Accepted status codes").fill("200");
  await sheet.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The link was changed.").waitFor();
  expect((await saved()).expect).toEqual({
    must_contain: ["Some words"],
    accepted_status_codes: ["200"],
  });
}

/** States are carried forward between checks, and the arrow keys name the run. */
async function seeStates(page: Page) {
  const { strip, named } = linkPage(page);
  await strip.waitFor();
  expect(await strip.getAttribute("aria-label")).toBe("Dead 5 days, not checked 7 days");
  expect(await strip.locator("rect").count()).toBe(3);
  await page.getByText("alive 78 d, dead 4 d").waitFor();
  await strip.focus();
  await page.keyboard.press("ArrowLeft");
  expect(await named.textContent()).toMatch(/^Dead, 5 days, .* to today$/);
  await page.keyboard.press("ArrowLeft");
  expect(await named.textContent()).toMatch(/^Alive, 78 days, /);
}

async function seeResponseTimes(page: Page) {
  await page.getByText("average 280 ms; the band is fastest to slowest each day").waitFor();
  await page.getByRole("button", { name: "Options (Response time)" }).click();
  await page.getByRole("menuitem", { name: "Show as table" }).click();
  const table = page.getByRole("region", { name: "Response time as a table" });
  await table.getByText("240 ms").first().waitFor();
  await table.getByText("480 ms").first().waitFor();
}

async function seeResponses(page: Page) {
  await page.getByText("Our guide").waitFor();
  await page.getByRole("button", { name: "Compare with last alive check" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("heading", { name: "Text" }).waitFor();
  expect(await sheet.getByRole("row").allTextContents()).toEqual([
    expect.stringMatching(/^Alive .*Dead /),
    "Result200410",
  ]);
  expect(await sheet.locator("section").allTextContents()).toEqual([
    "TitleOur guideGone",
    `TextIt was hereis gone. ${"And so on. ".repeat(3)}And so …`,
  ]);
  expect(await sheet.locator("section del").allTextContents()).toEqual(["Our guide", "was here"]);
  expect(await sheet.locator("section ins").allTextContents()).toEqual(["Gone", "is gone"]);
  await sheet.getByText("The same in both: final URL, words, headings.").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Raw response" }).click();
  await page.getByText("<title>Gone</title>").waitFor();
  await page.getByText("not stored").waitFor();
  await page.getByRole("button", { name: "Last alive check", exact: true }).click();
  await page.getByText("<title>Our guide</title>").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
}

/** By host alone. */
async function seeAlert(page: Page, message: string) {
  const { alerts } = linkPage(page);
  // The page of another link had alerts as well.
  await page.locator(`[href="${message}"]`).waitFor();
  expect(await alerts.allTextContents()).toEqual([
    expect.stringMatching(/^Died .*hooks\.slack\.com.*Waiting$/),
  ]);
  expect(await page.locator("#app").innerHTML()).not.toContain("secret");
}

/** Runs open to their checks and those to what they saw; long lists open on request. */
async function seeRuns(page: Page) {
  const { runs, checksOf } = linkPage(page);
  await page.getByText("Sign 4.").waitFor();
  expect(await page.getByText("Sign 5.").count()).toBe(0);
  await page.getByRole("button", { name: "Show 7 more" }).click();
  await page.getByText("Sign 11.").waitFor();

  await page.getByText("2 runs, 31 checks").waitFor();
  expect(await runs.allTextContents()).toEqual([
    expect.stringMatching(/^Dead Domain for sale.* to now.*1 check$/),
    expect.stringMatching(/^Alive 200, 84 to 113 ms.*30 checks$/),
    expect.stringMatching(/^Added/),
  ]);
  await runs.nth(1).locator("summary").click();
  await checksOf(1).nth(24).waitFor();
  await page.getByRole("button", { name: "Show more checks" }).click();
  await checksOf(1).nth(29).waitFor();
  await runs.first().locator("summary").click();
  await runs.first().getByRole("button", { name: "Evidence" }).click();
  await runs.first().getByText("Sign 0.").waitFor();
}
