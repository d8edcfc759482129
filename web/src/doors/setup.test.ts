import { expect, test } from "bun:test";
import { createSetup } from "../../../server/accounts/users.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { PASSWORD } from "../../../tests/session/browser.ts";
import { asksBeforeLeaving } from "../../../tests/web/pages.ts";

onDashboard("The set-up page", (dashboard) => {
  test("leads from the printed link to the first links of a signed-in owner, whose key waits in the settings", async () => {
    const { server, stranger } = dashboard();
    const token = await createSetup(server.deps);
    const { page } = await stranger();

    await page.goto(`/setup#token=${token}`);
    await page.waitForURL("/setup");
    await page.getByLabel("E-mail").fill("me@example.org");
    await page.getByLabel("Password", { exact: true }).fill("too short");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Must have at least 15 characters").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();

    await page.getByRole("dialog", { name: "Add links" }).waitFor();
    expect(await page.locator("body").innerHTML()).not.toContain("su_");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "API keys" }).click();
    const key = await page.getByLabel("API key", { exact: true }).inputValue();
    expect((await server.asker(key).get("/api/v1/links")).status).toBe(200);

    await page.getByRole("link", { name: /^Sites/ }).click();
    await asksBeforeLeaving(page, true);
    await page.goBack();
    await page.getByRole("button", { name: "Copy API key" }).click();
    await page.getByText("API key: copied").waitFor({ state: "attached" });
    await asksBeforeLeaving(page, false);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByText("Your first API key").waitFor({ state: "detached" });
  });
});

onDashboard("The set-up page of an installation in use", (dashboard) => {
  test("leads to the sign-in page", async () => {
    await dashboard().account();
    const { page } = await dashboard().stranger();

    await page.goto("/setup");

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
