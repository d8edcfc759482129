import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkDueLinks } from "../../server/checker/checker.ts";
import { onDashboard } from "../browser.ts";
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

onDashboard("The page of one link", (dashboard) => {
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
