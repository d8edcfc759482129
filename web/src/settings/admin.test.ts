import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createAccount } from "../../../server/accounts/users.ts";
import { accounts } from "../../../server/ground/db/tables.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { askerOf } from "../../../tests/web/looking.ts";
import { go } from "../../../tests/web/pages.ts";
import { processesText } from "./installation-words.ts";

const idle = { state: "idle", memory_bytes: 0, checks: 1, restarts: 1 } as const;
const starting = { ...idle, state: "starting" } as const;
const running = {
  state: "running",
  memory_bytes: 118_200_000,
  checks: 12_345,
  restarts: 0,
} as const;

test.each([
  [[running], "1, 118.2 MB, 12,345 checks, 0 restarts"],
  [[idle], "1 idle, 1 check, 1 restart"],
  [[starting], "1 starting, 1 check, 1 restart"],
  [[running, running, idle], "3, 1 idle, 236.4 MB, 24,691 checks, 1 restart"],
  [[], "Checks run in the server"],
])("The installation lists its checker processes: %j", (processes, text) => {
  expect(processesText(processes.map((each) => ({ name: "1", pid: 4711, ...each })))).toBe(text);
});

onDashboard("The installation in the settings", (dashboard) => {
  const administrator = () => dashboard().user({}, "owner", { isAdmin: true });
  const inAll = (page: Page, email: string) =>
    page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: email });

  test("tells how the installation is", async () => {
    const { page } = await administrator();
    const process = { name: "1", pid: 4711, isStarting: false, memoryBytes: 118_200_000 };
    const { metrics } = dashboard().server.deps;
    metrics.watchProcesses(() => [{ ...process, checks: 12_345, restarts: 0 }]);

    await page.goto("/settings/installation");

    await page.getByText("SQLite", { exact: true }).waitFor();
    await page.getByText(/^00\d\d_\w+$/).waitFor();
    await page.getByText("Checker processes", { exact: true }).waitFor();
    await page.getByText("1, 118.2 MB, 12,345 checks, 0 restarts", { exact: true }).waitFor();
    await go(page, "/settings/accounts");
    const tiers = page.getByRole("row", { name: /Business/ });
    expect(await tiers.textContent()).toBe("Business50,0002525Yes");
    metrics.watchProcesses(() => []);
  });

  test("makes an account, whose owner gets in by a link that is shown once", async () => {
    const { page } = await administrator();
    await page.goto("/settings/accounts");

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
    await theirs.goto("/settings/installation");
    await theirs.getByRole("heading", { name: "Administrators only" }).waitFor();
    expect(await theirs.getByRole("link", { name: "Installation" }).count()).toBe(0);
  });

  test("changes a tier and takes that back, adds someone, keeps the last owner, and deletes an account by its name", async () => {
    const { server } = dashboard();
    const { page } = await administrator();
    const { account } = await createAccount(server.deps, {
      email: "chief@example.org",
      tier: "business",
      passwordHash: null,
      isAdmin: false,
    });
    const me = await askerOf(server, account.id);
    const email = "chief@example.org";
    const planIs = (name: string) =>
      page.getByRole("button", { name: `Plan of ${email}: ${name}` }).waitFor();
    await me.post("/api/v1/links", { url: "https://example.org/" });
    await page.goto(`/settings/accounts?search=${email}`);
    const line = inAll(page, email).first();

    await pick(page, `Plan of ${email}`, "Free");
    await page.getByText(`${email} has the free plan now.`).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await planIs("Business");
    await pick(page, `Plan of ${email}`, "Free");
    await planIs("Free");
    const isIt = eq(accounts.id, account.id);
    expect(await server.deps.store.select().from(accounts).where(isIt)).toMatchObject([
      { tier: "free" },
    ]);
    await line.getByRole("button", { name: "Add someone" }).click();
    await page.getByLabel("E-mail", { exact: true }).fill("colleague@example.org");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await line.getByText("colleague@example.org", { exact: true }).waitFor();
    await pick(page, `Role of ${email}`, "Editor");
    await page.getByText(`${email} is the account's last owner.`).waitFor();
    await line.getByRole("button", { name: `Role of ${email}: Owner` }).waitFor();

    await page.getByRole("button", { name: `More for the account ${email}` }).click();
    await page.getByRole("menuitem", { name: "Delete account" }).click();
    const remove = page.getByRole("button", { name: "Delete account" });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByText("This deletes 1 link and all history.").waitFor();
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
    await remove.click();
    await page.getByText("No matching accounts").waitFor();
  });
});

async function pick(page: Page, label: string, option: string) {
  await page.getByRole("button", { name: new RegExp(`^${label}: `) }).click();
  await page.getByRole("dialog").getByRole("button", { name: option }).click();
}
