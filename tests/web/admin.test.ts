import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { createLink } from "../../server/links/create.ts";
import { listAccounts } from "../../server/views/admin/accounts.ts";
import { onDashboard } from "../browser.ts";

const running = {
  name: "1",
  pid: 4711,
  isStarting: false,
  memoryBytes: 118_200_000,
  checks: 12_345,
  restarts: 0,
};
const idle = { ...running, pid: null, memoryBytes: 0, checks: 1, restarts: 1 };
const starting = { ...idle, isStarting: true };

onDashboard("The installation in the settings", (dashboard) => {
  const administrator = () => dashboard().user({}, "owner", { isAdmin: true });
  const inAll = (page: Page, email: string) =>
    page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: email });

  test("is for administrators only", async () => {
    await administrator();
    const { page } = await dashboard().user();

    await page.goto("/settings/installation");

    await page.getByRole("heading", { name: "Administrators only" }).waitFor();
    expect(await page.getByRole("link", { name: "Installation" }).count()).toBe(0);
  });

  test("tells how the installation is", async () => {
    const { page } = await administrator();

    await page.goto("/settings/installation");

    await page.getByText("SQLite", { exact: true }).waitFor();
    await page.getByText(/^00\d\d_\w+$/).waitFor();
    const tiers = page.getByRole("row", { name: /Business/ });
    expect(await tiers.textContent()).toBe("Business50,0002525Yes");
  });

  test.each([
    ["one that runs", [running], "1, 118.2 MB, 12,345 checks, 0 restarts"],
    ["an idle one", [idle], "1 idle, 1 check, 1 restart"],
    ["one that waits for its start after a crash", [starting], "1 starting, 1 check, 1 restart"],
    ["several", [running, running, idle], "3, 1 idle, 236.4 MB, 24,691 checks, 1 restart"],
    ["none", [], "Checks run in the server"],
  ])("shows the checker processes: %s", async (_, processes, text) => {
    const { page } = await administrator();
    const { metrics } = dashboard().server.deps;
    metrics.watchProcesses(() => processes);

    await page.goto("/settings/installation");

    await page.getByText("Checker processes", { exact: true }).waitFor();
    await page.getByText(text, { exact: true }).waitFor();
    metrics.watchProcesses(() => []);
  });

  test("makes an account, whose owner gets in by a link that is shown once", async () => {
    const { page } = await administrator();
    await page.goto("/settings/installation");

    await page.getByRole("button", { name: "New account" }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("newcomer@example.org");
    await page.getByLabel("Plan", { exact: true }).selectOption("pro");
    await page.getByRole("button", { name: "Create invitation" }).click();
    const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await inAll(page, "newcomer@example.org").first().getByText("has not signed in yet").waitFor();

    const { page: theirs } = await dashboard().stranger();
    await theirs.goto(link);
    await theirs.getByLabel("Password", { exact: true }).fill("four words of a kind");
    await theirs.getByRole("button", { name: "Create password" }).click();
    await theirs.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(theirs.url()).not.toContain("token");
  });

  test("changes a tier, adds somebody, and keeps the account's last owner", async () => {
    const { page } = await administrator();
    const { accountId, page: theirs } = await dashboard().user();
    const { email } = await owner(accountId);
    await page.goto(`/settings/installation?search=${email}`);
    const account = inAll(page, email).first();

    await pick(page, `Plan of ${email}`, "Free");
    await page.getByText(`${email} has the free plan now.`).waitFor();
    await account.getByRole("button", { name: "Add someone" }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("colleague@example.org");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await account.getByText("colleague@example.org", { exact: true }).waitFor();
    await pick(page, `Role of ${email}`, "Editor");

    await page.getByText(`${email} is the account's last owner.`).waitFor();
    await account.getByRole("button", { name: `Role of ${email}: Owner` }).waitFor();
    await theirs.goto("/settings/profile");
    await theirs.getByText("of 50", { exact: false }).first().waitFor();
  });

  test("deletes an account only once its name was typed", async () => {
    const { page } = await administrator();
    const { accountId } = await dashboard().user();
    const { deps } = dashboard().server;
    const { email } = await owner(accountId);
    await createLink(deps, await operatorOf(deps, accountId), { url: "https://example.org/" });
    await page.goto(`/settings/installation?search=${email}`);

    await page.getByRole("button", { name: `More for the account ${email}` }).click();
    await page.getByRole("menuitem", { name: "Delete account" }).click();
    const go = page.getByRole("button", { name: "Delete account" });
    expect(await go.isDisabled()).toBe(true);
    await page.getByText("This deletes 1 link and all history.").waitFor();
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
    await go.click();

    await page.getByText("No matching accounts").waitFor();
  });

  const pick = async (page: Page, label: string, option: string) => {
    await page.getByRole("button", { name: new RegExp(`^${label}: `) }).click();
    await page.getByRole("dialog").getByRole("button", { name: option }).click();
  };

  test("takes back at once what was picked by mistake", async () => {
    const { page } = await administrator();
    const { accountId } = await dashboard().user();
    const { email } = await owner(accountId);
    await page.goto(`/settings/installation?search=${email}`);

    await pick(page, `Plan of ${email}`, "Free");
    await page.getByRole("button", { name: "Undo" }).click();

    await page.getByRole("button", { name: `Plan of ${email}: Business` }).waitFor();
  });

  async function owner(accountId: string) {
    const { items } = await listAccounts(dashboard().server.deps, { page: 1, per_page: 100 });
    return items.find(({ id }) => id === accountId)!.users[0]!;
  }
});
