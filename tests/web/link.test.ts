import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { users } from "../../server/db/tables.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import { onDashboard } from "../browser.ts";
import { DAY, HOUR, saw } from "../checker/ended.ts";
import { checkDueLinks } from "../rounds.ts";
import { addChecks, type NewCheck } from "../rows.ts";
import { faultsOf } from "./looking.ts";
import { PARKED } from "./parked.ts";

const GONE = saw("http_410", { statusCode: 410, responseTimeMs: 80 });
const FINE = saw("ok", { statusCode: 200, responseTimeMs: 120 });
const DEAD = { status: "dead", reason: "http_404", statusCode: 404 } as const;

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

/** A new link of whoever sits in front of the page. */
async function addLink(page: Page, url = "https://example.org/page"): Promise<string> {
  if (page.url() === "about:blank") await page.goto("/links");
  return (await call(page, "POST", "links", { url })).id;
}

/** The sentences beside the status. */
const verdict = (page: Page) => page.locator(".verdict p");
const rows = (page: Page) => page.locator("table.history tbody tr:not([hidden])");

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

  test("says in a sentence what the link is, for how long, why, and how sure that is", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);
    dashboard().server.clock.moveBy(3 * DAY);
    await later(page);

    await page.goto(`/links/${id}`);

    await verdict(page).waitFor();
    expect(await verdict(page).textContent()).toBe(
      "Dead for 3 days. The domain is parked or for sale. Confirmed by 2 attempts.",
    );
    expect(await page.locator(".verdict code").textContent()).toBe("domain_parked");
    await page.getByText("The server's certificate expires in 4 days.").waitFor();
    const copy = page.getByRole("link", { name: "Newest archived copy" });
    expect(await copy.getAttribute("href")).toBe(
      "https://web.archive.org/web/https://example.org/parked",
    );
    expect(await copy.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  });

  test("keeps to the verdict when a later check was not conclusive, and says so", async () => {
    const { page } = await dashboard().user({ width: 375, height: 700 });
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);
    await checkAs(saw("http_403", { statusCode: 403 }));
    await later(page);

    await page.goto(`/links/${id}`);

    await verdict(page).waitFor();
    expect(await verdict(page).textContent()).toBe(
      "Dead for 2 days. The domain is parked or for sale. Confirmed by 2 attempts. The latest check was not conclusive: The server returned 403 (forbidden).",
    );
    await page.getByText("What was seen when it became dead").click();
    await page.locator("details").getByText("The link leads to a marketplace").waitFor();
    const opener = page.getByRole("button", { name: "What it saw" });
    await opener.click();
    await page.locator("table.history").getByText("The link leads to a marketplace").waitFor();
    await opener.click();
    await page.locator("table.history .evidence").waitFor({ state: "detached" });
  });

  test("tells what spoke for the verdict, and how the link led where, step by step", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page, "https://example.org/parked");
    await checkAs(PARKED);

    await page.goto(`/links/${id}`);

    const evidence = page.locator(".evidence");
    await evidence.getByText("The link leads to a marketplace for domains.").waitFor();
    const parts = await evidence.locator("li").allTextContents();
    expect(parts).toMatchObject([
      "The link leads to a marketplace for domains. parked_host",
      expect.stringMatching(/^200 after 12 ms from 192\.0\.2\.7.* domain_parked$/),
      expect.stringMatching(/^3 seconds later404 after 12 ms.*, asked as a browser/),
      expect.stringMatching(/^301https:\/\/example\.org\/parked$/),
      "200https://www.example.org/landerwith www, another path; a page that sent on",
      "endhttp://sale.example.net/no longer encrypted, another host, another path",
      expect.stringMatching(/^A random address next to it: 404/),
      "The redirects leave https for plain http.",
      expect.stringContaining("changes so often"),
      "This monitor was online: 2 of the 3 servers asked to find out answered.",
    ]);
    const different = await evidence.locator("mark").allTextContents();
    expect(different).toEqual(["www.example.org", "/lander", "http://", "sale.example.net", "/"]);
  });

  test("folds what is long, and opens it when asked", async () => {
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

  test("shows a check that was asked for while it runs, and what came of it", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await checkAs(GONE);
    await page.goto(`/links/${id}`);

    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByRole("progressbar", { name: "Check under way" }).waitFor();
    await page.getByText(/asked \d+ seconds? ago/).waitFor();
    expect(await page.getByRole("button", { name: "Check now" }).isDisabled()).toBe(true);
    expect(await page.locator(".verdict .status").textContent()).toBe("Dead");
    await checkAs(FINE);
    await later(page);

    await page.getByText("Checked. Alive since just now. The server returned 200.").waitFor();
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    expect(await verdict(page).textContent()).toContain("Alive since just now.");
    await rows(page).first().getByText("was dead").waitFor();
  });

  test("changes the group and how often the link is checked", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await call(page, "POST", "groups", { name: "Handbook" });
    await page.goto(`/links/${id}`);

    await page.getByLabel("Check frequency").selectOption("monthly");
    await page.getByText("Checked monthly from now on.").waitFor();
    await page.getByLabel("Group", { exact: true }).selectOption("Handbook");
    await page.getByText("Moved to “Handbook”.").waitFor();

    await page.reload();
    await page.getByText("Every check will be listed here.").waitFor();
    expect(await page.getByLabel("Check frequency").inputValue()).toBe("monthly");
    await page
      .locator("select option:checked", { hasText: "Handbook" })
      .waitFor({ state: "attached" });
    await page.getByLabel("Group", { exact: true }).selectOption("No group");
    await page.getByText("Removed from its group.").waitFor();
  });

  test("has a cell for each of 90 days, which the arrow keys walk and which leads to its checks", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await later(page);
    await addPast(id, [
      { ago: 2 * DAY, ...DEAD },
      { ago: 2 * DAY - HOUR },
      { ago: 1 * DAY, status: "unknown", reason: "http_503", statusCode: 503 },
      { ago: 80 * DAY },
    ]);
    await page.goto(`/links/${id}`);

    const days = page.locator(".days a");
    await days.first().waitFor();
    expect(await days.count()).toBe(90);
    const names = await days.evaluateAll((all) => all.map((day) => day.getAttribute("aria-label")));
    expect(names[89]).toEndWith(": no checks");
    expect(names[88]).toEndWith(": 1 check, 1 unknown");
    expect(names[87]).toEndWith(": 2 checks, 1 dead");
    expect(names[9]).toEndWith(": 1 check, all alive");
    await days.last().focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".days p").textContent()).toBe(names[87]!);
    await page.keyboard.press("Enter");

    await page.getByText("2 checks", { exact: true }).waitFor();
    const date = new Date(dashboard().server.clock.now() - 2 * DAY).toISOString().slice(0, 10);
    expect(new URL(page.url()).search).toBe(`?from=${date}&to=${date}`);
    expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe(date);
  });

  test("narrows the history to a status, to changes and to days, and keeps that in the address", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    const changed = { statusChanged: true, previousStatus: "active" } as const;
    await addPast(id, [
      { ago: 5 * DAY },
      { ago: 4 * DAY, ...DEAD, ...changed },
      { ago: 3 * DAY, ...DEAD },
    ]);
    await page.goto(`/links/${id}`);
    await page.getByText("3 checks", { exact: true }).waitFor();

    await page.getByRole("navigation", { name: "Checks by result" }).getByText("Dead").click();
    await page.getByText("2 checks", { exact: true }).waitFor();
    await page.getByLabel("Only changes").check();
    await page.getByText("1 check", { exact: true }).waitFor();
    expect(await rows(page).textContent()).toContain("was alive");
    expect(new URL(page.url()).search).toBe("?status=dead&changed=true");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByText("No check matches.").waitFor();

    await page.reload();
    await page.getByText("No check matches.").waitFor();
    expect(await page.getByLabel("Only changes").isChecked()).toBe(true);
    await page.getByRole("link", { name: "Show all checks" }).click();
    await page.getByText("3 checks", { exact: true }).waitFor();
  });

  test("walks through a long history without losing what narrows it", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await addPast(
      id,
      Array.from({ length: 30 }, (_, n) => ({ ago: (n + 1) * HOUR, ...(n < 28 ? DEAD : {}) })),
    );

    await page.goto(`/links/${id}?status=dead`);
    await page.getByText("1–25 of 28 checks").waitFor();
    await page.getByRole("link", { name: "Next" }).click();

    await page.getByText("26–28 of 28 checks").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&page=2");
  });

  test("shows the time to answer over a span that the address keeps", async () => {
    const { page } = await dashboard().user();
    const id = await addLink(page);
    await addPast(id, [
      { ago: 3 * DAY, responseTimeMs: 240 },
      { ago: 60 * DAY, responseTimeMs: 480 },
    ]);
    await page.goto(`/links/${id}`);
    const chart = page.getByRole("figure", { name: "Average time to answer" });

    await chart.getByRole("button", { name: /table/ }).click();
    await chart.getByText("240 ms").first().waitFor();
    expect(await chart.getByText("480 ms").count()).toBe(0);
    await page.getByRole("link", { name: "90 d" }).click();

    await chart.getByText("480 ms").first().waitFor();
    expect(new URL(page.url()).search).toBe("?span=90d");
  });

  test("tells what webhooks were told, by host alone, and leads to their log", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    const url = "https://hooks.slack.com/services/T000/B000/secret";
    const webhook = await call(page, "POST", "webhooks", { url, events: ["link.dead"] });
    const id = await addLink(page);
    await page.goto(`/links/${id}`);
    await page.getByText("Events of a link are recorded while a webhook").waitFor();
    await checkAs(GONE);
    await page.reload();

    const events = page.locator(".link-events > li");
    await events.first().waitFor();
    expect(await events.allTextContents()).toEqual([
      expect.stringMatching(/^Found deadlink\.dead.*hooks\.slack\.comWaitingnot tried yet$/),
    ]);
    const [event] = (await call(page, "GET", `links/${id}/events`)).items;
    const link = events.getByRole("link", { name: "hooks.slack.com" });
    expect(await link.getAttribute("href")).toBe(`/webhooks/${webhook.id}?delivery=${event.id}`);
    expect(await page.content()).not.toContain("secret");
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
    };
    await checkAs({ ...PARKED, evidence });

    await page.goto(`/links/${id}`);

    await page.locator(".evidence").getByText(evil).first().waitFor();
    expect(await page.locator('a[href^="javascript"], main img').count()).toBe(0);
  });

  test("offers nothing to someone who may only look, but shows everything", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const id = await addLink(page);
    await checkAs(GONE);
    const mine = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(mine);

    await page.goto(`/links/${id}`);

    await page.getByText("1 check", { exact: true }).waitFor();
    await page.getByText("none", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /Check now|Delete/ }).count()).toBe(0);
    expect(await page.locator("main select").count()).toBe(0);
    await page.getByRole("link", { name: "Newest archived copy" }).waitFor();
  });

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
  ] as const)(
    "is without fault for those who hear or cannot see well: %s, %d wide",
    async (colorScheme, width) => {
      const { page } = await dashboard().user({ colorScheme, width, height: 800 });
      const id = await addLink(page, "https://example.org/parked");
      await call(page, "POST", "webhooks", {
        url: "https://ops.example.org/",
        events: ["link.dead"],
      });
      await addPast(id, [{ ago: 2 * DAY }, { ago: 3 * DAY, ...DEAD }]);
      await checkAs(PARKED);
      await later(page);
      await page.goto(`/links/${id}`);
      await page.locator(".link-events").waitFor();
      await page.getByRole("button", { name: "What it saw" }).first().click();

      expect(await faultsOf(page)).toEqual([]);
    },
  );
});
