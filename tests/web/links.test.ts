import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkDueLinks } from "../../server/checker/checker.ts";
import type { Conclusion } from "../../server/checker/conclusion.ts";
import { onDashboard } from "../browser.ts";
import { DAY, saw } from "../checker/ended.ts";
import { startSite } from "../site.ts";

const site = startSite({
  "/fine": "<title>Fine</title><p>A page about something, with enough to read on it.</p>",
  "/gone": 410,
  "/busy": 503,
  "/old": () => new Response(null, { status: 301, headers: { location: "/fine" } }),
});

afterAll(() => site.stop());

onDashboard("The links page", (dashboard) => {
  const check = () => {
    const { deps, check } = dashboard().server;
    return checkDueLinks({ ...deps, check });
  };

  test("adds many links at once, tells which were refused, and shows what a check found", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");

    await page.getByRole("button", { name: "Add your first links" }).click();
    await page
      .getByLabel("URLs", { exact: true })
      .fill(`${site.url}/fine\n\nftp://x\n${site.url}/gone`);
    await page.getByRole("button", { name: "Add", exact: true }).click();

    await page.getByText("2 of 3 added.").waitFor();
    expect(await page.getByLabel("URLs", { exact: true }).inputValue()).toBe("ftp://x");
    await page.getByText("URL must be an http or https URL.").waitFor();
    await page.keyboard.press("Escape");
    await row(page, "/gone").getByText("Not checked yet.").waitFor();
    await check();
    await row(page, "/gone")
      .getByText("The server answered 410: the page is gone for good.")
      .waitFor();
    await row(page, "/gone").getByText("Dead").waitFor();
    await row(page, "/fine").getByText("Active").waitFor();
  });

  test("keeps the filter, the search and the page in the address", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/links");
    await add(page, [`${site.url}/fine`, `${site.url}/gone`]);
    await checkDueLinks({ ...server.deps, check: server.check });

    await page.getByRole("link", { name: "Dead" }).click();
    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead");
    await page.getByRole("searchbox").fill("nowhere");
    await page.getByText("No link matches").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&search=nowhere");

    await page.reload();
    await page.getByText("No link matches").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("nowhere");
    await page.getByRole("link", { name: "Show all links" }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
  });

  test("shows the links of one service, by its name", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await add(page, ["https://youtu.be/jNQXAC9IVRw", "https://example.org/a"]);

    await page.getByLabel("Service", { exact: true }).selectOption("YouTube");

    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?service=youtube");
    await page.getByRole("link", { name: "youtu.be/jNQXAC9IVRw" }).first().click();
    await page.getByText("YouTube", { exact: true }).waitFor();
  });

  test("walks through the pages of a long list", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await add(
      page,
      Array.from({ length: 26 }, (_, n) => `${site.url}/fine?n=${n}`),
    );

    await page.getByText("1–25 of 26 links").waitFor();
    await page.getByRole("link", { name: "Next" }).click();

    await page.getByText("26–26 of 26 links").waitFor();
    expect(new URL(page.url()).search).toBe("?page=2");
    await page.goBack();
    await page.getByText("1–25 of 26 links").waitFor();
  });

  test("checks a link now, and deletes it once that is confirmed", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await add(page, [`${site.url}/busy`]);
    await check();
    await row(page, "/busy").getByText("Unknown").waitFor();

    await page.getByRole("button", { name: `Check ${site.url}/busy now` }).click();
    await page.getByText("Check initiated.").waitFor();
    await row(page, "/busy").getByText("Checking").waitFor();
    await page.getByRole("button", { name: `Delete ${site.url}/busy` }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: `Delete ${site.url}/busy` }).click();
    await page.getByRole("button", { name: "Delete link" }).click();

    await page.getByText("The link was deleted.").waitFor();
    await page.getByText("No links yet").waitFor();
  });

  test("says that a list could not be loaded, and tries again when asked to", async () => {
    const { page } = await dashboard().user();
    const answer = { status: 403, json: { error: { message: "Not now.", status: 403 } } };
    await page.route("**/dashboard/api/links*", (route) => route.fulfill(answer));

    await page.goto("/links");
    await page.getByText("Not now.").waitFor();
    await page.unroute("**/dashboard/api/links*");
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByText("No links yet").waitFor();
  });

  test("offers nothing to someone who may only look", async () => {
    const { page } = await dashboard().user({}, "viewer");

    await page.goto("/links");
    await page.getByText("No links yet").waitFor();

    expect(await page.getByRole("button").allTextContents()).toEqual(["Sign out"]);
  });
});

const PARKED = saw("domain_parked", {
  statusCode: 200,
  finalUrl: "http://sale.example.net/",
  evidence: {
    attempts: [
      {
        at: "2030-01-01T00:00:00.000Z",
        profile: "A",
        outcome: "answered",
        status: 200,
        reason: "domain_parked",
        detail: null,
        elapsed_ms: 12,
        address: "192.0.2.7",
      },
      {
        at: "2030-01-01T00:00:03.000Z",
        profile: "B",
        outcome: "answered",
        status: 404,
        reason: "http_404",
        detail: null,
        elapsed_ms: 8,
        address: "192.0.2.7",
      },
    ],
    redirects: [
      { url: "https://example.org/parked", status: 301, via: "location" },
      { url: "https://example.org/lander", status: 200, via: "refresh" },
    ],
    final_url: "http://sale.example.net/",
    address: "192.0.2.7",
    tls_expires_at: null,
    signals: [{ rule: "parked_host", text: "The link leads to a marketplace for domains." }],
    probes: [
      {
        asked: "sibling",
        url: "https://example.org/qwertyuiopasdfgh",
        status: 404,
        reason: null,
        final_url: null,
      },
    ],
    notes: ["The redirects leave https for plain http."],
    flapping: true,
    monitor: {
      state: "online",
      asked_at: "2030-01-01T00:00:00.000Z",
      sentinels: [
        { address: "1.1.1.1:53", answered: true },
        { address: "8.8.8.8:53", answered: true },
        { address: "9.9.9.9:53", answered: false },
      ],
    },
  },
});

onDashboard("The page of one link", (dashboard) => {
  /** Lets everything be due, and end like this. */
  const checkAs = (end: Conclusion) => {
    const { deps, clock } = dashboard().server;
    clock.moveBy(2 * DAY);
    return checkDueLinks({ ...deps, check: async () => end });
  };

  test("tells why the link has its status, and when it was what", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/links");
    await add(page, [`${site.url}/old`]);
    await checkDueLinks({ ...server.deps, check: server.check });

    await page.getByRole("link", { name: `${site.url}/old`, exact: true }).click();

    await page.getByText("The link redirects to a page that is there.").first().waitFor();
    await page.getByText("What the last check saw").waitFor();
    await page.getByRole("link", { name: `${site.url}/fine` }).waitFor();
    const [entry] = await page.locator("table.history tbody tr").allTextContents();
    expect(entry).toContain("was unknown");
    await page.getByText("1 check", { exact: true }).waitFor();
  });

  test("tells in sentences what spoke for the verdict, and how it was found", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await add(page, ["https://example.org/parked"]);
    await checkAs(PARKED);

    await page.getByRole("link", { name: "https://example.org/parked", exact: true }).click();

    const evidence = page.locator(".evidence");
    await evidence.getByText("The link leads to a marketplace for domains.").waitFor();
    const parts = await evidence.locator("li").allTextContents();
    expect(parts).toMatchObject([
      "The link leads to a marketplace for domains. parked_host",
      expect.stringMatching(/^200 after 12 ms from 192\.0\.2\.7/),
      expect.stringMatching(/^404 after 8 ms.*, asked as a browser/),
      expect.stringMatching(/^301 https:\/\/example\.org\/parked/),
      expect.stringMatching(/^200 https:\/\/example\.org\/lander.*a page that sent on/),
      expect.stringMatching(/^A random address beside it: 404/),
      "The redirects leave https for plain http.",
      expect.stringContaining("changes so often"),
      "This monitor was online: 2 of the 3 servers asked to find out answered.",
    ]);
  });

  test("opens what was seen when the status changed, on a small screen as well", async () => {
    const { page } = await dashboard().user({ width: 375, height: 700 });
    await page.goto("/links");
    await add(page, ["https://example.org/parked"]);
    await checkAs(PARKED);
    await checkAs(saw("http_403", { statusCode: 403 }));

    await page.getByRole("link", { name: "https://example.org/parked", exact: true }).click();

    await page.getByText("What was seen when it became dead").click();
    await page.locator("details").getByText("The link leads to a marketplace").waitFor();
    const opener = page.getByRole("button", { name: "What it saw" });
    expect(await opener.count()).toBe(1);
    await opener.click();
    await page.locator("table.history").getByText("The link leads to a marketplace").waitFor();
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    await opener.click();
    await page.locator("table.history .evidence").waitFor({ state: "detached" });
  });

  test("changes how often the link is checked", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await add(page, [`${site.url}/fine`]);
    await page.getByRole("link", { name: `${site.url}/fine`, exact: true }).click();

    await page.getByLabel("Check frequency").selectOption("monthly");
    await page.getByText("Checked monthly from now on.").waitFor();

    await page.reload();
    await page.getByText("Every check will be listed here.").waitFor();
    expect(await page.getByLabel("Check frequency").inputValue()).toBe("monthly");
  });
});

const row = (page: Page, path: string) => page.getByRole("listitem").filter({ hasText: path });

async function add(page: Page, urls: string[]) {
  await page.getByRole("button", { name: "Add links" }).click();
  await page.getByLabel("URLs", { exact: true }).fill(urls.join("\n"));
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page
    .getByText(urls.length === 1 ? "1 link added." : `${urls.length} links added.`)
    .waitFor();
}
