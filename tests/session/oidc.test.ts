import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { createAccount } from "../../server/accounts/users.ts";
import { identities, users } from "../../server/db/tables.ts";
import { onBothEngines } from "../harness.ts";
import { oidcSettings, openSurfer, startOidcHost } from "../oidc.ts";
import { newOwner, openBrowser, PASSWORD } from "./browser.ts";

const host = await startOidcHost();
const settings = oidcSettings(host.issuer);

onBothEngines(
  "single sign-on",
  (server) => {
    test("links a person who signs in with a password, and knows them by the subject alone", async () => {
      const { owner } = await newOwner(server());
      const surfer = openSurfer(server());
      host.people.set("s1", { email: "other@example.com", email_verified: false });
      host.signsIn("s1");
      expect(await surfer.signIn()).toBe("/sign-in?problem=unknown_person");
      await surfer.ask("POST", "/session", { email: owner.email, password: PASSWORD });

      const wrong = await surfer.start({ purpose: "link", to: "/settings/profile", password: "x" });
      expect(wrong.status).toBe(400);
      const page = await surfer.signIn({
        purpose: "link",
        to: "/settings/profile",
        password: PASSWORD,
      });

      expect(page).toBe("/settings/profile");
      expect((await surfer.ask("DELETE", "/session")).body.data).toEqual({ logout_url: null });
      expect(await surfer.signIn({ purpose: "sign-in", to: "/links?status=dead" })).toBe(
        "/links?status=dead",
      );
      const session = await surfer.ask("GET", "/session");
      expect(session.body.data.user).toMatchObject({ email: owner.email, has_password: true });
    });
  },
  settings,
);
void [eq, createAccount, identities, users, openBrowser];
