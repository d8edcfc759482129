import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../server/ground/db/tables.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { saw } from "../../../tests/checker/ended.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { askerOf } from "../../../tests/web/looking.ts";
import { go } from "../../../tests/web/pages.ts";

const HOSTS = "/api/v1/host-settings";
const KEY = "key-0123456789";

onDashboard("The settings for hosts", (dashboard) => {
  test("are made, changed and deleted by those who may, never show their values again, and say who refuses them", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const only = async () => (await me.get(HOSTS)).body.data.items[0];
    await page.goto("/settings/hosts");
    await page.getByText("say here what checks send to it").waitFor();

    await page.getByRole("button", { name: "New host" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Host", { exact: true }).fill("*.com");
    await sheet.getByLabel("Headers").fill(`X-Key: ${KEY}\nX-Team: the press`);
    await sheet.getByRole("button", { name: "Save" }).click();
    await sheet.locator(".field-problem").first().waitFor();
    await sheet.getByLabel("Host", { exact: true }).fill("docs.example.org");
    await sheet.getByRole("button", { name: "Save" }).click();
    await page.getByText("X-Key, X-Team, for 0 links").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Edit docs.example.org" }).click();
    expect(await page.content()).not.toContain(KEY);

    const { version, ...before } = await only();
    await sheet.getByLabel("User-Agent").fill("Example/1.0");
    await sheet.getByRole("button", { name: "Save" }).click();
    await page.getByText("X-Key, X-Team, User-Agent, for 0 links").waitFor();
    expect(await only()).toMatchObject({ id: before.id, headers: before.headers });
    await page.getByRole("button", { name: "Edit docs.example.org" }).click();
    await sheet.getByLabel("Headers").fill("X-Key:");
    await sheet.getByRole("button", { name: "Save" }).click();
    await page.getByText("X-Key, User-Agent, for 0 links").waitFor();

    await page.getByRole("button", { name: "Delete docs.example.org" }).click();
    await page.getByText("No hosts yet").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("X-Key, User-Agent, for 0 links").waitFor();

    const headers = [{ name: "X-Key", value: KEY }];
    const { body } = await me.post(HOSTS, { host: "wiki.example.org", headers });
    await me.post("/api/v1/links", { url: "https://wiki.example.org/" });
    const host = { id: body.data.id, version: 1, found: "refused" } as const;
    const check = async () => ({ ...saw("credentials_refused"), host });
    await checkDueLinks({ ...server.deps, check });
    await go(page, "/");
    await page.getByRole("status").filter({ hasText: "has refused what is set for it" }).waitFor();
    await page.getByRole("link", { name: "wiki.example.org", exact: true }).click();
    await page.waitForURL(/settings\/hosts/);
    await page.getByText(/refused since .*: set new values/).waitFor();

    const isTheirs = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(isTheirs);
    await page.reload();
    await page.getByText("docs.example.org").first().waitFor();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test("keep the changes of two people who edit one host at once", async () => {
    const { server, user, again } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const headers = [{ name: "X-Key", value: KEY }];
    const auth = { type: "basic", user: "monitor", password: KEY };
    await me.post(HOSTS, { host: "docs.example.org", headers, auth });
    const { page: other } = await again(accountId);
    for (const each of [page, other]) {
      await each.goto("/settings/hosts");
      await each.getByRole("button", { name: "Edit docs.example.org" }).click();
    }

    await other.getByLabel("Sign-in").selectOption("Bearer token");
    await other.getByLabel("Token").fill(KEY);
    await other.getByLabel("Headers").fill(`X-Key:\nX-Team: the press`);
    await other.getByRole("button", { name: "Save" }).click();
    await page.getByText("Bearer token, X-Key, X-Team, for 0 links").waitFor();
    await page.getByLabel("User-Agent").fill("Example/1.0");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByText("Bearer token, X-Key, X-Team, User-Agent, for 0 links").waitFor();
  });
});
