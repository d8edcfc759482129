import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { createKey } from "../../../server/accounts/keys.ts";
import { createSession } from "../../../server/accounts/sessions.ts";
import { createAccount, operatorOf, requireUser } from "../../../server/accounts/users.ts";
import { accounts, usageDays, users } from "../../../server/ground/db/tables.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { faultsInAllLooks } from "../../../tests/web/looking.ts";
import { go, goWithin } from "../../../tests/web/pages.ts";

const PASSWORD = "correct horse battery staple";
const NEXT_PASSWORD = "another one, quite as long";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15";

onDashboard("Settings of one's own", (dashboard) => {
  /** Someone who has a password, and what signs them in with another browser. */
  async function someone() {
    const { server, user } = dashboard();
    const { store, clock } = server.deps;
    const { page, accountId } = await user();
    const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
    const owner = await requireUser(server.deps, account!.email);
    const passwordHash = await Bun.password.hash(PASSWORD, COST);
    await store.update(users).set({ passwordHash }).where(eq(users.id, owner.id));
    const elsewhere = () => createSession(store, owner.id, clock.now(), { userAgent: SAFARI });
    return { page, owner, accountId, elsewhere };
  }

  const codeOf = (secret: string) =>
    TOTP.generate({
      secret: Secret.fromBase32(secret),
      timestamp: dashboard().server.clock.now(),
    });

  /** Turns two-factor sign-in on as a person does. */
  async function turnOn(page: Page) {
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByLabel("Your password").fill(NEXT_PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    const picture = page.getByRole("img", { name: "QR code for your authenticator app" });
    const path = (await picture.locator("path").getAttribute("d")) ?? "";
    expect(path.split("M").length).toBeGreaterThan(400);
    const groups = (await page.locator(".key-groups").textContent()) ?? "";
    const secret = groups.replaceAll(" ", "");
    await page.getByLabel("Code from your app").fill(codeOf(secret));
    await page.locator("dialog").getByRole("button", { name: "Turn on" }).click();
    const codes = page.getByLabel("Recovery codes", { exact: true });
    return { secret, groups, codes: (await codes.inputValue()).split("\n") };
  }

  const isSignedIn = async (token: string) => {
    const { url } = dashboard().server;
    const headers = { cookie: `session=${token}` };
    return (await fetch(`${url}/dashboard/api/links`, { headers })).status === 200;
  };

  test("say who is signed in and what is used, change the password, end sessions, take a second factor, keep the theme and keys of the browser, and sign out", async () => {
    const { page, owner, accountId, elsewhere } = await someone();
    await use(accountId);
    await page.goto("/settings/profile");
    await seeUsage(page, owner.email);
    const token = await elsewhere();
    await changePassword(page);
    expect(await isSignedIn(token)).toBe(false);

    const tokens = [await elsewhere(), await elsewhere(), await elsewhere()];
    await goWithin(page, "/settings/sessions");
    await endSessions(page);
    expect(await Promise.all(tokens.map(isSignedIn))).toEqual([false, false, false]);

    const another = await elsewhere();
    await goWithin(page, "/settings/two-factor");
    const { secret, codes } = await turnOnAndSave(page);
    expect(await isSignedIn(another)).toBe(false);
    await makeNewCodes(page, codes);
    await turnOff(page, secret);

    await goWithin(page, "/settings/profile");
    await keepTheme(page);
    await page.locator("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  /** Of a plan that allows less. */
  async function use(accountId: string) {
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    for (const name of ["one", "two"])
      await makeChange(deps, caller, (unit) => createKey(unit, caller, { name }));
    await deps.store.update(accounts).set({ tier: "free" }).where(eq(accounts.id, accountId));
    const lastCheckAt = deps.clock.now() - 5 * 60_000;
    const used = { accountId, day: "2030-01-01", requests: 1234, checks: 54_321, lastCheckAt };
    await deps.store.insert(usageDays).values(used);
  }

  async function seeUsage(page: Page, email: string) {
    await page.getByText("Free tier").waitFor();
    const you = page.getByRole("region", { name: "You" });
    await you.getByText(email).first().waitFor();
    const usage = page.getByRole("region", { name: "Usage" });
    const texts = await usage.locator(".setting").allInnerTexts();
    expect(texts.map((text) => text.replaceAll(/\n+/g, "\n"))).toEqual([
      "Links\n0 of 50",
      "API keys\n1 over the limit. They keep working, but no more can be added.\n2 of 1",
      "Alerts\n0 of 1",
      "Requests with an API key\n1,234 today, 1,234 this month, 1,234 total",
      "Checks\n54,321 this month, last 5 minutes ago",
    ]);
  }

  async function changePassword(page: Page) {
    const [present, next] = [page.getByLabel("Current password"), page.getByLabel("New password")];
    const save = page.getByRole("button", { name: "Change password" });
    await page.getByText("This signs you out everywhere else.").waitFor();
    await present.fill("not my password");
    await next.fill(NEXT_PASSWORD);
    await save.click();
    await page.getByText("Is not your password").waitFor();
    expect(await next.inputValue()).toBe(NEXT_PASSWORD);
    await present.fill(PASSWORD);
    await save.click();
    await page.getByText("Your password was changed.").waitFor();
    expect([await present.inputValue(), await next.inputValue()]).toEqual(["", ""]);
  }

  async function keepTheme(page: Page) {
    const isDark = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await page.getByRole("group", { name: "Theme" }).getByRole("button", { name: "Dark" }).click();
    expect(await isDark()).toBe("dark");
    await page.getByRole("button", { name: "Theme and sign out" }).click();
    await page.getByRole("menuitemradio", { name: "Dark", checked: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Single-key shortcuts").uncheck();
    await page.reload();
    expect(await isDark()).toBe("dark");
    expect(await page.getByLabel("Single-key shortcuts").isChecked()).toBe(false);
    await page.locator("main").press("g");
    await page.locator("main").press("l");
    expect(new URL(page.url()).pathname).toBe("/settings/profile");
  }

  async function endSessions(page: Page) {
    const rows = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await rows.filter({ hasText: "This one" }).waitFor();
    await page.getByRole("button", { name: "End the session of Safari on macOS" }).first().click();
    await page.getByRole("button", { name: "End session", exact: true }).click();
    await page.getByText("The session has ended.").waitFor();
    await page.getByRole("button", { name: "End all 2 others" }).click();
    await page.getByRole("button", { name: "End 2 sessions" }).click();
    await page.getByText("2 sessions have ended.").waitFor();
    await page.getByRole("button", { name: "End all 2 others" }).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(1);
  }

  /** The recovery codes are shown once. */
  async function turnOnAndSave(page: Page) {
    const { groups, secret, codes } = await turnOn(page);
    expect(groups).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    expect(codes).toHaveLength(10);
    expect(await faultsInAllLooks(page, "dialog")).toEqual([]);
    await page.getByRole("button", { name: "Copy Recovery codes" }).click();
    await page.getByText("Recovery codes: copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join("\n"));
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    const file = readFileSync(await (await download).path(), "utf8");
    expect(file.split("\n")).toEqual(expect.arrayContaining(codes));
    await page.getByRole("button", { name: "I have saved them" }).click();
    await page.getByText("10 recovery codes are left.").waitFor();
    expect(await page.content()).not.toContain(codes[0]!);
    return { secret, codes };
  }

  async function makeNewCodes(page: Page, codes: string[]) {
    await page.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByLabel("Your password").fill(NEXT_PASSWORD);
    await page.getByLabel("Code", { exact: true }).fill(codes[9]!);
    await page.getByRole("button", { name: "Create new codes" }).click();
    const fresh = await page.getByLabel("Recovery codes", { exact: true }).inputValue();
    expect(fresh.split("\n")).toHaveLength(10);
    expect(codes.filter((code) => fresh.includes(code))).toEqual([]);
    await page.getByRole("button", { name: "I have saved them" }).click();
  }

  async function turnOff(page: Page, secret: string) {
    const dialog = page.locator("dialog");
    dashboard().server.clock.moveBy(30_000);
    await page.getByRole("button", { name: "Turn off" }).click();
    await dialog.getByLabel("Your password").fill(NEXT_PASSWORD);
    await dialog.getByLabel("Code").fill("000 000");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Is wrong or was used already").waitFor();
    expect(await dialog.getByLabel("Your password").inputValue()).toBe(NEXT_PASSWORD);
    await dialog.getByLabel("Code").fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Two-factor sign-in is off.").waitFor();
    await page.locator("main").getByText("You sign in with your password only.").waitFor();
  }

  test("open as a list on a phone, and say what is for administrators only or not there", async () => {
    const chief = { email: "chief@example.org", tier: "business", isAdmin: true } as const;
    await createAccount(dashboard().server.deps, { ...chief, passwordHash: null });
    const { page } = await dashboard().user();
    await page.goto("/settings/installation");
    const list = page.getByRole("navigation", { name: "Settings" });
    await page.getByText("Ask an administrator for access.").waitFor();
    await go(page, "/settings/profile");
    await list.getByRole("link", { name: "Profile" }).waitFor();
    expect(await list.getByRole("link", { name: "Installation" }).count()).toBe(0);
    await go(page, "/settings/nothing");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();

    await page.setViewportSize({ width: 390, height: 800 });
    await go(page, "/settings");
    await list.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("Settings").click();
    await list.waitFor();
    expect(await page.getByRole("heading", { level: 1 }).isVisible()).toBe(false);
  });
});
