import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey } from "../../../server/accounts/keys.ts";
import { apiKeys, users } from "../../../server/ground/db/tables.ts";
import { hashPassword } from "../../../server/ground/lib/passwords.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { callerOf } from "../../../tests/web/actors.ts";
import { settingsList } from "../../../tests/web/pages/settings.ts";

const PASSWORD = "correct horse battery staple";

onDashboard("The people of an account", (dashboard) => {
  const ownerOf = async (accountId: string) => {
    const { store } = dashboard().server.deps;
    const [owner] = await store.select().from(users).where(eq(users.accountId, accountId));
    return owner!;
  };
  const addColleague = async (accountId: string, role: "owner" | "editor" | "viewer") => {
    const owner = await ownerOf(accountId);
    const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.org`;
    const person = { ...owner, id: crypto.randomUUID(), email, role, isAdmin: false };
    await dashboard().server.deps.store.insert(users).values(person);
    return person;
  };

  test("are invited by a link that is shown once, keep their last owner, and come in by the link", async () => {
    const { page, accountId } = await dashboard().user();
    await page.goto("/settings/people");
    const link = await invite(page);
    await stepDown(page, accountId);
    await page.context().clearCookies();
    await comeIn(page, link);
  });

  /** The last owner stays; another may step down. */
  async function stepDown(page: Page, accountId: string) {
    const { say, press } = settingsList(page);
    const { email } = await ownerOf(accountId);

    await chooseRole(page, email, "Editor");
    await press("Become an editor");
    await say("is the account's last owner.");
    await press("Cancel");
    await page.getByRole("button", { name: `Role of ${email}: Owner` }).waitFor();
    await addColleague(accountId, "owner");
    await chooseRole(page, email, "Editor");
    await press("Become an editor");

    await say("You are an editor now.");
    await page.getByRole("button", { name: "Invite", exact: true }).waitFor({ state: "detached" });
  }

  test("get another role or a new password, and go once that was confirmed, with their keys if that is chosen", async () => {
    const { page, accountId } = await dashboard().user();
    const { deps } = dashboard().server;
    const { say, press, inMenu, row } = settingsList(page);
    const editor = await addColleague(accountId, "editor");
    const other = await addColleague(accountId, "editor");
    const admin = await addColleague(accountId, "editor");
    const change = (id: string, set: Partial<typeof users.$inferInsert>) =>
      deps.store.update(users).set(set).where(eq(users.id, id));
    await change((await ownerOf(accountId)).id, { isAdmin: false });
    await change(admin.id, { isAdmin: true });
    await change(editor.id, { passwordHash: await hashPassword(PASSWORD, 64) });
    const them = await callerOf(deps, other);
    const { id } = await makeChange(deps, them, (unit) =>
      createKey(unit, them, { name: "Theirs" }),
    );
    await page.goto("/settings/people");
    await row(admin.email).getByText("Administrator").waitFor();
    expect(await row(admin.email).getByRole("button").count()).toBe(0);

    await chooseRole(page, editor.email, "Viewer");
    await say(`${editor.email} is a viewer now.`);
    await press("Undo");
    await page.getByRole("button", { name: `Role of ${editor.email}: Editor` }).waitFor();
    const [now] = await deps.store.select().from(users).where(eq(users.id, editor.id));
    expect(now!.role).toBe("editor");
    await inMenu(editor.email, "New password link");
    await say("This signs them out everywhere.");
    await press("Sign out and create link");
    const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
    expect(link).toContain("/password#token=");
    await press("I have copied it");

    await inMenu(editor.email, "Remove");
    await say("API keys that they know still work");
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await press("Remove");
    await say(`${editor.email} was removed.`);
    await row(editor.email).waitFor({ state: "detached" });
    await inMenu(other.email, "Remove");
    await page.getByLabel("Also revoke 1 API key they created").check();
    await press("Remove");
    await say(`${other.email} was removed.`);
    const [key] = await deps.store.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(key!.revokedAt).not.toBeNull();
  });

  test("lose their account when an owner types its name and the password", async () => {
    await dashboard().account("owner", { isAdmin: true });
    const { page, accountId } = await dashboard().user();
    const { id, email } = await ownerOf(accountId);
    const passwordHash = await hashPassword(PASSWORD, 64);
    await dashboard()
      .server.deps.store.update(users)
      .set({ passwordHash, isAdmin: false })
      .where(eq(users.id, id));
    await page.goto("/settings/profile");

    await page.getByRole("button", { name: "Delete the account" }).click();
    await page.getByText("1 person loses access").waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(`Type ${email} to confirm`).fill("something else");
    await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await dialog.getByRole("button", { name: "Delete the account" }).click();
    await dialog.getByText("Must be the account's e-mail").waitFor();
    await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
    await dialog.getByRole("button", { name: "Delete the account" }).click();

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

/** @returns the link, as it is shown once */
async function invite(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByLabel("E-mail", { exact: true }).fill("colleague@example.org");
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("within 30 minutes").waitFor();
  const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
  await page.getByRole("button", { name: "I have copied it" }).click();

  await page.getByText("has not signed in yet").first().waitFor();
  return link;
}

async function comeIn(page: Page, link: string) {
  await page.goto(link);
  await page.getByText("Create your password to join.").waitFor();
  await page.getByLabel("Password", { exact: true }).fill("four words of a kind");
  await page.getByRole("button", { name: "Create password" }).click();
  await page.getByRole("heading", { name: "You are signed in" }).waitFor();
  await page.goto("/settings/people");
  await page.locator("main").getByText("colleague@example.org").waitFor();
  expect(await page.getByRole("button", { name: "Invite", exact: true }).count()).toBe(0);
  expect(await page.locator("main").getByRole("button").count()).toBe(0);
  await page.goto("/settings/profile");
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  expect(await page.getByRole("heading", { name: "Delete the account" }).count()).toBe(0);
}

async function chooseRole(page: Page, email: string, role: string) {
  await page.getByRole("button", { name: `Role of ${email}` }).click();
  const choices = page.getByRole("dialog", { name: `Role of ${email}` });
  await choices.getByRole("button", { name: role }).click();
}
