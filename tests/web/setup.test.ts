import { afterAll, expect, test } from "bun:test";
import { createSetup } from "../../server/accounts/users.ts";
import { onDashboard } from "../browser.ts";
import { checkDueLinks } from "../rounds.ts";
import { startSite } from "../site.ts";

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
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("heading", { name: "Your first links" }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("link", { name: "Skip this" }).click();
    await page.waitForURL("/");
  });
});

const site = startSite({
  "/fine": "<title>Fine</title><p>A page about something, with enough to read on it.</p>",
  "/gone": 410,
});

afterAll(() => site.stop());

onDashboard("The last step of the set-up", (dashboard) => {
  test("takes the first links, and shows each verdict as it arrives", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/setup?step=links");

    await page.getByLabel("URLs").fill(`${site.url}/fine\nftp://x\n${site.url}/gone`);
    await page.getByRole("button", { name: "Add", exact: true }).click();

    await page.getByText("0 of 2 checked…").waitFor();
    expect(await page.getByLabel("URLs").inputValue()).toBe("ftp://x");
    await page.getByText("The URL must be an http or https URL.").waitFor();
    await checkDueLinks({ ...server.deps, check: server.check });
    await page.getByText("All of these are checked.").waitFor();
    await page.getByText("Dead", { exact: true }).waitFor();
    await page.getByText("Alive", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.waitForURL("/");
  });

  test("loses nothing when the page is loaded again", async () => {
    const { page } = await dashboard().user();
    await page.goto("/setup?step=links");
    await page.getByLabel("URLs").fill("https://example.org/kept\nftp://x");

    await page.reload();
    expect(await page.getByLabel("URLs").inputValue()).toBe("https://example.org/kept\nftp://x");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("0 of 1 checked…").waitFor();
    await page.reload();

    await page.getByText("0 of 1 checked…").waitFor();
    expect(await page.getByLabel("URLs").inputValue()).toBe("ftp://x");
  });

  test("keeps what was typed when the server cannot be reached", async () => {
    const { page } = await dashboard().user();
    await page.goto("/setup?step=links");
    await page.getByLabel("URLs").fill("https://example.org/a");
    await page.route("**/links/preview", (route) => route.abort());

    await page.getByRole("button", { name: "Add", exact: true }).click();

    await page.getByText("The server cannot be reached.").waitFor();
    expect(await page.getByLabel("URLs").inputValue()).toBe("https://example.org/a");
  });

  test("leads a stranger to the sign-in page and back, and a viewer away", async () => {
    const { page: strange } = await dashboard().stranger();
    const { page: looker } = await dashboard().user({}, "viewer");

    await strange.goto("/setup?step=links");
    await strange.getByRole("heading", { name: "Sign in" }).waitFor();
    await looker.goto("/setup?step=links");
    await looker.waitForURL("/");

    const { searchParams } = new URL(strange.url());
    expect(searchParams.get("next")).toBe("/setup?step=links");
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
