import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { users } from "../../server/db/tables.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import type { Probe } from "../../server/verdict/probe/probe.ts";
import { captureResponse } from "../../server/verdict/probe/response.ts";
import { goOffline, onDashboard, openTab } from "../browser.ts";
import { DAY, saw } from "../checker/ended.ts";
import { checkDueLinks } from "../rounds.ts";
import { addChecks, type NewCheck } from "../rows.ts";
import { startSite } from "../site.ts";
import { faultsOf } from "./looking.ts";
import { PARKED } from "./parked.ts";

const PAGE = `<title>A page</title><h1>A page</h1><p>${"Some words of it. ".repeat(60)}</p>`;
const HTML = { headers: { "content-type": "text/html" } };
const GONE = saw("http_410", { statusCode: 410, responseTimeMs: 80 });
const FINE = saw("ok", { statusCode: 200, responseTimeMs: 120 });
const DEAD = { status: "dead", reason: "http_404", statusCode: 404 } as const;
const CHANGED = { statusChanged: true, previousStatus: "active" } as const;

/** What a server sent. */
function sent(status: number, title: string, text: string) {
  const headers = new Headers({ server: "nginx", "set-cookie": "secret" });
  const page = { title, text, markup: `<title>${title}</title><p>${text}` };
  const answer = { kind: "answered", status, headers, page, finalUrl: "https://example.org/page" };
  return { response: captureResponse(answer as unknown as Probe, null)! };
}

/** How many lines of its own height the element with the URL takes. */
const linesOf = (page: Page) =>
  page.locator("h1 .url").evaluate((url) => {
    const { height } = url.getBoundingClientRect();
    return Math.round(height / Number.parseFloat(getComputedStyle(url).lineHeight));
  });

/** What the page asks the server with the visitor's session. */
const call = (page: Page, method: string, path: string, body?: unknown) =>
  page.evaluate(
    async ([method, path, body]) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`/dashboard/api/${path}`, { method, headers, body: body || null });
      const { data, error } = await answer.json();
      if (error) throw new Error(JSON.stringify(error));
      return data;
    },
    [method, path, body === undefined ? "" : JSON.stringify(body)] as const,
  );

/** A new link of the visitor of the page. */
async function addLink(page: Page, url = "https://example.org/page"): Promise<string> {
  if (page.url() === "about:blank") await page.goto("/links");
  return (await call(page, "POST", "links", { url })).id;
}

const verdict = (page: Page) => page.locator(".stamp");
/** The lines of the report, without its lists. */
const report = (page: Page) => page.locator(".proofcard .report > li");
const runs = (page: Page) => page.locator(".runs > li");

onDashboard("The page of one link", (dashboard) => {
  /** Lets everything be due, and end like this; browsers that are opened later show the new time. */
  const checkAs = (end: Conclusion) => {
    const { deps, clock } = dashboard().server;
    clock.moveBy(2 * DAY);
    return checkDueLinks({ ...deps, check: async () => end });
  };
  const later = (page: Page) => page.clock.setFixedTime(dashboard().server.clock.now());
  const addPast = (id: string, checks: (Partial<NewCheck> & { ago: number })[]) => {
    const now = dashboard().server.clock.now();
    const rows = checks.map(({ ago, ...check }) => ({
      linkId: id,
      checkedAt: now - ago,
      ...check,
    }));
    return addChecks(dashboard().server, rows);
  };

  test("folds a URL to three lines, and offers more only where there is more", async () => {
    const { page } = await dashboard().user({ width: 1440 });
    const more = page.getByRole("button", { name: "Show all", exact: true });
    const short = await addLink(page, `https://example.org/${"two-lines/".repeat(16)}`);
    const long = await addLink(page, `https://example.org/${"a".repeat(2028)}`);
    const narrow = (isNarrow: boolean) =>
      page.setViewportSize({ width: isNarrow ? 390 : 1440, height: 800 });

    await page.goto(`/links/${short}`);
    await page.locator("h1 .url").waitFor();
    expect(await more.count()).toBe(0);
    await narrow(true);
    await more.first().waitFor();
    expect(await linesOf(page)).toBe(3);
    await narrow(false);
    await more.first().waitFor({ state: "detached" });

    await page.goto(`/links/${long}`);
    await more.first().waitFor();
    expect(await linesOf(page)).toBe(3);
    expect(await faultsOf(page)).toEqual([]);
    await more.first().click();
    expect(await linesOf(page)).toBeGreaterThan(3);
    await page.getByRole("button", { name: "Show less" }).click();
    expect(await linesOf(page)).toBe(3);
  });

  test("disables what would change the link without a connection, and says why", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/out-of-reach");
    await page.goto(`/links/${id}`);
    await page.getByRole("heading", { level: 1 }).getByText("example.org").waitFor();

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

  test("copies the URL also where browsers have no clipboard for pages", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/to-copy");
    const { page: other } = await openTab(page, dashboard().server);
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined }),
    );
    await page.goto(`/links/${id}`);

    await page.getByRole("button", { name: "Copy URL" }).click();

    await page.getByText("Copied", { exact: true }).waitFor();
    await other.goto("/");
    expect(await other.evaluate(() => navigator.clipboard.readText())).toBe(
      "https://example.org/to-copy",
    );
    await other.close();
  });

  test("says what the link is, for how long, why, and how sure that is", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);
    dashboard().server.clock.moveBy(3 * DAY);
    await later(page);

    await page.goto(`/links/${id}`);

    await page.getByRole("heading", { name: "Dead for 3 days" }).waitFor();
    expect(await verdict(page).textContent()).toContain(
      "The domain is parked or for sale. Confirmed by 2 attempts.",
    );
    await page.getByText("The certificate expires in 4 days.").waitFor();
    const copy = page.getByRole("link", { name: "Archived copy" });
    expect(await copy.getAttribute("href")).toBe(
      "https://web.archive.org/web/https://example.org/parked",
    );
    expect(await copy.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  });

  test("keeps the verdict when a later check was inconclusive, and says so", async () => {
    const { page } = await dashboard().user({ width: 375, height: 700 });
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);
    await checkAs(saw("http_403", { statusCode: 403 }));
    await later(page);

    await page.goto(`/links/${id}`);

    await page.getByRole("heading", { name: "Dead for 2 days" }).waitFor();
    expect(await verdict(page).textContent()).toContain(
      "The domain is parked or for sale. Confirmed by 2 attempts. The last check was inconclusive: The server returned 403 (forbidden).",
    );
    await report(page).getByText("The link leads to a marketplace for domains.").waitFor();
  });

  test("shows the evidence line by line, and how the link led where", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);

    await page.goto(`/links/${id}`);

    await report(page).first().waitFor();
    expect(await report(page).allTextContents()).toEqual([
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
  });

  test("folds long lists, and opens them on request", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    const signals = Array.from({ length: 12 }, (_, n) => ({
      rule: `rule_${n}`,
      text: `Sign ${n}.`,
    }));
    await checkAs({ ...PARKED, evidence: { ...PARKED.evidence, signals } });

    await page.goto(`/links/${id}`);

    await page.getByText("Sign 4.").waitFor();
    expect(await page.getByText("Sign 5.").count()).toBe(0);
    await page.getByRole("button", { name: "Show 7 more" }).click();
    await page.getByText("Sign 11.").waitFor();
  });

  test("invents nothing before the first check", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);

    await page.goto(`/links/${id}`);

    await page.getByRole("heading", { name: "Waiting for its first check" }).waitFor();
    await page.getByText("None yet. Messages are listed for 30 days.").waitFor();
    expect(await page.locator(".report, .strip, .runs, .plot").count()).toBe(0);
    expect(await page.locator("main").textContent()).not.toMatch(/0 ?%|unknown/i);
    await checkAs(FINE);
    await later(page);
    await page.getByRole("heading", { name: "Alive for less than a minute" }).waitFor();
  });

  test("needs one quiet line for a link that is alive, and folds its evidence", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await checkAs(FINE);
    dashboard().server.clock.moveBy(3 * DAY);
    await later(page);

    await page.goto(`/links/${id}`);

    await page.getByRole("heading", { name: "Alive for 3 days" }).waitFor();
    expect(await verdict(page).textContent()).toContain("Last checked 3 days ago, 200");
    expect(await report(page).first().isVisible()).toBe(false);
    await page.getByText("Evidence", { exact: true }).click();
    await report(page).last().getByText("The server returned 200.").waitFor();
  });

  test("says what would settle an unknown link", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await checkAs(saw("http_503", { statusCode: 503 }));

    await page.goto(`/links/${id}`);

    await page.getByText("If it fails the same way for 7 days, it is marked dead.").waitFor();
  });

  test("shows a requested check while it runs, and its result", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await checkAs(GONE);
    await page.goto(`/links/${id}`);
    await page.getByRole("heading", { name: /^Dead for/ }).waitFor();

    const asked = page.waitForResponse(`**/links/${id}/check`);
    await page.keyboard.press("r");
    await page.locator("button[aria-busy=true]", { hasText: "Check now" }).waitFor();
    await asked;
    await page.getByRole("heading", { name: /^Dead for/ }).waitFor();
    await checkAs(FINE);
    await later(page);

    await page
      .getByText("Checked. Alive for less than a minute. The server returned 200.")
      .waitFor();
    await page.locator("button[aria-busy=true]").waitFor({ state: "detached" });
    await runs(page).first().getByText("Alive").waitFor();
  });

  test("changes the group and the frequency where they stand, and undoes that", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await call(page, "POST", "groups", { name: "Handbook" });
    await page.goto(`/links/${id}`);
    const about = page.locator(".about");

    await about.getByRole("button", { name: "Check frequency: Daily" }).click();
    await page.getByRole("button", { name: "Monthly", exact: true }).click();
    await page.getByText("Checked monthly").waitFor();
    await page.keyboard.press("v");
    await page.getByRole("button", { name: "Handbook", exact: true }).click();
    await page.getByText("Moved to “Handbook”").waitFor();
    await about.getByText("Handbook").first().waitFor();

    await page.getByRole("button", { name: /Undo/ }).click();
    await about.getByRole("button", { name: "Group: None" }).waitFor();
    await page.reload();
    await about.getByRole("button", { name: "Group: None" }).waitFor();
    await about.getByRole("button", { name: "Check frequency: Monthly" }).waitFor();
  });

  test("is deleted at once, and comes back with Undo", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await page.goto(`/links/${id}`);
    await page.getByRole("heading", { name: "example.org/page" }).waitFor();

    await page.keyboard.press("#");
    await page.waitForURL("**/links");
    await page.getByText("1 link deleted").waitFor();
    await page.getByRole("button", { name: /Undo/ }).click();

    await page.goto(`/links/${id}`);
    await page.getByRole("heading", { name: "example.org/page" }).waitFor();
    await call(page, "DELETE", `links/${id}`).catch(() => {});
    await page.goto(`/links/${id}`);
    await page.getByText("It was deleted, or its address is wrong.").waitFor();
  });

  test("is walked through in the list that it was opened from, which keeps its filter", async () => {
    const { page } = await dashboard().user();
    await addLink(page, "https://example.org/one");
    const two = await addLink(page, "https://example.org/two");
    await addLink(page, "https://example.net/three");
    await page.goto("/links?search=example.org");
    const bar = page.getByRole("region", { name: "Where you are" });

    await page.locator(`.c-u a[href="/links/${two}"]`).click();
    await page.getByRole("heading", { name: "example.org/two" }).waitFor();
    const position = await bar.locator(".pos").textContent();
    await page.keyboard.press(position?.startsWith("1") ? "j" : "k");
    await page.getByRole("heading", { name: "example.org/one" }).waitFor();
    await bar.getByRole("link", { name: "“example.org”" }).click();

    await page.waitForURL("**/links?search=example.org");
    expect(position).toMatch(/^[12] of 2/);
  });

  test("carries states forward between checks, and names the run under the arrow keys", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await addPast(id, [{ ago: 80 * DAY }, { ago: 2 * DAY, ...DEAD, ...CHANGED }]);
    await checkAs(GONE);
    await later(page);
    await page.goto(`/links/${id}`);

    const strip = page.locator(".strip.full");
    await strip.waitFor();
    expect(await strip.getAttribute("aria-label")).toBe("Dead 5 days, not checked 7 days");
    expect(await strip.locator("rect").count()).toBe(3);
    await page.getByText("alive 78 d, dead 4 d").waitFor();
    await strip.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".axis output").textContent()).toMatch(/^Dead, 5 days, .* to today$/);
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".axis output").textContent()).toMatch(/^Alive, 78 days, /);
  });

  test("lists its history as runs, which open to their checks and what those saw", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/parked");
    await addPast(id, [
      ...Array.from({ length: 30 }, (_, n) => ({ ago: (n + 2) * DAY, responseTimeMs: 84 + n })),
    ]);
    await checkAs(PARKED);
    await later(page);
    await page.goto(`/links/${id}`);

    await page.getByText("2 runs, 31 checks").waitFor();
    expect(await runs(page).allTextContents()).toEqual([
      expect.stringMatching(/^Dead Domain for sale.* to now.*1 check$/),
      expect.stringMatching(/^Alive 200, 84 to 113 ms.*30 checks$/),
      expect.stringMatching(/^Added/),
    ]);
    await runs(page).nth(1).locator("summary").click();
    const checks = runs(page).nth(1).locator(".checks > li");
    await checks.nth(24).waitFor();
    await page.getByRole("button", { name: "Show more checks" }).click();
    await checks.nth(29).waitFor();
    await runs(page).first().locator("summary").click();
    await runs(page).first().getByRole("button", { name: "Evidence" }).click();
    await runs(page).first().getByText("The link leads to a marketplace").waitFor();
  });

  test("shows response times by day, also as a table", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await addPast(id, [
      { ago: 3 * DAY, responseTimeMs: 240 },
      { ago: 60 * DAY, responseTimeMs: 480 },
    ]);
    await checkAs(FINE);
    await later(page);
    await page.goto(`/links/${id}`);

    await page.getByText("average 280 ms; the band is fastest to slowest each day").waitFor();
    await page.getByRole("button", { name: "Options (Response time)" }).click();
    await page.getByRole("menuitem", { name: "Show as table" }).click();
    const table = page.getByRole("region", { name: "Response time as a table" });
    await table.getByText("240 ms").first().waitFor();
    await table.getByText("480 ms").first().waitFor();
  });

  test("shows the raw responses, and compares them", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await checkAs({ ...FINE, ...sent(200, "Our guide", "one two three") });
    await checkAs({ ...GONE, ...sent(410, "Gone", "nothing") });
    await page.goto(`/links/${id}`);
    await page.getByText("Our guide").waitFor();

    await page.getByRole("button", { name: "Compare with last alive check" }).click();
    const rows = page.getByRole("row");
    expect(await rows.filter({ hasText: "Status" }).textContent()).toBe("Status200410");
    expect(await rows.filter({ hasText: "Words" }).textContent()).toBe("Words31");
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Raw response" }).click();
    await page.getByText("<title>Gone</title>").waitFor();
    await page.getByText("not stored").waitFor();
    await page.getByRole("button", { name: "Last alive check", exact: true }).click();
    await page.getByText("<title>Our guide</title>").waitFor();
  });

  test("lists the alerts that were sent, by host alone, and leads to the message", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    const url = "https://hooks.slack.com/services/T000/B000/secret";
    const webhook = await call(page, "POST", "webhooks", { url, events: ["link.dead"] });
    const id = await addLink(page);
    await page.goto(`/links/${id}`);
    await page.getByText("None yet. Messages are listed for 30 days.").waitFor();
    await checkAs(GONE);
    await page.reload();

    const events = page.locator(".alerts-sent li");
    await events.first().waitFor();
    expect(await events.allTextContents()).toEqual([
      expect.stringMatching(/^Died .*hooks\.slack\.com.*Waiting$/),
    ]);
    const [event] = (await call(page, "GET", `links/${id}/events`)).items;
    const link = events.getByRole("link");
    expect(await link.getAttribute("href")).toBe(`/alerts/${webhook.id}/messages/${event.id}`);
    expect(await page.locator("#app").innerHTML()).not.toContain("secret");
  });

  test("takes what strangers wrote for text, wherever it stands", async () => {
    const { page } = await dashboard().user();
    const evil = "<img/src=x/onerror=alert(1)>";
    const id = await addLink(page, `https://example.org/?q=${evil}`);
    const evidence = {
      ...PARKED.evidence,
      redirects: [{ url: "javascript:alert(1)", status: 302, via: "location" as const }],
      final_url: `https://example.net/${evil}`,
      signals: [{ rule: evil, text: evil }],
      notes: [evil],
      server: evil,
      excerpt: evil,
    };
    await checkAs({ ...PARKED, evidence });

    await page.goto(`/links/${id}`);

    await report(page).getByText(evil).first().waitFor();
    expect(await page.locator('a[href^="javascript"], main img').count()).toBe(0);
  });

  test("offers nothing to viewers, but shows everything", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const id = await addLink(page);
    await checkAs(GONE);
    const mine = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(mine);

    await page.goto(`/links/${id}`);

    await page.getByText("1 run, 1 check", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Archived copy" }).waitFor();
    expect(await page.locator(".lh .deeds button, .about button").count()).toBe(0);
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
  ] as const)("has no accessibility faults: %s, %d wide", async (colorScheme, width) => {
    const { page } = await dashboard().user({ colorScheme, width, height: 800 });
    const id = await addLink(page, "https://example.org/parked");
    await call(page, "POST", "webhooks", {
      url: "https://ops.example.org/",
      events: ["link.dead"],
    });
    await addPast(id, [{ ago: 2 * DAY }, { ago: 3 * DAY, ...DEAD, ...CHANGED }]);
    await checkAs({ ...PARKED, ...sent(200, "For sale", "Buy this domain") });
    await later(page);
    await page.goto(`/links/${id}`);
    await page.locator(".alerts-sent li").first().waitFor();
    await runs(page).first().locator("summary").click();
    await runs(page).first().locator(".checks > li").first().waitFor();

    expect(await faultsOf(page)).toEqual([]);
  });

  test("what it must show can be tried before it is saved", async () => {
    const site = startSite({ "/page": () => new Response(PAGE, HTML) });
    const { page } = await dashboard().user();
    const id = await addLink(page, `${site.url}/page`);
    await page.goto(`/links/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const sheet = page.getByRole("dialog", { name: "Edit link" });

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

    const link = await call(page, "GET", `links/${id}`);
    expect([link.expect, link.last_check]).toEqual([null, null]);
    await sheet.getByLabel("Accepted status codes").fill("200");
    await sheet.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("The link was changed.").waitFor();
    const { expect: saved } = await call(page, "GET", `links/${id}`);
    expect(saved).toEqual({ must_contain: ["Some words"], accepted_status_codes: ["200"] });
    await site.stop();
  });
});
