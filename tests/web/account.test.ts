import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { operatorOf, requireUser } from "../../server/accounts/users.ts";
import { accounts, usageDays, users } from "../../server/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { faultsOf } from "./looking.ts";

const PASSWORD = "correct horse battery staple";
const NEXT_PASSWORD = "another one, quite as long";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15";

onDashboard("The account page", (dashboard) => {
  /** Someone in front of it, who has a password and so many other sessions. */
  async function atAccount({ others = 0, width = 1280 } = {}) {
    const { server, user } = dashboard();
    const { store, clock } = server.deps;
    const { page, accountId } = await user({ width });
    const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
    const owner = await requireUser(server.deps, account!.email);
    const passwordHash = await Bun.password.hash(PASSWORD, COST);
    await store.update(users).set({ passwordHash }).where(eq(users.id, owner.id));
    const tokens: string[] = [];
    for (let n = 0; n < others; n++) {
      tokens.push(await createSession(store, owner.id, clock.now(), { userAgent: SAFARI }));
    }
    await page.goto("/account");
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    return { page, owner, accountId, tokens };
  }

  const codeOf = (secret: string) =>
    TOTP.generate({
      secret: Secret.fromBase32(secret),
      timestamp: dashboard().server.clock.now(),
    });

  /** Turns two-factor sign-in on as a reader of the page does. */
  async function turnOn(page: Page) {
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
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

  test("tells who is signed in and how much of everything is used", async () => {
    const { page, owner, accountId } = await atAccount();
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    for (const name of ["one", "two"]) await createKey(deps, caller, { name });
    await deps.store.update(accounts).set({ tier: "free" }).where(eq(accounts.id, accountId));
    const lastCheckAt = deps.clock.now() - 5 * 60_000;
    const used = { accountId, day: "2030-01-01", requests: 1234, checks: 54_321, lastCheckAt };
    await deps.store.insert(usageDays).values(used);

    await page.reload();

    await page.getByText("Free tier").waitFor();
    expect(await page.locator(".who-facts").textContent()).toContain(owner.email);
    expect(await page.locator(".allowance").allTextContents()).toEqual([
      "Links0 of 50",
      "API keys2 of 11 more than the tier allows. They go on working; no more can be added.",
      "Webhooks0 of 1",
    ]);
    const numbers = await page.locator(".numbers").textContent();
    expect(numbers).toContain("Requests today1,234");
    expect(numbers).toContain("Checks this month54,321");
    expect(numbers).toContain("Last check5 minutes ago");
  });

  test("changes the password once the present one is right, and ends the other sessions", async () => {
    const { page, tokens } = await atAccount({ others: 1 });
    const [present, next] = [page.getByLabel("Current password"), page.getByLabel("New password")];
    const save = page.getByRole("button", { name: "Change password" });

    await present.fill("not my password");
    await next.fill(NEXT_PASSWORD);
    await save.click();
    await page.getByText("Is not your password").waitFor();
    expect(await next.inputValue()).toBe(NEXT_PASSWORD);
    await present.fill(PASSWORD);
    await save.click();

    await page.getByText("The password was changed").waitFor();
    expect([await present.inputValue(), await next.inputValue()]).toEqual(["", ""]);
    expect(await isSignedIn(tokens[0]!)).toBe(false);
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page.getByText("No links yet").waitFor();
  });

  test("turns two-factor sign-in on with a picture, a key and a first code, and gives recovery codes once", async () => {
    const { page, tokens } = await atAccount({ others: 1 });

    const { groups, codes } = await turnOn(page);

    expect(groups).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    expect(codes).toHaveLength(10);
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
    expect(await isSignedIn(tokens[0]!)).toBe(false);
  });

  test("draws the secret for a camera", async () => {
    const { page } = await atAccount();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();

    const picture = page.getByRole("img", { name: "QR code for your authenticator app" });
    await picture.waitFor();

    const path = (await picture.locator("path").getAttribute("d")) ?? "";
    expect(path.split("M").length).toBeGreaterThan(400);
  });

  test("tells beside the fields what is wrong, keeps what was typed, and turns two-factor sign-in off", async () => {
    const { page } = await atAccount();
    const { secret } = await turnOn(page);
    await page.getByRole("button", { name: "I have saved them" }).click();
    dashboard().server.clock.moveBy(30_000);

    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.locator("dialog");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByLabel("Code").fill("000 000");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("Is wrong or was used already").waitFor();
    expect(await dialog.getByLabel("Your password").inputValue()).toBe(PASSWORD);
    await dialog.getByLabel("Code").fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Turn off" }).click();

    await page.getByText("Two-factor sign-in is off.").waitFor();
    await page.getByText("Off. You sign in with your password only.").waitFor();
  });

  test("makes new recovery codes, of which the old ones are void", async () => {
    const { page } = await atAccount();
    const { codes } = await turnOn(page);
    await page.getByRole("button", { name: "I have saved them" }).click();

    await page.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByLabel("Code", { exact: true }).fill(codes[9]!);
    await page.getByRole("button", { name: "Create new codes" }).click();

    const fresh = await page.getByLabel("Recovery codes", { exact: true }).inputValue();
    expect(fresh.split("\n")).toHaveLength(10);
    expect(codes.filter((code) => fresh.includes(code))).toEqual([]);
  });

  test("ends one session, and then all others, and says how many", async () => {
    const { page, tokens } = await atAccount({ others: 3 });
    const rows = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await rows.first().waitFor();
    expect(await rows.filter({ hasText: "This one" }).count()).toBe(1);

    await page.getByRole("button", { name: "End the session of Safari on macOS" }).first().click();
    await page.getByRole("button", { name: "End session", exact: true }).click();
    await page.getByText("The session has ended.").waitFor();
    await page.getByRole("button", { name: "End all 2 others" }).click();
    await page.getByRole("button", { name: "End 2 sessions" }).click();

    await page.getByText("2 sessions have ended.").waitFor();
    await page.getByRole("button", { name: "End all 2 others" }).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(1);
    expect(await Promise.all(tokens.map(isSignedIn))).toEqual([false, false, false]);
  });

  test("leads to the reference of the API, outside of the dashboard", async () => {
    const { page } = await atAccount();

    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "API reference" }).click();

    const reference = await opened;
    await reference.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(reference.url()).pathname).toBe("/docs");
  });

  test.each([["light"], ["dark"]] as const)(
    "can be used by everybody, in %s colours",
    async (colorScheme) => {
      const { page } = await atAccount({ others: 1, width: 360 });
      await page.emulateMedia({ colorScheme });
      await page.getByText("Safari on macOS").waitFor();
      await page.getByText("Last check").waitFor();

      const ofPage = await faultsOf(page);
      await turnOn(page);

      expect(ofPage).toEqual([]);
      expect(await faultsOf(page)).toEqual([]);
    },
  );
});
