import { beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Page, Response } from "playwright-core";
import { newTotp, replaceRecoveryCodes } from "../../../server/accounts/codes.ts";
import { endSessionsOf } from "../../../server/accounts/sessions.ts";
import { createAccount, operatorOf } from "../../../server/accounts/users.ts";
import { users } from "../../../server/ground/db/tables.ts";
import { hashPassword } from "../../../server/ground/lib/passwords.ts";
import { createLink } from "../../../server/links/create.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { PASSWORD_MEMORY_MB } from "../../../tests/harness.ts";
import { createPasswordLink, PASSWORD } from "../../../tests/session/browser.ts";
import { holdFirstAnswer } from "../../../tests/web/held.ts";
import { faultsOf } from "../../../tests/web/looking.ts";
import { emailOn, go, settled, signIn, signOut } from "../../../tests/web/pages.ts";

onDashboard("Signing in", (dashboard) => {
  // One address may try only so often in a minute.
  const aMinutePasses = () => dashboard().server.clock.moveBy(60_000);
  beforeEach(aMinutePasses);

  async function newUser(email: string) {
    const { deps } = dashboard().server;
    const passwordHash = await hashPassword(PASSWORD, PASSWORD_MEMORY_MB);
    const input = { email, tier: "business", passwordHash, isAdmin: false } as const;
    return (await createAccount(deps, input)).owner;
  }

  /** Someone who signs in with a code as well. */
  async function securedUser(email: string) {
    const { store, secrets, clock } = dashboard().server.deps;
    const user = await newUser(email);
    const { secret } = newTotp(email);
    const totpSecret = secrets.seal(secret);
    await store.update(users).set({ totpSecret }).where(eq(users.id, user.id));
    const codes = await replaceRecoveryCodes(store, user.id);
    const code = () => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now() });
    return { user, code, codes };
  }

  test("failed sign-ins are reported, a stranger gets the page they asked for and no other site, and what was asked before signing in ends nothing", async () => {
    const { page } = await dashboard().stranger();
    await seeFailedSignIns(page);
    await becomeStranger(page);
    await comeAndGo(page);
    await becomeStranger(page);
    await neverLeaveForAnotherSite(page);
    await becomeStranger(page);
    await lookTooLate(page);
  });

  test("people come in by invitations, codes, recovery codes and one-time links", async () => {
    const { page } = await dashboard().stranger();
    await acceptInvitation(page);
    await becomeStranger(page);
    await giveCode(page);
    await becomeStranger(page);
    await guessCodes(page);
    await becomeStranger(page);
    await followOneTimeLink(page);
  });

  async function becomeStranger(page: Page) {
    await page.context().clearCookies();
    aMinutePasses();
  }

  /** In words that do not say whether the user exists; shown until they are dismissed. */
  async function seeFailedSignIns(page: Page) {
    const email = "tried@example.org";
    await newUser(email);
    await page.goto("/sign-in");
    for (const tried of [email, email, "unknown@example.org"]) {
      const answer = page.waitForResponse(isSigningIn);
      await signIn(page, tried, "a wrong password");
      expect((await answer).status()).toBe(401);
      await page.getByText("The e-mail or the password is wrong.").waitFor();
    }
    await signIn(page, email);

    const notice = page.getByText("2 failed sign-ins to your account since");
    await notice.getByText("from 127.0.0.1").waitFor();
    await page.reload();
    await notice.waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "detached" });
    await go(page, "/settings/activity");
    await page.getByText("Someone failed 2 times to sign in as").waitFor();
  }

  /** A stranger again after signing out, which may fail. */
  async function comeAndGo(page: Page) {
    await newUser("in-and-out@example.org");

    await page.goto("/settings/keys?page=1");
    await signIn(page, "in-and-out@example.org");

    await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
    expect(page.url()).toEndWith("/settings/keys?page=1");
    expect(await emailOn(page)).toBe("in-and-out@example.org");
    await page.route("**/dashboard/api/session", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.fallback(),
    );
    await signOut(page);
    await page.getByText("You may still be signed in. The server cannot be reached.").waitFor();
    await page.unroute("**/dashboard/api/session");
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/links");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }

  /** Whatever the address says. */
  async function neverLeaveForAnotherSite(page: Page) {
    await newUser("careful@example.org");

    await page.goto("/sign-in?next=//example.com/");
    await signIn(page, "careful@example.org");

    await page.getByRole("link", { name: "Settings" }).waitFor();
    for (const next of ["/.//example.com/", "/x/..//example.com", "/\\\\example.com"]) {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByRole("link", { name: "Settings" }).waitFor();
      expect(page.url()).toBe(`${dashboard().server.url}/`);
    }
  }

  /** From before signing in, answered late. */
  async function lookTooLate(page: Page) {
    await newUser("overtaken@example.org");
    await page.goto("/");
    await page.getByLabel("E-mail").waitFor();

    // A wrong password makes the dashboard look at the session again.
    const look = await holdFirstAnswer(page, "**/dashboard/api/session");
    await signIn(page, "overtaken@example.org", "a wrong password");
    await look.isGiven;
    await signIn(page, "overtaken@example.org");
    await page.getByRole("link", { name: "Settings" }).waitFor();
    const late = page.waitForResponse(/dashboard\/api\/session$/);
    look.letGo();
    await (await late).finished();

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Profile" }).waitFor();
    expect(await page.getByText("Your session expired.").count()).toBe(0);
  }

  /** Says nothing of an earlier password or earlier sessions. */
  async function acceptInvitation(page: Page) {
    const token = await createPasswordLink(
      dashboard().server.deps,
      await newUser("invited@example.org"),
    );

    await page.goto(`/invitation#token=${token}`);
    await page.waitForURL("/invitation");
    await page.getByText("Create your password to join.").waitFor();
    const text = async () => (await page.getByRole("main").textContent()) ?? "";
    expect(await text()).not.toMatch(/new password|session|everywhere/i);
    await page.getByLabel("Password", { exact: true }).fill("another long password");
    await page.getByRole("button", { name: "Create password" }).click();

    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(await text()).not.toMatch(/new password|session|everywhere/i);
  }

  /** A code is asked for next, without anything moving. */
  async function giveCode(page: Page) {
    const { code } = await securedUser("careful-too@example.org");
    const card = page.locator(".door-card");

    await page.goto("/settings/keys?page=1");
    await page.getByLabel("E-mail").waitFor();
    const before = await card.boundingBox();
    await signIn(page, "careful-too@example.org");
    const field = page.getByLabel("Code from your app");
    await field.waitFor();
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
    expect(await card.boundingBox()).toEqual(before);
    await field.fill("000000");
    await field.press("Enter");
    await page.getByText("The code is wrong or was used already.").waitFor();
    expect(await card.boundingBox()).toEqual(before);
    await page.waitForFunction(isToBeReplaced);
    await page.keyboard.type(code());
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
    expect(page.url()).toEndWith("/settings/keys?page=1");
  }

  /** Has to wait, goes back with the e-mail kept, and uses a recovery code in the place of the app. */
  async function guessCodes(page: Page) {
    const { codes } = await securedUser("phoneless@example.org");
    await page.goto("/links");
    await signIn(page, "phoneless@example.org");
    const field = page.getByLabel("Code from your app");
    await field.waitFor();
    for (const guess of ["000001", "000002", "000003", "000004"]) {
      const answered = page.waitForResponse(isSigningIn);
      await page.locator("button[type=submit]:not([aria-busy])").waitFor();
      await field.fill(guess);
      await field.press("Enter");
      await answered;
    }
    await page.getByText("Too many wrong passwords or codes. Try again in 1 second.").waitFor();
    await field.waitFor();
    dashboard().server.clock.moveBy(60_000);

    await page.getByRole("button", { name: "Back" }).click();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("phoneless@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0]!.toLowerCase());
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByText("No links yet").waitFor();
  }

  /** Asks for the code as well, keeps the new password meanwhile, and signs in. */
  async function followOneTimeLink(page: Page) {
    const { user, code } = await securedUser("both@example.org");
    const token = await createPasswordLink(dashboard().server.deps, user);

    await page.goto(`/password#token=${token}`);
    await page.waitForURL("/password");
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByLabel("Code", { exact: true }).fill(code());
    await page.getByRole("button", { name: "Set password" }).click();

    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await page.getByText("all earlier sessions have ended").waitFor();
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.waitForURL("/");
  }

  test("someone who signs out is not asked to sign in again, whatever happens meanwhile", async () => {
    const { server, user, again } = dashboard();
    const { page, accountId } = await user();
    const { page: other } = await again(accountId);
    for (const each of [page, other]) {
      await each.goto("/links");
      await each.getByText("No links yet").waitFor();
    }

    const caller = await operatorOf(server.deps, accountId);
    const add = (name: string) =>
      makeChange(server.deps, caller, (unit) =>
        createLink(unit, caller, { url: `https://example.org/${name}` }),
      );
    const goodbye = await holdFirstAnswer(page, "**/dashboard/api/session", "DELETE");
    await add("number-one");
    await page.getByText("number-one").waitFor();
    // This is read a moment later, so that a busy account does not make a busy page.
    await add("number-two");
    await signOut(page);
    await goodbye.isGiven;
    // What was asked before may be answered after it, and is not shown any more.
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/dashboard/api/")) asked.push(request.url());
    });
    await other.getByText("1 new", { exact: true }).waitFor();
    await add("number-three");
    await other.getByText("2 new", { exact: true }).waitFor();
    expect(await page.getByText("Your session expired").count()).toBe(0);
    expect(asked).toEqual([]);
    goodbye.letGo();

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("when a session has ended the next request asks to sign in right there, and someone else who does sees nothing of what was there before", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const { store } = server.deps;
    const caller = await operatorOf(server.deps, accountId);
    await makeChange(server.deps, caller, (unit) =>
      createLink(unit, caller, { url: "https://example.org/only-mine" }),
    );
    await newUser("next@example.org");
    await page.goto("/links");
    await page.getByText("only-mine").waitFor();

    const [before] = await store.select().from(users).where(eq(users.accountId, accountId));
    await endSessionsOf(store, before!.id);
    await askForMore(page);
    await page.getByRole("dialog").getByLabel("E-mail").waitFor();
    expect(page.url()).toEndWith("/settings");
    const elsewhere = page.getByRole("link", { name: "Sign in as someone else" });
    expect(await elsewhere.getAttribute("href")).toBe("/sign-in?next=%2Fsettings");
    // Nothing more is answered, so that only what was kept could be shown.
    await page.route("**/dashboard/api/links?*", () => {});
    await signIn(page, "next@example.org");
    await page.getByRole("link", { name: "Links" }).click();
    await page.waitForURL("/links");

    expect(await page.getByText("only-mine").count()).toBe(0);
    await page.evaluate(() => sessionStorage.setItem("stillup-draft", "https://example.org/"));
    await signOut(page);
    await page.getByLabel("E-mail").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

/** Whatever is being read meanwhile may have met the end of the session already, and hide the link. */
const askForMore = (page: Page) =>
  page.getByRole("link", { name: "Settings" }).dispatchEvent("click");

const isSigningIn = (response: Response) =>
  response.url().endsWith("api/session") && response.request().method() === "POST";

/** Whether the next key replaces what the field in focus has. */
function isToBeReplaced() {
  const { activeElement: field } = document;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.selectionStart === 0 && field.selectionEnd === field.value.length;
}
