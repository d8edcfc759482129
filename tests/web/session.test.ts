import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createAccount, createPasswordLink, requireUser } from "../../server/accounts/users.ts";
import { endSessionsOf } from "../../server/session/sessions.ts";
import { onDashboard } from "../browser.ts";

const PASSWORD = "correct horse battery staple";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

onDashboard("Signing in", (dashboard) => {
  async function newUser(email: string) {
    const { deps } = dashboard().server;
    const passwordHash = await Bun.password.hash(PASSWORD, COST);
    const input = { email, tier: "business", passwordHash, isAdmin: false } as const;
    return (await createAccount(deps, input)).owner;
  }

  test("a stranger who asks for a page signs in and gets it, and is a stranger again after signing out", async () => {
    const { page } = await dashboard().stranger();
    await newUser("in-and-out@example.org");

    await page.goto("/keys?page=1");
    await signIn(page, "in-and-out@example.org", PASSWORD);

    await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
    expect(page.url()).toEndWith("/keys?page=1");
    await page.getByText("in-and-out@example.org").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/links");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("a wrong password is told in words that do not say whether the user exists", async () => {
    const { page } = await dashboard().stranger();
    await newUser("known@example.org");

    await page.goto("/");
    await signIn(page, "known@example.org", "a wrong password");

    await page.getByText("The e-mail or the password is wrong.").waitFor();
    await signIn(page, "unknown@example.org", "a wrong password");
    await page.getByText("The e-mail or the password is wrong.").waitFor();
  });

  test("whoever is sent to sign in never ends up on another site", async () => {
    const { page } = await dashboard().stranger();
    await newUser("careful@example.org");

    await page.goto("/sign-in?next=//example.com/");
    await signIn(page, "careful@example.org", PASSWORD);

    await page.getByRole("heading", { name: "Links", exact: true }).waitFor();
    expect(new URL(page.url()).origin).toBe(dashboard().server.url);
  });

  test("when a session has ended, the next request leads to the sign-in page", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();
    const email = (await page.locator(".email").textContent()) ?? "";

    const { id } = await requireUser(server.deps, email);
    await server.deps.store.write([endSessionsOf(server.deps.store, id)]);
    await page.getByRole("link", { name: "API keys" }).click();

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(page.url()).toEndWith("/sign-in?next=%2Fkeys");
  });

  test("a one-time link sets the password and signs in", async () => {
    const { server, stranger } = dashboard();
    const { page } = await stranger();
    const token = await createPasswordLink(server.deps, await newUser("forgetful@example.org"));

    await page.goto(`/password#token=${token}`);
    await page.waitForURL("/password");
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Set password" }).click();

    await page.getByText("You are signed in.").waitFor();
    await page.getByRole("link", { name: "Go to your links" }).click();
    await page.getByText("No links yet").waitFor();
  });
});

async function signIn(page: Page, email: string, password: string) {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
