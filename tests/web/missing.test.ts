import { expect, test } from "bun:test";
import { newId } from "../../server/lib/ids.ts";
import { onDashboard } from "../browser.ts";

onDashboard("A page about something that is not there", (dashboard) => {
  test.each([
    ["links", "No such link."],
    ["alerts", "No such webhook."],
  ])("of %s says so, and does not offer to try again", async (place, words) => {
    const { page } = await dashboard().user();

    await page.goto(`/${place}/${newId()}`);

    await page.getByRole("heading", { name: words }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });
});

onDashboard("An address that does not exist", (dashboard) => {
  test("is a page in the frame, and not JSON", async () => {
    const { page } = await dashboard().user();

    const response = await page.goto("/no/such/page");

    expect(response?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(await page.title()).toBe("Page not found · Stillup");
    await page.getByRole("link", { name: "Links" }).click();
    await page.waitForURL("/links");
  });
});
