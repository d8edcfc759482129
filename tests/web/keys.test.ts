import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey as createServerKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { apiKeys } from "../../server/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { holdFirstAnswer } from "./held.ts";
import { faultsOf } from "./looking.ts";
import { asksBeforeLeaving } from "./pages.ts";

onDashboard("API keys in the settings", (dashboard) => {
  test("are shown once, and work with what they were allowed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/settings/keys");

    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Nightly import");
    await page.getByLabel("Write", { exact: true }).uncheck();
    await page.getByLabel("Expires").selectOption("In 30 days");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await shownKey(page);

    const { get, post } = server.asker(key);
    expect((await get("/api/v1/links")).status).toBe(200);
    expect((await post("/api/v1/links", { url: "https://example.org/" })).status).toBe(403);
    await page.getByText("can only read").waitFor();
    await page.getByText("expires 31 Jan").waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test("are copied to the clipboard", async () => {
    const { page } = await dashboard().user();
    await page.goto("/settings/keys");
    await createKey(page, "Copied");

    await page.getByLabel("API key", { exact: true }).press("Escape");
    await page.getByLabel("API key", { exact: true }).press("Escape");
    expect(await page.getByRole("button", { name: "Close" }).count()).toBe(0);
    await asksBeforeLeaving(page, true);
    await page.getByRole("button", { name: "Copy API key" }).click();
    await page.getByText("API key: copied").waitFor();
    await asksBeforeLeaving(page, false);

    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await page.getByLabel("API key", { exact: true }).inputValue());
  });

  test("are rotated: the old value is rejected, the new one works", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/settings/keys");
    await createKey(page, "Rotated");
    const old = await shownKey(page);

    await inMenu(page, "Rotated", "Rotate");
    await page.getByRole("button", { name: "Rotate key" }).click();
    const fresh = await shownKey(page);

    expect((await server.asker(old).get("/api/v1/links")).status).toBe(401);
    expect((await server.asker(fresh).get("/api/v1/links")).status).toBe(200);
  });

  test("are revoked once that is confirmed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/settings/keys");
    await createKey(page, "Revoked");
    const key = await shownKey(page);

    await inMenu(page, "Revoked", "Revoke");
    await page.getByText("Requests with this key will fail. This cannot be undone.").waitFor();
    await page.getByRole("button", { name: "Revoke key" }).click();

    await page.getByText("The key was revoked.").waitFor();
    await page.getByText("No API keys yet").waitFor();
    expect((await server.asker(key).get("/api/v1/links")).body.error.code).toBe("REVOKED_API_KEY");
  });

  test("are listed although they were created while the list was loading", async () => {
    const { page } = await dashboard().user();
    const list = "**/dashboard/api/keys?*";
    // What is asked to hold last is asked first.
    const [second, first] = [await holdFirstAnswer(page, list), await holdFirstAnswer(page, list)];
    await page.goto("/settings/keys");
    await first.isGiven;

    await createKey(page, "Impatient");
    await shownKey(page);
    await second.isGiven;
    second.letGo();

    await page.getByRole("button", { name: "Edit Impatient" }).waitFor();
    first.letGo();
  });

  test("save a new name, permissions and the day they expire", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/settings/keys");
    await createKey(page, "Before");
    const key = await shownKey(page);

    await page.getByRole("button", { name: "Edit Before" }).click();
    await page.getByLabel("Name").fill("After");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("After", { exact: true }).waitFor();
    await page.getByLabel("Write", { exact: true }).uncheck();
    await page.getByText("can only read").waitFor();
    await page.getByLabel("Expires on").fill("2030-01-05");
    await page.getByLabel("Expires on").blur();

    await page.locator(".is-near", { hasText: "expires in 4 days" }).waitFor();
    await page.getByLabel("Read", { exact: true }).click();
    await page.getByText("Must allow read or write").waitFor();
    expect(await page.getByLabel("Read", { exact: true }).isChecked()).toBe(true);
    const { body } = await server.asker(key).get("/api/v1/keys");
    expect(body.data.items[0]).toMatchObject({ name: "After", permissions: { write: false } });
  });

  test("say that they have expired, and can still be renamed", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const caller = await operatorOf(server.deps, accountId);
    const { id } = await createServerKey(server.deps, caller, { name: "Late" });
    const yesterday = server.clock.now() - 86_400_000;
    const { store } = server.deps;
    await store.update(apiKeys).set({ expiresAt: yesterday }).where(eq(apiKeys.id, id));
    await page.goto("/settings/keys");

    await page.locator(".is-over", { hasText: "expired yesterday" }).waitFor();
    await page.getByText("never used").waitFor();
    await page.getByRole("button", { name: "Edit Late" }).click();
    await page.getByLabel("Name").fill("Later");
    await page.getByLabel("Name").blur();

    await page.getByText("The key was changed.").waitFor();
    const [row] = await store.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(row).toMatchObject({ name: "Later", expiresAt: yesterday });
  });

  test("lead to the reference of the API, outside of the dashboard", async () => {
    const { page } = await dashboard().user();
    await page.goto("/settings/keys");

    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "API reference" }).click();

    const reference = await opened;
    await reference.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(reference.url()).pathname).toBe("/docs");
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("can be used by everyone, in %s, %d wide", async (colorScheme, width) => {
    const { page } = await dashboard().user({ colorScheme, width });
    await page.goto("/settings/keys");
    await createKey(page, "Nightly import");
    expect(await faultsOf(page)).toEqual([]);
    await shownKey(page);
    await page.getByRole("button", { name: "Edit Nightly import" }).click();

    expect(await faultsOf(page)).toEqual([]);
  });

  test("offer nothing to do to viewers", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await createServerKey(server.deps, await operatorOf(server.deps, accountId), { name: "Seen" });
    await page.goto("/settings/keys");

    await page.getByText("Seen").waitFor();

    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test("say at the field what is wrong", async () => {
    const { page } = await dashboard().user();
    await page.goto("/settings/keys");

    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("   ");
    await page.getByLabel("Read", { exact: true }).uncheck();
    await page.getByLabel("Write", { exact: true }).uncheck();
    await page.getByRole("button", { name: "Create key" }).click();

    await page.getByText("Must allow read or write").waitFor();
    const name = page.getByLabel("Name");
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(
      await page.locator(`[id="${await name.getAttribute("aria-describedby")}"]`).textContent(),
    ).toBe("Must not be empty");
  });
});

async function createKey(page: Page, name: string) {
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
}

/** Reads the key while it is shown, and closes the dialog. */
async function shownKey(page: Page): Promise<string> {
  const value = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return value;
}

async function inMenu(page: Page, name: string, action: string) {
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
