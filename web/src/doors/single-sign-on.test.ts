import { expect, test } from "bun:test";
import type { Page } from "playwright-core";

import { asToken, createAccount, createInvitedAccount } from "../../../server/accounts/users.ts";
import { OPERATOR } from "../../../server/http/caller.ts";
import { type Looks, onDashboard, openVisitor } from "../../../tests/browser.ts";
import { freePort } from "../../../tests/free-port.ts";
import { CLIENT, startOidcHost } from "../../../tests/oidc.ts";
import { faultsOf } from "../../../tests/web/looking.ts";
import { go, signOut } from "../../../tests/web/pages.ts";

const PASSWORD = "correct horse battery staple";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

const port = freePort();
const ours = `http://127.0.0.1:${port}`;
const host = await startOidcHost({
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [`${ours}/oidc/callback`],
    },
  ],
});

onDashboard(
  "Single sign-on",
  (dashboard) => {
    /** Someone whose browser also visits the provider's pages. */
    const visitor = async (looks?: Looks): Promise<Page> =>
      (await openVisitor(dashboard().server, looks)).page;

    async function newOwner(email: string) {
      const passwordHash = await Bun.password.hash(PASSWORD, COST);
      const input = { email, tier: "business", passwordHash, isAdmin: true } as const;
      return createAccount(dashboard().server.deps, input);
    }

    test("a person with a password links the provider, signs in with it, unlinks it, and checks it as an administrator", async () => {
      await newOwner("ann@example.org");
      host.people.set("ann", { email: "ann@id.example" });
      host.signsIn("ann");
      const page = await visitor();
      await page.goto("/sign-in?next=%2Fsettings%2Fprofile");
      await page.getByRole("button", { name: "Continue with Team ID" }).click();
      await page.getByText("No user here is linked to you.").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.goto("/sign-in?next=%2Fsettings%2Fprofile");
      await page.getByLabel("E-mail").fill("ann@example.org");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();

      await page.getByRole("button", { name: "Link", exact: true }).click();
      await page.getByLabel("Your password").fill(PASSWORD);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Linked", { exact: true }).waitFor();
      await signOut(page);
      await page.getByRole("button", { name: "Continue with Team ID" }).click();
      await page.getByRole("link", { name: "Links" }).first().waitFor();

      await go(page, "/settings/profile");
      await page.getByRole("button", { name: "Unlink" }).click();
      await page.getByLabel("Your password").fill(PASSWORD);
      await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
      await page.getByText("Not linked").waitFor();

      await go(page, "/settings/installation");
      const panel = page.getByRole("region", { name: "Single sign-on" });
      await panel.getByText(host.issuer, { exact: true }).waitFor();
      await panel.getByRole("button", { name: "Check" }).click();
      await panel.getByText("PKCE (S256)").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(await panel.getByRole("textbox", { name: "Redirect URI" }).inputValue()).toBe(
        `${ours}/oidc/callback`,
      );
    });

    test("an invited person joins with the provider, and proves who they are there", async () => {
      const { deps } = dashboard().server;
      const made = { email: "bob@example.org", tier: "business", isAdmin: true } as const;
      const { link } = await createInvitedAccount(deps, made, OPERATOR, asToken);
      host.people.set("bob", { email: "bob@id.example" });
      host.signsIn("bob");
      const page = await visitor();

      await page.goto(`/invitation#token=${link}`);
      await page.getByRole("button", { name: "Continue with Team ID" }).click();
      await page.waitForURL(`${ours}/`);
      await page.goto("/settings/profile");
      await page.getByRole("button", { name: "Sign in again with Team ID" }).first().click();

      await page.getByLabel("New password").fill("another long password");
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByText("Your password was changed.").waitFor();
    });
  },
  {
    STILLUP_PORT: String(port),
    STILLUP_PUBLIC_URL: ours,
    STILLUP_OIDC_ISSUER: host.issuer,
    STILLUP_OIDC_CLIENT_ID: CLIENT.id,
    STILLUP_OIDC_CLIENT_SECRET: CLIENT.secret,
    STILLUP_OIDC_NAME: "Team ID",
  },
);
