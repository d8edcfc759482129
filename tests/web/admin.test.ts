import { expect, test } from "bun:test";
import { operatorOf } from "../../server/accounts/users.ts";
import { createLink } from "../../server/links/create.ts";
import { listAccounts } from "../../server/views/admin/accounts.ts";
import { onDashboard } from "../browser.ts";

const running = {
  pid: 4711,
  isStarting: false,
  memoryBytes: 118_200_000,
  checks: 12_345,
  restarts: 0,
};
const idle = { pid: null, isStarting: false, memoryBytes: 0, checks: 1, restarts: 1 };
const starting = { ...idle, isStarting: true };

onDashboard("The administration page", (dashboard) => {
  const administrator = () => dashboard().user({}, "owner", { isAdmin: true });
  const inAll = (page: Awaited<ReturnType<typeof administrator>>["page"], email: string) =>
    page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: email });

  test("is for administrators only", async () => {
    await administrator();
    const { page } = await dashboard().user();

    await page.goto("/admin");

    await page.getByRole("heading", { name: "This is for administrators" }).waitFor();
    expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0);
  });

  test("tells how the installation is", async () => {
    const { page } = await administrator();

    await page.goto("/admin");

    await page.getByText("SQLite", { exact: true }).waitFor();
    await page.getByText(/^00\d\d_\w+$/).waitFor();
    const tiers = page.getByRole("row", { name: /business/ });
    expect(await tiers.textContent()).toBe("business50,0002525yes");
  });

  test.each([
    ["one that runs", [running], "1 · 118.2 MB · 12,345 checks · 0 restarts"],
    ["an idle one", [idle], "1 idle · 1 check · 1 restart"],
    ["one that waits for its start after a crash", [starting], "1 starting · 1 check · 1 restart"],
    ["several", [running, running, idle], "3 · 1 idle · 236.4 MB · 24,691 checks · 1 restart"],
    ["none", [], "Checks run in the server"],
  ])("shows the checker processes: %s", async (_, processes, text) => {
    const { page } = await administrator();
    const { metrics } = dashboard().server.deps;
    metrics.watchProcesses(() => processes);

    await page.goto("/admin");

    await page.getByText("Checker processes", { exact: true }).waitFor();
    await page.getByText(text, { exact: true }).waitFor();
    metrics.watchProcesses(() => []);
  });

  test("makes an account, whose owner gets in by a link that is shown once", async () => {
    const { page } = await administrator();
    await page.goto("/admin");

    await page.getByRole("button", { name: "New account" }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("newcomer@example.org");
    await page.getByLabel("Tier", { exact: true }).selectOption("pro");
    await page.getByRole("button", { name: "Create" }).click();
    const link = await page.getByRole("textbox", { name: "Password link" }).inputValue();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await inAll(page, "newcomer@example.org")
      .first()
      .getByText("has not set a password yet")
      .waitFor();

    const { page: theirs } = await dashboard().stranger();
    await theirs.goto(link);
    await theirs.getByLabel("New password").fill("four words of a kind");
    await theirs.getByRole("button", { name: "Set password" }).click();
    await theirs.getByText("You are signed in.").waitFor();
    expect(theirs.url()).not.toContain("token");
  });

  test("changes a tier, adds somebody, and keeps the account's last owner", async () => {
    const { page } = await administrator();
    const { accountId, page: theirs } = await dashboard().user();
    const { email } = await owner(accountId);
    await page.goto(`/admin?search=${email}`);
    const account = inAll(page, email).first();

    await account.getByLabel(`Tier of ${email}`).selectOption("free");
    await page.getByText(`${email} has the free tier now.`).waitFor();
    await account.getByRole("button", { name: "Add someone" }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("colleague@example.org");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await account.getByText("colleague@example.org").waitFor();
    await account.getByLabel(`Role of ${email}`).selectOption("editor");

    await page.getByText(`${email} is the account's last owner.`).waitFor();
    expect(await account.getByLabel(`Role of ${email}`).inputValue()).toBe("owner");
    await theirs.goto("/account");
    await theirs.getByText("of 50", { exact: false }).first().waitFor();
  });

  test("deletes an account only once its name was typed", async () => {
    const { page } = await administrator();
    const { accountId } = await dashboard().user();
    const { deps } = dashboard().server;
    const { email } = await owner(accountId);
    await createLink(deps, await operatorOf(deps, accountId), { url: "https://example.org/" });
    await page.goto(`/admin?search=${email}`);

    await page.getByRole("button", { name: `Delete the account ${email}` }).click();
    const go = page.getByRole("button", { name: "Delete account" });
    expect(await go.isDisabled()).toBe(true);
    await page.getByText("This deletes 1 link with their history").waitFor();
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
    await go.click();

    await page.getByText("No account matches").waitFor();
  });

  async function owner(accountId: string) {
    const { items } = await listAccounts(dashboard().server.deps, { page: 1, per_page: 100 });
    return items.find(({ id }) => id === accountId)!.users[0]!;
  }
});
