import { expect, test } from "bun:test";
import { newId } from "../../server/lib/ids.ts";
import { onDashboard } from "../browser.ts";

onDashboard("A page about something that is not there", (dashboard) => {
  test.each([
    ["links", "No such link."],
    ["webhooks", "No such webhook."],
  ])("of %s says so, and asks nobody to try again", async (place, words) => {
    const { page } = await dashboard().user();

    await page.goto(`/${place}/${newId()}`);

    await page.getByRole("heading", { name: words }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });
});
