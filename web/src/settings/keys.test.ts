import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey as createServerKey } from "../../../server/accounts/keys.ts";
import { operatorOf } from "../../../server/accounts/users.ts";
import { apiKeys } from "../../../server/ground/db/tables.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { holdFirstAnswer } from "../../../tests/web/held.ts";
import { faultsInAllLooks } from "../../../tests/web/looking.ts";
import { settingsList } from "../../../tests/web/pages/settings.ts";
import { asksBeforeLeaving } from "../../../tests/web/pages.ts";

const KEYS = "/settings/keys";

onDashboard("API keys in the settings", (dashboard) => {
  test("are shown once, copied, and work with what they were allowed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    const { name, read, write, value, press, say, create, shown } = keysPage(page);
    await page.goto(KEYS);
    await press("New key");
    await name.fill("   ");
    await read.uncheck();
    await write.uncheck();
    await press("Create key");
    await say("Must allow read or write");
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    const problem = page.locator(`[id="${await name.getAttribute("aria-describedby")}"]`);
    expect(await problem.textContent()).toBe("Must not be empty");

    await name.fill("Nightly import");
    await read.check();
    await page.getByLabel("Expires").selectOption("In 30 days");
    await press("Create key");
    const key = await shown();
    const { get, post } = server.asker(key);
    expect((await get("/api/v1/links")).status).toBe(200);
    expect((await post("/api/v1/links", { url: "https://example.org/" })).status).toBe(403);
    await say("can only read");
    await say("expires 31 Jan");
    expect(await page.content()).not.toContain(key);

    await create("Copied");
    await value.press("Escape");
    await value.press("Escape");
    expect(await page.getByRole("button", { name: "Close" }).count()).toBe(0);
    await asksBeforeLeaving(page, true);
    await press("Copy API key");
    await say("API key: copied");
    await asksBeforeLeaving(page, false);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await value.inputValue());
    expect(await faultsInAllLooks(page, "dialog")).toEqual([]);
    await shown();
    await press("Edit Copied");
    expect(await faultsInAllLooks(page, "main")).toEqual([]);

    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "API reference" }).click();
    const reference = await opened;
    await reference.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(reference.url()).pathname).toBe("/docs");
  });

  test("are changed where they stand, rotated, and revoked once that is confirmed", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    const { name, read, write, press, say, create, shown, inMenu } = keysPage(page);
    await page.goto(KEYS);
    await create("Before");
    const key = await shown();
    await press("Edit Before");
    await name.fill("After");
    await name.press("Enter");
    await page.getByText("After", { exact: true }).waitFor();
    await write.uncheck();
    await say("can only read");
    await page.getByLabel("Expires on").fill("2030-01-05");
    await page.getByLabel("Expires on").blur();
    await page.locator(".is-near", { hasText: "expires in 4 days" }).waitFor();
    await read.click();
    await say("Must allow read or write");
    expect(await read.isChecked()).toBe(true);
    const { body } = await server.asker(key).get("/api/v1/keys");
    expect(body.data.items[0]).toMatchObject({ name: "After", permissions: { write: false } });

    await inMenu("After", "Rotate");
    await press("Rotate key");
    const second = await shown();
    for (const each of [key, second]) {
      expect((await server.asker(each).get("/api/v1/links")).status).toBe(200);
    }
    await inMenu("After", "Rotate");
    await page.getByLabel("The old value expires").selectOption("Now: the value has leaked");
    await press("Rotate key");
    const fresh = await shown();
    expect((await server.asker(second).get("/api/v1/links")).status).toBe(401);
    expect((await server.asker(key).get("/api/v1/links")).status).toBe(401);
    expect((await server.asker(fresh).get("/api/v1/links")).status).toBe(200);
    await inMenu("After", "Revoke");
    await say("Requests with this key will fail. This cannot be undone.");
    await press("Revoke key");
    await say("The key was revoked.");
    await say("No API keys yet");
    const refused = await server.asker(fresh).get("/api/v1/links");
    expect(refused.body.error.code).toBe("REVOKED_API_KEY");
  });

  test("say that they have expired, and can still be renamed", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const { name, press, say } = keysPage(page);
    const caller = await operatorOf(server.deps, accountId);
    const { id } = await makeChange(server.deps, caller, (unit) =>
      createServerKey(unit, caller, { name: "Late" }),
    );
    const yesterday = server.clock.now() - 86_400_000;
    const { store } = server.deps;
    await store.update(apiKeys).set({ expiresAt: yesterday }).where(eq(apiKeys.id, id));
    await page.goto(KEYS);
    await page.locator(".is-over", { hasText: "expired yesterday" }).waitFor();
    await say("never used");
    await press("Edit Late");
    await name.fill("Later");
    await name.blur();
    await say("The key was changed.");
    const [row] = await store.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(row).toMatchObject({ name: "Later", expiresAt: yesterday });
  });

  test("are listed although they were created while the list was loading", async () => {
    const { page } = await dashboard().user();
    const { create, shown } = keysPage(page);
    const list = "**/dashboard/api/keys?*";
    // What is asked to hold last is asked first.
    const [second, first] = [await holdFirstAnswer(page, list), await holdFirstAnswer(page, list)];
    await page.goto(KEYS);
    await first.isGiven;

    await create("Impatient");
    await shown();
    await second.isGiven;
    second.letGo();

    await page.getByRole("button", { name: "Edit Impatient" }).waitFor();
    first.letGo();
  });
});

function keysPage(page: Page) {
  const list = settingsList(page);
  const name = page.getByLabel("Name");
  /** The key in the only moment in which it is shown. */
  const value = page.getByLabel("API key", { exact: true });
  return {
    ...list,
    name,
    value,
    read: page.getByLabel("Read", { exact: true }),
    write: page.getByLabel("Write", { exact: true }),
    async create(called: string) {
      await list.press("New key");
      await name.fill(called);
      await list.press("Create key");
    },
    /** Reads the key, and closes the dialog. */
    async shown(): Promise<string> {
      const key = await value.inputValue();
      await list.press("I have copied it");
      return key;
    },
  };
}
