import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey as createServerKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { apiKeys } from "../../server/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { holdFirstAnswer } from "./held.ts";

onDashboard("The API keys page", (dashboard) => {
  test("shows a new key once, and the key works with what it was allowed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/keys");

    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Nightly import");
    await page.getByLabel("Write").uncheck();
    await page.getByLabel("Expires").selectOption("In 30 days");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await shownKey(page);

    const { get, post } = server.asker(key);
    expect((await get("/api/v1/links")).status).toBe(200);
    expect((await post("/api/v1/links", { url: "https://example.org/" })).status).toBe(403);
    await page.getByText("may only read").waitFor();
    await page.getByText("expires next month").waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test("copies the key to the clipboard", async () => {
    const { page } = await dashboard().user();
    await page.goto("/keys");
    await createKey(page, "Copied");

    await page.getByRole("button", { name: "Copy API key" }).click();
    await page.getByText("API key: copied").waitFor();

    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await page.getByLabel("API key", { exact: true }).inputValue());
  });

  test("rotates a key: the old value is refused, the new one works", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/keys");
    await createKey(page, "Rotated");
    const old = await shownKey(page);

    await page.getByRole("button", { name: "Rotate Rotated" }).click();
    await page.getByRole("button", { name: "Rotate key" }).click();
    const fresh = await shownKey(page);

    expect((await server.asker(old).get("/api/v1/links")).status).toBe(401);
    expect((await server.asker(fresh).get("/api/v1/links")).status).toBe(200);
  });

  test("revokes a key once that is confirmed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/keys");
    await createKey(page, "Revoked");
    const key = await shownKey(page);

    await page.getByRole("button", { name: "Revoke Revoked" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();

    await page.getByText("The key was revoked.").waitFor();
    await page.getByText("No API keys yet").waitFor();
    expect((await server.asker(key).get("/api/v1/links")).body.error.code).toBe("REVOKED_API_KEY");
  });

  test("shows a key that is made while the list is still on its way", async () => {
    const { page } = await dashboard().user();
    const list = "**/dashboard/api/keys?*";
    // What is asked to hold last is asked first.
    const [second, first] = [await holdFirstAnswer(page, list), await holdFirstAnswer(page, list)];
    await page.goto("/keys");
    await first.isGiven;

    await createKey(page, "Impatient");
    await shownKey(page);
    await second.isGiven;
    second.letGo();

    await page.getByRole("button", { name: "Change Impatient" }).waitFor();
    first.letGo();
  });

  test("changes a key's name, permissions and the day it expires", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/keys");
    await createKey(page, "Before");
    const key = await shownKey(page);

    await page.getByRole("button", { name: "Change Before" }).click();
    await page.getByLabel("Name").fill("After");
    await page.getByLabel("Write").uncheck();
    await page.getByLabel("Expires on").fill("2030-01-05");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByText("The key was changed.").waitFor();
    await page.getByText("may only read").waitFor();
    await page.locator(".expires-soon", { hasText: "expires in 4 days" }).waitFor();
    const { body } = await server.asker(key).get("/api/v1/keys");
    expect(body.data.items[0]).toMatchObject({ name: "After", permissions: { write: false } });
  });

  test("a key that has expired says so, and can still be renamed", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const caller = await operatorOf(server.deps, accountId);
    const { id } = await createServerKey(server.deps, caller, { name: "Late" });
    const yesterday = server.clock.now() - 86_400_000;
    const { store } = server.deps;
    await store.update(apiKeys).set({ expiresAt: yesterday }).where(eq(apiKeys.id, id));
    await page.goto("/keys");

    await page.locator(".expired", { hasText: "expired yesterday" }).waitFor();
    await page.getByText("never used").waitFor();
    await page.getByRole("button", { name: "Change Late" }).click();
    await page.getByLabel("Name").fill("Later");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByText("The key was changed.").waitFor();
    const [row] = await store.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(row).toMatchObject({ name: "Later", expiresAt: yesterday });
  });

  test("offers nothing to do to whoever may only look", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await createServerKey(server.deps, await operatorOf(server.deps, accountId), { name: "Seen" });
    await page.goto("/keys");

    await page.getByText("Seen").waitFor();

    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test("tells beside the field what is wrong with a key", async () => {
    const { page } = await dashboard().user();
    await page.goto("/keys");

    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("   ");
    await page.getByLabel("Read").uncheck();
    await page.getByLabel("Write").uncheck();
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

/** Reads the key in the only moment it is shown, and puts it away. */
async function shownKey(page: Page): Promise<string> {
  const value = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return value;
}
