import { expect, test } from "bun:test";
import { onDashboard } from "../browser.ts";
import { type Asker, START } from "../harness.ts";
import { addChecks, addLink } from "../rows.ts";
import { askerOf, faultsOf } from "./looking.ts";

const HOUR = 3_600_000;
const NOW = Date.parse(START);
const DIED = { status: "dead", previousStatus: "active", statusChanged: true } as const;

onDashboard("The history page", (dashboard) => {
  /** Two links: one that is fine every hour, and one that died two days ago. */
  async function furnished(me: Asker) {
    const { server } = dashboard();
    const fine = await addLink(me, { url: "https://example.org/fine" });
    const gone = await addLink(me, { url: `https://example.org/gone` });
    await addChecks(server, [
      ...Array.from({ length: 3 }, (_, i) => ({ linkId: fine, checkedAt: NOW + i * HOUR })),
      { linkId: gone, checkedAt: NOW - 48 * HOUR, ...DIED, statusCode: 404, reason: "http_404" },
    ]);
    return { fine, gone };
  }

  test("lists checks of all links with what they found and why, and what they came to", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await furnished(await askerOf(server, accountId));
    await page.goto("/history");

    const row = page.getByRole("row").filter({ hasText: "https://example.org/gone" });
    await row.getByText("The server returned 404: there is no such page.").waitFor();
    await row.getByText("was alive").waitFor();
    await row.getByText("Schedule").waitFor();
    expect(await page.getByRole("row").count()).toBe(5);
    const tiles = await page.locator(".tiles > div").allTextContents();
    expect(tiles).toEqual([
      "Checks4",
      "Found dead1 25 %",
      "Changes of status1",
      "Average answer100 ms",
    ]);
  });

  test("keeps the result, the time and the page in the address", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await furnished(await askerOf(server, accountId));
    await page.goto("/history");

    await page.getByRole("link", { name: "Dead", exact: true }).click();
    await page.getByText("1 check", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Today" }).click();
    await page.getByText("No check matches").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&from=2030-01-01");
    await page.getByLabel("From").fill("2029-12-30");
    await page.getByText("1 check", { exact: true }).waitFor();
    await page.getByLabel("To", { exact: true }).fill("2029-12-31");
    await page.waitForURL("**/history?status=dead&from=2029-12-30&to=2029-12-31");

    await page.reload();
    await page.getByText("1 check", { exact: true }).waitFor();
    expect(await page.getByLabel("From").inputValue()).toBe("2029-12-30");
  });

  test("tells of the chosen time in its numbers too", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await furnished(await askerOf(server, accountId));

    await page.goto("/history?from=2029-12-30&to=2029-12-30");

    await page.getByText("Found dead1 100 %").waitFor();
  });

  test("shows one link's checks by itself, and leads back to all", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const { gone } = await furnished(await askerOf(server, accountId));
    await page.goto(`/history?link_id=${gone}`);

    await page.getByText("1 check", { exact: true }).waitFor();
    await page.locator(".one-link").getByText("https://example.org/gone").waitFor();
    await page.getByRole("link", { name: "Show the checks of all links" }).click();

    await page.getByText("4 checks", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("gives the same checks as a file, to whoever may only look as well", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await furnished(await askerOf(server, accountId));
    await page.goto("/history?changed=true&from=2029-12-01");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export CSV" }).click(),
    ]);

    const text = await new Response(Bun.file(await download.path())).text();
    expect(download.suggestedFilename()).toBe("history-2030-01-01.csv");
    expect(text.trimEnd().split("\r\n")).toHaveLength(2);
    expect(text).toContain("https://example.org/gone");
  });

  test("says what will be there while nothing was checked yet", async () => {
    const { page } = await dashboard().user();
    await page.goto("/history");

    await page.getByText("No checks yet").waitFor();
  });

  test("leaves out what makes no sense in the address", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await furnished(await askerOf(server, accountId));

    await page.goto("/history?status=gone&from=yesterday&link_id=x&page=-1");

    await page.getByText("4 checks", { exact: true }).waitFor();
  });

  test.each([
    ["by day", { colorScheme: "light" }],
    ["by night", { colorScheme: "dark" }],
    ["on a telephone", { width: 360, height: 800 }],
  ] as const)("can be read by everybody %s", async (_, looks) => {
    const { server, user } = dashboard();
    const { page, accountId } = await user(looks);
    const { gone } = await furnished(await askerOf(server, accountId));
    await page.goto(`/history?link_id=${gone}`);
    await page.getByText("1 check", { exact: true }).waitFor();

    expect(await faultsOf(page)).toEqual([]);
  });
});
