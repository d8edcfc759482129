import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import { oidcSettings, openSurfer, PUBLIC_URL, startOidcHost } from "../../tests/oidc.ts";
import { newColleague, newOwner, PASSWORD } from "../../tests/session/browser.ts";
import { createService } from "../app/app.ts";
import { audit, identities, sessions, users } from "../ground/db/tables.ts";
import { OPERATOR } from "../http/caller.ts";
import { linkByOperator } from "./oidc/identities.ts";
import { asToken, createInvitedAccount, createPasswordLink } from "./users.ts";

const host = await startOidcHost();
const settings = oidcSettings(host.issuer);

let subjects = 0;

/** Someone who is known at the provider, and signs in there from now on. */
function newPerson(claims: Record<string, unknown> = {}): string {
  const subject = `s${++subjects}`;
  host.people.set(subject, claims);
  host.signsIn(subject);
  return subject;
}

/** A new account whose owner is linked. */
async function linkedOwner(server: TestServer, claims = {}) {
  const made = await newOwner(server);
  const subject = newPerson(claims);
  await linkByOperator(server.deps, made.owner, { issuer: host.issuer, subject });
  return { ...made, subject };
}

const userOf = async ({ deps }: TestServer, id: string) =>
  (await deps.store.select().from(users).where(eq(users.id, id)))[0]!;

const actionsOf = async ({ deps }: TestServer, accountId: string) =>
  (await deps.store.select().from(audit).where(eq(audit.accountId, accountId))).map(
    ({ action }) => action,
  );

onServer(
  "single sign-on",
  (server, { test, testOnBoth }) => {
    testOnBoth(
      "links a person who signs in with a password, and knows them by the subject alone",
      async () => {
        const { owner } = await newOwner(server());
        const surfer = openSurfer(server());
        newPerson({ email: owner.email, email_verified: true });
        expect(await surfer.signIn()).toBe("/sign-in?problem=unknown_person");
        await surfer.ask("POST", "/session", { email: owner.email, password: PASSWORD });

        const wrong = await surfer.start({
          purpose: "link",
          to: "/settings/profile",
          password: "x",
        });
        expect(wrong.status).toBe(400);
        const link = { purpose: "link", to: "/settings/profile", password: PASSWORD };
        expect(await surfer.signIn(link)).toBe("/settings/profile");

        expect((await surfer.ask("DELETE", "/session")).body.data).toEqual({ logout_url: null });
        const wish = { purpose: "sign-in", to: "/links?status=dead" };
        expect(await surfer.signIn(wish)).toBe("/links?status=dead");
        const { user, oidc } = (await surfer.ask("GET", "/session")).body.data;
        expect(user).toMatchObject({ email: owner.email, has_password: true });
        expect(oidc).toEqual({ name: "single sign-on", only: false });
        expect((await userOf(server(), owner.id)).emailVerifiedAt).not.toBeNull();
        expect(await actionsOf(server(), owner.accountId)).toContain("person.identity_linked");
      },
    );

    testOnBoth(
      "refuses an identity that is someone else's, and unlinks only with proof",
      async () => {
        const { subject } = await linkedOwner(server());
        const { owner } = await newOwner(server());
        const surfer = openSurfer(server());
        await surfer.ask("POST", "/session", { email: owner.email, password: PASSWORD });
        host.signsIn(subject);
        const link = { purpose: "link", to: "/settings/profile", password: PASSWORD };
        expect(await surfer.signIn(link)).toBe("/settings/profile?problem=identity_taken");

        surfer.forget();
        newPerson();
        await surfer.signIn(link);
        const [identity] = (await surfer.ask("GET", "/session/identities")).body.data.items;
        const path = `/session/identities/${identity.id}`;
        expect((await surfer.ask("DELETE", path, { password: "wrong" })).status).toBe(400);
        expect((await surfer.ask("DELETE", path, { password: PASSWORD })).status).toBe(204);
        expect((await surfer.ask("DELETE", path, { password: PASSWORD })).status).toBe(404);
        await surfer.ask("DELETE", "/session");
        expect(await surfer.signIn()).toBe("/sign-in?problem=unknown_person");
      },
    );

    test("binds an invitation to the person who follows it, once, whatever their address there", async () => {
      const email = `invited${subjects}@example.org`;
      const made = { email, tier: "business", isAdmin: false } as const;
      const { link, owner } = await createInvitedAccount(server().deps, made, OPERATOR, asToken);
      newPerson({ email: "elsewhere@example.com", email_verified: false });
      const surfer = openSurfer(server());

      expect(await surfer.signIn({ purpose: "invite", token: link })).toBe("/");

      expect((await surfer.ask("GET", "/session")).body.data.user).toMatchObject({
        email,
        has_password: false,
        proves_at_provider: true,
        proved_until: null,
      });
      expect((await surfer.start({ purpose: "invite", token: link })).status).toBe(404);
      const [identity] = (await surfer.ask("GET", "/session/identities")).body.data.items;
      await surfer.signIn({ purpose: "prove", to: "/settings/profile" });
      const only = await surfer.ask("DELETE", `/session/identities/${identity.id}`, {
        password: "",
      });
      expect([only.status, only.body.error.details.reason]).toEqual([409, "only_way_in"]);
      expect((await userOf(server(), owner.id)).passwordHash).toBeNull();
    });

    testOnBoth(
      "asks a person without a password to sign in again before what cannot be undone",
      async () => {
        const { owner, account, subject } = await linkedOwner(server());
        await server()
          .deps.store.update(users)
          .set({ passwordHash: null })
          .where(eq(users.id, owner.id));
        const surfer = openSurfer(server());
        await surfer.signIn();
        const remove = () =>
          surfer.ask("DELETE", "/account", { email: account.email, password: "" });

        const early = await remove();
        expect([early.status, early.body.error.details.reason]).toEqual([409, "proof_needed"]);
        newPerson();
        surfer.forget();
        const prove = { purpose: "prove", to: "/settings/profile" };
        expect(await surfer.signIn(prove)).toBe("/settings/profile?problem=other_person");
        host.signsIn(subject);
        surfer.forget();
        expect(await surfer.signIn(prove)).toBe("/settings/profile");
        server().clock.moveBy(5 * 60_000);
        expect((await remove()).status).toBe(409);

        await surfer.signIn(prove);
        expect((await remove()).status).toBe(204);
        expect(await surfer.signIn()).toBe("/sign-in?problem=unknown_person");
      },
    );

    test("ends a session after a day, however it is used", async () => {
      await linkedOwner(server());
      const surfer = openSurfer(server());
      await surfer.signIn();
      for (let hour = 0; hour < 23; hour++) {
        server().clock.moveBy(3_600_000);
        expect((await surfer.ask("GET", "/sessions")).status).toBe(200);
      }
      expect((await surfer.ask("GET", "/sessions")).body.data.items[0].via).toBe("oidc");

      server().clock.moveBy(3_600_000);

      expect((await surfer.ask("GET", "/sessions")).status).toBe(401);
    });

    test("keeps a pending sign-in for ten minutes, five at a time", async () => {
      await linkedOwner(server());
      const surfer = openSurfer(server());
      const urls: string[] = [];
      for (let tab = 0; tab < 7; tab++) urls.push((await surfer.start()).url);
      expect([...surfer.cookies.keys()].filter((name) => name.startsWith("oidc-"))).toHaveLength(5);

      expect(await surfer.visit(urls[0]!)).toBe("/sign-in?problem=expired");
      expect(await surfer.visit(urls[6]!)).toBe("/");
      server().clock.moveBy(10 * 60_000 + 1);
      expect(await surfer.visit(urls[5]!)).toBe("/sign-in?problem=expired");
    });

    test("refuses a callback that is repeated, changed or in another browser", async () => {
      await linkedOwner(server());
      const surfer = openSurfer(server());
      const callbackOf = async () => surfer.upToCallback((await surfer.start()).url);
      const changed = async (change: (query: URLSearchParams) => void) => {
        const url = new URL(await callbackOf());
        change(url.searchParams);
        return surfer.visit(url.href);
      };

      // Whose cookie has the same name, which is made of the first characters.
      const ofAnother = (query: URLSearchParams) =>
        query.set(
          "state",
          query.get("state")!.replace(/.$/, (last) => (last === "x" ? "y" : "x")),
        );

      const used = await callbackOf();
      expect(await surfer.visit(used)).toBe("/");
      const again = await surfer.visit(used);
      const elsewhere = await openSurfer(server()).visit(await callbackOf());
      expect([again, elsewhere]).toEqual(Array(2).fill("/sign-in?problem=expired"));
      expect(await changed((query) => query.delete("state"))).toBe("/sign-in?problem=expired");
      expect(await changed((query) => query.append("state", "x"))).toBe("/sign-in?problem=expired");
      expect(await changed((query) => query.set("state", "x"))).toBe("/sign-in?problem=expired");
      expect(await changed(ofAnother)).toBe("/sign-in?problem=expired");
      expect(await changed((query) => query.set("code", "x"))).toBe("/sign-in?problem=expired");
      server().clock.moveBy(60_000);
      for (const change of [
        (query: URLSearchParams) => query.delete("code"),
        (query: URLSearchParams) => query.append("code", "x"),
        (query: URLSearchParams) => query.delete("iss"),
        (query: URLSearchParams) => query.set("iss", "https://evil.example"),
        (query: URLSearchParams) => query.append("iss", "https://evil.example"),
      ]) {
        expect(await changed(change)).toBe("/sign-in?problem=misconfigured");
      }
      await surfer.ask("DELETE", "/session");
      surfer.forget();
      host.signsIn(null);
      expect(await surfer.signIn()).toBe("/sign-in?problem=refused");
    });

    eachRow([
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "/links\r\nset-cookie: a=b",
      "links",
      "",
      "javascript:alert(1)",
      "/%00\u0000",
    ])("leads to the overview instead of %j", async (to) => {
      await linkedOwner(server());
      expect(await openSurfer(server()).signIn({ purpose: "sign-in", to })).toBe("/");
    });

    test("begins from the provider's own page, and for no other issuer", async () => {
      await linkedOwner(server());
      const surfer = openSurfer(server());
      const start = (query: Record<string, string>) =>
        `${PUBLIC_URL}/oidc/start?${new URLSearchParams(query)}`;

      expect(await surfer.visit(start({ iss: host.issuer, target_link_uri: "/sites" }))).toBe(
        "/sites",
      );
      const foreign = await fetch(
        start({ iss: "https://evil.example" }).replace(PUBLIC_URL, server().url),
        { headers: { "x-forwarded-for": "10.8.0.1" } },
      );
      expect(foreign.status).toBe(400);
    });

    test("replaces the session that the browser has, and counts only callbacks that were not begun here", async () => {
      const { owner } = await linkedOwner(server());
      const surfer = openSurfer(server());
      for (let n = 0; n < 30; n++) await surfer.signIn();
      const { store } = server().deps;
      expect(await store.$count(sessions, eq(sessions.userId, owner.id))).toBe(1);

      const ends: string[] = [];
      for (let n = 0; n < 25; n++) {
        const visit = surfer.visit(`${PUBLIC_URL}/oidc/callback?code=x&state=${n}`);
        ends.push(await visit.catch(({ message }: Error) => message.slice(0, 3)));
      }
      expect(new Set(ends)).toEqual(new Set(["/sign-in?problem=expired", "429"]));
    });

    test("ends at another node than it began", async () => {
      await linkedOwner(server());
      const { front } = await createService(server().deps);
      const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: front });
      const nodes = [server().url, other.url.href.replace(/\/$/, "")];
      let turn = 0;
      const surfer = openSurfer({
        get url() {
          return nodes[turn++ % 2]!;
        },
      });

      expect(await surfer.signIn({ purpose: "sign-in", to: "/sites" })).toBe("/sites");
      expect((await surfer.ask("GET", "/sessions")).status).toBe(200);
      await other.stop(true);
    });

    test("needs a session or a token for everything but signing in", async () => {
      const surfer = openSurfer(server());
      expect((await surfer.start({ purpose: "link", password: "x" })).status).toBe(401);
      expect((await surfer.start({ purpose: "prove" })).status).toBe(401);
      expect((await surfer.start({ purpose: "invite", token: "x" })).status).toBe(404);
      expect((await surfer.start({ purpose: "setup", token: "x" })).status).toBe(404);
      expect((await surfer.start({ purpose: "else" })).status).toBe(400);
    });

    test("links two who come with the same identity at once to one of them only", async () => {
      const [one, two] = [await newOwner(server()), await newOwner(server())];
      const subject = newPerson();
      const results = await Promise.allSettled(
        [one, two].map(({ owner }) =>
          linkByOperator(server().deps, owner, { issuer: host.issuer, subject }),
        ),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await server().deps.store.$count(identities, eq(identities.subject, subject))).toBe(1);
    });

    testOnBoth("administrators see how it is used, and what the provider promises", async () => {
      const { owner } = await linkedOwner(server());
      await server().deps.store.update(users).set({ isAdmin: true }).where(eq(users.id, owner.id));
      const surfer = openSurfer(server());
      await surfer.signIn();

      const { data } = (await surfer.ask("GET", "/admin/oidc")).body;
      expect(data).toMatchObject({
        issuer: host.issuer,
        client_id: "stillup",
        only: false,
        signs_up: false,
        roles: null,
        redirect_uri: `${PUBLIC_URL}/oidc/callback`,
      });
      expect(data.succeeded_at).not.toBeNull();
      expect(data.sign_ins_of_week).toBeGreaterThan(0);
      expect((await surfer.ask("POST", "/admin/oidc/check")).body.data).toEqual({
        problem: null,
        detail: null,
        promises: {
          pkce: true,
          iss: true,
          logout: true,
          algorithms: ["RS256"],
          keys: 1,
          client: true,
        },
      });
    });
  },
  settings,
);

const ROLES = {
  admin: ["ops"],
  owner: ["links-owners"],
  editor: ["CN=Web, Team,OU=IT"],
  viewer: ["staff"],
};

onServer(
  "roles by the provider's groups",
  (server, { test, testOnBoth }) => {
    const withGroups = (groups: unknown, subject: string) =>
      host.people.set(subject, { email: `${subject}@id.example`, email_verified: true, groups });

    testOnBoth(
      "add a new person, promote and demote them, and end their sessions without a group",
      async () => {
        const { owner } = await newOwner(server());
        await server()
          .deps.store.update(users)
          .set({ isAdmin: true })
          .where(eq(users.id, owner.id));
        const subject = newPerson();
        const surfer = openSurfer(server());
        const comeWith = async (groups: unknown) => {
          withGroups(groups, subject);
          surfer.forget();
          const page = await surfer.signIn();
          const { user } = (await surfer.ask("GET", "/session")).body.data;
          return user === null ? page : [user.role, user.is_admin];
        };

        expect(await comeWith(["none"])).toBe("/sign-in?problem=no_role");
        expect(await comeWith(["staff"])).toEqual(["viewer", false]);
        expect(await comeWith(["staff", "CN=Web, Team,OU=IT"])).toEqual(["editor", false]);
        expect(await comeWith({ ops: {}, "links-owners": {} })).toEqual(["owner", true]);
        expect(await comeWith("staff")).toEqual(["viewer", false]);
        const [joined] = await server()
          .deps.store.select()
          .from(users)
          .where(eq(users.email, `${subject}@id.example`));
        const { id, accountId } = joined!;
        expect(accountId).toBe(owner.accountId);
        expect(await comeWith([])).toBe("/sign-in?problem=no_role");
        expect(await server().deps.store.$count(sessions, eq(sessions.userId, id))).toBe(0);
        expect(await actionsOf(server(), accountId)).toEqual(
          expect.arrayContaining(["person.joined", "person.role_synced", "person.sessions_ended"]),
        );

        const manager = openSurfer(server());
        await manager.ask("POST", "/session", { email: owner.email, password: PASSWORD });
        const shown = (await manager.ask("GET", "/people")).body.data.items.find(
          (person: { id: string }) => person.id === id,
        );
        expect(shown).toMatchObject({ has_identity: true, role_by_provider: true });
        const change = await manager.ask("PATCH", `/people/${id}`, { role: "owner" });
        expect([change.status, change.body.error.details.reason]).toEqual([409, "set_by_provider"]);
      },
    );

    test("leave the last owner their account, and say so", async () => {
      const { owner, subject } = await linkedOwner(server());
      withGroups(["staff"], subject);
      const surfer = openSurfer(server());

      expect(await surfer.signIn()).toBe("/");

      expect((await userOf(server(), owner.id)).role).toBe("owner");
      const [trouble] = server().deps.troubles.all();
      expect(trouble).toMatchObject({ name: "oidc_roles" });
      expect(await actionsOf(server(), owner.accountId)).toContain("person.role_kept");
      withGroups(["links-owners"], subject);
      surfer.forget();
      await surfer.signIn();
      expect(server().deps.troubles.all()).toEqual([]);
    });

    testOnBoth("take a new verified address over, unless someone has it", async () => {
      const made = await linkedOwner(server());
      const taken = await newColleague(server(), made, "viewer");
      const comeWith = async (email: string, email_verified: unknown) => {
        host.people.set(made.subject, { email, email_verified, groups: ["links-owners"] });
        const surfer = openSurfer(server());
        await surfer.signIn();
        return (await surfer.ask("GET", "/session")).body.data.user.email;
      };

      expect(await comeWith(taken.email, true)).toBe(made.owner.email);
      expect(await comeWith("free1@id.example", "yes")).toBe(made.owner.email);
      expect(await comeWith("free1@id.example", true)).toBe("free1@id.example");
      expect(await comeWith("free2@id.example", "true")).toBe("free2@id.example");
    });
  },
  {
    ...settings,
    STILLUP_OIDC_SIGN_UP: "true",
    STILLUP_OIDC_ROLES: JSON.stringify(ROLES),
    STILLUP_OIDC_SCOPES: "openid email profile",
  },
);

onServer(
  "new people from the provider",
  (server, { testOnBoth }) => {
    testOnBoth(
      "join the only account, with an address that is theirs, and never someone else's user",
      async () => {
        const signInWith = async (claims: Record<string, unknown>) => {
          newPerson(claims);
          return openSurfer(server()).signIn();
        };
        const me = { email: "me@example.org", email_verified: true };
        expect(await signInWith(me)).toBe("/sign-in?problem=no_account");
        const { owner } = await newOwner(server());

        expect(await signInWith(me)).toBe("/");
        expect(await signInWith({ email: "a@example.org" })).toBe(
          "/sign-in?problem=email_unverified",
        );
        for (const email_verified of [false, "false"]) {
          expect(await signInWith({ email: "b@example.org", email_verified })).toBe(
            "/sign-in?problem=email_unverified",
          );
        }
        expect(await signInWith({})).toBe("/sign-in?problem=email_missing");
        expect(await signInWith({ ...me, email: "c@evil.example" })).toBe(
          "/sign-in?problem=unknown_person",
        );
        expect(await signInWith({ ...me, email: owner.email })).toBe(
          "/sign-in?problem=email_taken",
        );

        const [joined] = await server()
          .deps.store.select()
          .from(users)
          .where(eq(users.email, "me@example.org"));
        expect(joined).toMatchObject({
          accountId: owner.accountId,
          role: "editor",
          isAdmin: false,
        });
        await newOwner(server());
        expect(await signInWith({ ...me, email: "d@example.org" })).toBe(
          "/sign-in?problem=no_account",
        );
      },
    );
  },
  {
    ...settings,
    STILLUP_OIDC_SIGN_UP: "true",
    STILLUP_OIDC_DEFAULT_ROLE: "editor",
    STILLUP_OIDC_ALLOWED_DOMAINS: "example.org",
  },
);

onServer(
  "a server without passwords",
  (server) => {
    test("accepts none, and lets the operator's link in once", async () => {
      const { owner } = await linkedOwner(server());
      const surfer = openSurfer(server());
      const password = { email: owner.email, password: PASSWORD };
      const refused = await surfer.ask("POST", "/session", password);
      expect([refused.status, refused.body.error.details.reason]).toEqual([403, "password_off"]);
      expect((await surfer.ask("POST", "/password-mail", { email: owner.email })).status).toBe(403);
      expect((await surfer.ask("GET", "/session")).body.data.oidc.only).toBe(true);
      expect(await surfer.signIn()).toBe("/");
      const change = { current: PASSWORD, new: "another long password" };
      expect((await surfer.ask("PATCH", "/session/password", change)).status).toBe(403);
      const { id } = await newColleague(server(), { owner } as never, "viewer");
      expect((await surfer.ask("POST", `/people/${id}/password-link`)).status).toBe(403);

      const token = await createPasswordLink(server().deps, owner.id);
      const other = openSurfer(server());
      const entered = await other.ask("POST", "/password", { token, password: "" });

      expect(entered.body.data.user.email).toBe(owner.email);
      expect((await userOf(server(), owner.id)).passwordHash).toBe(owner.passwordHash);
      expect((await other.ask("POST", "/password", { token, password: "" })).status).toBe(404);
    });

    test("takes an invitation only at the provider", async () => {
      const made = await linkedOwner(server());
      const surfer = openSurfer(server());
      await surfer.signIn();
      const email = `only${subjects}@example.org`;
      const invited = await surfer.ask("POST", "/people", { email, role: "viewer" });
      const { token } = invited.body.data;

      const other = openSurfer(server());
      expect((await other.ask("POST", "/password", { token, password: "" })).status).toBe(403);
      newPerson();
      expect(await other.signIn({ purpose: "invite", token })).toBe("/");
      expect((await other.ask("GET", "/session")).body.data.user.email).toBe(email);
      expect(made.owner.email).not.toBe(email);
    });

    test("signs out at the provider too, with a token that is not too long", async () => {
      const { owner } = await linkedOwner(server());
      const surfer = openSurfer(server());
      await surfer.signIn();
      const [kept] = await server()
        .deps.store.select()
        .from(sessions)
        .where(eq(sessions.userId, owner.id));
      expect(server().deps.secrets.open(kept!.idToken!)).toStartWith("ey");
      const { logout_url: url } = (await surfer.ask("DELETE", "/session")).body.data;
      expect(url).toStartWith(`${host.issuer}/session/end?`);
      expect(new URL(url).searchParams.get("post_logout_redirect_uri")).toBe(
        `${PUBLIC_URL}/sign-in?signed-out`,
      );
    });
  },
  { ...settings, STILLUP_OIDC_ONLY: "true", STILLUP_OIDC_LOGOUT: "true" },
);

describe("without a provider", () => {
  onServer("a server", (server) => {
    test("has none of these routes", async () => {
      const surfer = openSurfer(server());
      expect((await surfer.start()).status).toBe(404);
      for (const path of ["/oidc/start", "/oidc/start?iss=x", "/oidc/callback?state=x"]) {
        expect((await fetch(server().url + path)).status).toBe(404);
      }
      expect((await surfer.ask("GET", "/session")).body.data.oidc).toBeNull();
    });
  });
});
