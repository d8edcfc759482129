import { expect, test } from "bun:test";
import { createSetup } from "../../server/session/setup.ts";
import { onDashboard } from "../browser.ts";

const PASSWORD = "correct horse battery staple";

onDashboard("The set-up page", (dashboard) => {
  test("leads from the printed link to a signed-in owner with a working key", async () => {
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

    const key = await page.getByLabel("API key", { exact: true }).inputValue();
    expect((await server.asker(key).get("/api/v1/links")).status).toBe(200);
    expect(await page.getByRole("textbox", { name: "Try it in a terminal" }).inputValue()).toBe(
      `curl -H "Authorization: Bearer ${key}" ${server.url}/api/v1/links`,
    );
    await page.getByRole("button", { name: "Go to your links" }).click();
    await page.getByText("No links yet").waitFor();
    expect(await page.content()).not.toContain(key);
  });
});

onDashboard("The set-up page of an installation in use", (dashboard) => {
  test("leads to the sign-in page", async () => {
    await dashboard().user();
    const { page } = await dashboard().stranger();

    await page.goto("/setup");

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
