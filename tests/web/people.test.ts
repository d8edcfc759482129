import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { apiKeys, users } from "../../server/db/tables.ts";
import { hashPassword } from "../../server/lib/passwords.ts";
import { onDashboard } from "../browser.ts";
import { callerOf } from "./actors.ts";
import { faultsOf } from "./looking.ts";
import { settled } from "./pages.ts";

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

  test("are invited by a link that is shown once, and come in by it", async () => {
    const { page } = await dashboard().user();
    await page.goto("/settings/people");

    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("colleague@example.org");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByText("within 30 minutes").waitFor();
    const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
    await page.getByRole("button", { name: "I have copied it" }).click();

    await page.getByText("has not signed in yet").first().waitFor();
    const { page: theirs } = await dashboard().stranger();
    await theirs.goto(link);
    await theirs.getByText("Create your password to join.").waitFor();
    await theirs.getByLabel("Password", { exact: true }).fill("four words of a kind");
    await theirs.getByRole("button", { name: "Create password" }).click();
    await theirs.getByRole("heading", { name: "You are signed in" }).waitFor();
    await theirs.goto("/settings/people");
    await theirs.locator("main").getByText("colleague@example.org").waitFor();
    expect(await theirs.getByRole("button", { name: "Invite", exact: true }).count()).toBe(0);
    expect(await theirs.locator("main").getByRole("button").count()).toBe(0);
    await theirs.goto("/settings/profile");
    await theirs.getByRole("heading", { name: "Usage" }).waitFor();
    expect(await theirs.getByRole("heading", { name: "Delete the account" }).count()).toBe(0);
  });

  test("get another role, and go once that was confirmed", async () => {
    const { page, accountId } = await dashboard().user();
    const editor = await addColleague(accountId, "editor");
    await page.goto("/settings/people");
    const row = page.getByRole("listitem").filter({ hasText: editor.email });

    await chooseRole(page, editor.email, "Viewer");
    await page.getByText(`${editor.email} is a viewer now.`).waitFor();
    await removeInMenu(page, editor.email);
    await page.getByText("API keys that they know still work").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.getByRole("button", { name: "Remove", exact: true }).click();

    await page.getByText(`${editor.email} was removed.`).waitFor();
    await row.waitFor({ state: "detached" });
  });

  test("have their last role again when that is undone", async () => {
    const { page, accountId } = await dashboard().user();
    const editor = await addColleague(accountId, "editor");
    await page.goto("/settings/people");

    await chooseRole(page, editor.email, "Viewer");
    await page.getByRole("button", { name: "Undo" }).click();

    await page.getByRole("button", { name: `Role of ${editor.email}: Editor` }).waitFor();
    const { store } = dashboard().server.deps;
    const [row] = await store.select().from(users).where(eq(users.id, editor.id));
    expect(row!.role).toBe("editor");
  });

  test("get a link for a new password, which signs them out", async () => {
    const { page, accountId } = await dashboard().user();
    const editor = await addColleague(accountId, "editor");
    const { store } = dashboard().server.deps;
    const passwordHash = await hashPassword(PASSWORD, 64);
    await store.update(users).set({ passwordHash }).where(eq(users.id, editor.id));
    await page.goto("/settings/people");

    await page.getByRole("button", { name: `More for ${editor.email}` }).click();
    await page.getByRole("menuitem", { name: "New password link" }).click();
    await page.getByText("This signs them out everywhere.").waitFor();
    await page.getByRole("button", { name: "Sign out and create link" }).click();

    const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
    expect(link).toContain("/password#token=");
  });

  test("go with the API keys that they created, if that is chosen", async () => {
    const { page, accountId } = await dashboard().user();
    const editor = await addColleague(accountId, "editor");
    const { deps } = dashboard().server;
    const { id } = await createKey(deps, await callerOf(deps, editor), { name: "Theirs" });
    await page.goto("/settings/people");

    await removeInMenu(page, editor.email);
    await page.getByLabel("Also revoke 1 API key they created").check();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText(`${editor.email} was removed.`).waitFor();

    const [key] = await deps.store.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(key!.revokedAt).not.toBeNull();
  });

  test("who run the installation are out of an owner's reach", async () => {
    const { page, accountId } = await dashboard().user();
    const { server } = dashboard();
    const owner = await ownerOf(accountId);
    await server.deps.store.update(users).set({ isAdmin: false }).where(eq(users.id, owner.id));
    const admin = await addColleague(accountId, "editor");
    await server.deps.store.update(users).set({ isAdmin: true }).where(eq(users.id, admin.id));
    await page.goto("/settings/people");

    const row = page.getByRole("listitem").filter({ hasText: admin.email });
    await row.getByText("Administrator").waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
  });

  test("keep their last owner, and another may step down", async () => {
    const { page, accountId } = await dashboard().user();
    await page.goto("/settings/people");
    const { email } = await ownerOf(accountId);

    await chooseRole(page, email, "Editor");
    await page.getByRole("button", { name: "Become an editor" }).click();
    await page.getByText("is the account's last owner.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: `Role of ${email}: Owner` }).waitFor();
    await addColleague(accountId, "owner");
    await chooseRole(page, email, "Editor");
    await page.getByRole("button", { name: "Become an editor" }).click();

    await page.getByText("You are an editor now.").waitFor();
    await page.getByRole("button", { name: "Invite", exact: true }).waitFor({ state: "detached" });
  });

  test("lose their account when an owner types its name and the password", async () => {
    await dashboard().user({}, "owner", { isAdmin: true });
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

  test.each([
    [1280, "light"],
    [360, "dark"],
  ] as const)("can be read and used by everyone, %d wide and %s", async (width, colorScheme) => {
    const { page, accountId } = await dashboard().user({ width, colorScheme });
    await addColleague(accountId, "editor");
    await page.goto("/settings/people");
    await settled(page);

    expect(await faultsOf(page)).toEqual([]);
  });
});

async function chooseRole(page: Page, email: string, role: string) {
  await page.getByRole("button", { name: `Role of ${email}` }).click();
  const choices = page.getByRole("dialog", { name: `Role of ${email}` });
  await choices.getByRole("button", { name: role }).click();
}

async function removeInMenu(page: Page, email: string) {
  await page.getByRole("button", { name: `More for ${email}` }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
}
