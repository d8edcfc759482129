import { describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, PASSWORD_MEMORY_MB, startServer } from "../../tests/harness.ts";
import {
  BEHIND_PROXY,
  newColleague,
  newOwner,
  openBrowser,
  PASSWORD,
  SESSION,
} from "../../tests/session/browser.ts";
import { audit, sessions, users } from "../ground/db/tables.ts";
import { hashToken } from "../ground/lib/ids.ts";
import { createPasswords, hashPassword, type Passwords } from "../ground/lib/passwords.ts";
import { changePassword, signIn } from "./sign-in.ts";
import { operatorOf } from "./users.ts";

const DAY = 24 * 3_600_000;
const NEXT_PASSWORD = "another one, quite as long";

onServer(
  "signing in",
  (server) => {
    test("a stranger is asked to sign in, and learns nothing about the program", async () => {
      await newOwner(server());
      const stranger = openBrowser(server());

      expect((await stranger.get("/session")).body).toEqual({
        data: {
          state: "signed-out",
          user: null,
          version: null,
          insecure: true,
          sends_mail: false,
          oidc: null,
          live: null,
          failed_sign_ins: null,
        },
      });
      expect((await stranger.get("/links")).body.error.code).toBe("UNAUTHORIZED");
      expect((await stranger.get("/sessions")).status).toBe(401);
      expect((await stranger.get("/nonsense")).status).toBe(401);
    });

    test("the right password opens the rooms of the user's account", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());

      const { status, body } = await browser.signIn(` ${owner.email.toUpperCase()} `);

      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        state: "signed-in",
        user: { email: owner.email, role: "owner" },
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
      expect((await browser.post("/links", { url: "https://example.org/a" })).status).toBe(201);
      expect((await browser.get("/links")).body.data.pagination.total).toBe(1);
      const { live, ...again } = (await browser.get("/session")).body.data;
      expect({ ...body.data, live }).toEqual({ ...again, live });
      expect(live).not.toBe(body.data.live);
    });

    test("a wrong e-mail and a wrong password are refused alike", async () => {
      const { owner } = await newOwner(server());

      const wrong = await openBrowser(server()).signIn(owner.email, "not the right password");
      const unknown = await openBrowser(server()).signIn("unknown@example.org");

      expect(wrong.status).toBe(401);
      expect(wrong.body.error.message).toBe("The e-mail or the password is wrong.");
      expect(unknown.body).toEqual(wrong.body);
      expect(wrong.headers.get("set-cookie")).toBeNull();
    });

    test("the fourth wrong password in a row makes even the right one wait a second", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      for (let i = 0; i < 3; i++) await browser.signIn(owner.email, "wrong");

      const early = await browser.signIn(owner.email);
      server().clock.moveBy(1000);
      const later = await browser.signIn(owner.email);

      expect(early.status).toBe(429);
      expect(early.headers.get("retry-after")).toBe("1");
      expect(early.body.error.code).toBe("RATE_LIMITED");
      expect(later.status).toBe(200);
    });

    /** Enough wrong passwords that this network has to wait. */
    const guessFrom = async (address: string, email: string, cookie?: string) => {
      for (let i = 0; i < 4; i++) {
        await openBrowser(server(), cookie, address).signIn(email, "wrong");
      }
    };

    test("a stranger who keeps guessing locks no one out elsewhere", async () => {
      const { owner } = await newOwner(server());
      const signedIn = openBrowser(server());
      await signedIn.signIn(owner.email);
      await guessFrom("198.51.100.1", owner.email);

      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(200);
      const change = { current: PASSWORD, new: NEXT_PASSWORD };
      expect((await signedIn.patch("/session/password", change)).status).toBe(200);
    });

    test("a browser that signed in before passes a stranger in its own network", async () => {
      const { owner } = await newOwner(server());
      const known = openBrowser(server(), undefined, "198.51.100.2");
      await known.signIn(owner.email);
      await known.delete("/session");
      await guessFrom("198.51.100.2", owner.email);
      const flood = openBrowser(server(), undefined, "198.51.100.2");
      for (let i = 0; i < 20; i++) await flood.post("/password", { token: "x", password: "" });

      expect((await flood.signIn(owner.email)).status).toBe(429);
      expect((await known.signIn(owner.email)).status).toBe(200);
    });

    test("a device cookie has few wrong passwords of its own, however it is written", async () => {
      const { owner } = await newOwner(server());
      const known = openBrowser(server());
      await known.signIn(owner.email);
      await guessFrom("198.51.100.3", owner.email);
      const statuses: number[] = [];
      // Base64 leaves some letters open, by which the same bytes can be written in several ways.
      for (const end of ["", "=", "==", "==="]) {
        const thief = openBrowser(server(), known.deviceCookie() + end, "198.51.100.3");
        statuses.push((await thief.signIn(owner.email, "wrong")).status);
      }

      expect(statuses).toEqual([401, 401, 401, 429]);
      expect((await known.signIn(owner.email)).status).toBe(200);
    });

    test("a device cookie opens nothing, and is worth nothing for others or with a new password", async () => {
      const [{ owner }, other] = [await newOwner(server()), await newOwner(server())];
      const known = openBrowser(server());
      await known.signIn(owner.email);
      const cookie = known.deviceCookie()!;
      const [name, value] = cookie.split("=") as [string, string];
      const nameOfOther = `device-${hashToken(other.owner.email).slice(0, 8)}`;
      await guessFrom("198.51.100.4", owner.email);
      await guessFrom("198.51.100.4", other.owner.email);
      const pass = async (email: string, as: string) =>
        (await openBrowser(server(), as, "198.51.100.4").signIn(email)).status;

      expect((await openBrowser(server(), cookie).get("/links")).status).toBe(401);
      expect(await pass(other.owner.email, `${nameOfOther}=${value}`)).toBe(429);
      expect(await pass(owner.email, `${name}=${value.slice(0, -4)}AAAA`)).toBe(429);
      expect(await pass(owner.email, `${name}=nonsense`)).toBe(429);
      await known.patch("/session/password", { current: PASSWORD, new: NEXT_PASSWORD });
      expect(await pass(owner.email, cookie)).toBe(429);
      server().clock.moveBy(DAY);
      expect((await known.signIn(owner.email, NEXT_PASSWORD)).status).toBe(200);
    });

    test("a device cookie is worth nothing after a year, and the clock may be set back", async () => {
      const { owner } = await newOwner(server());
      const known = openBrowser(server());
      await known.signIn(owner.email);
      const cookie = known.deviceCookie()!;
      const pass = async () => {
        await guessFrom("198.51.100.5", owner.email);
        return (await openBrowser(server(), cookie, "198.51.100.5").signIn(owner.email)).status;
      };

      server().clock.moveBy(-DAY);
      expect(await pass()).toBe(200);
      server().clock.moveBy(367 * DAY);
      expect(await pass()).toBe(429);
    });

    test("an address may try 20 times a minute, under any name", async () => {
      const browser = openBrowser(server());
      for (let i = 0; i < 20; i++) await browser.post("/password", { token: "x", password: "" });

      const { status, headers } = await browser.signIn("someone@example.org");

      expect(status).toBe(429);
      expect(headers.get("retry-after")).toBe("60");
    });

    test("the id before signing in is not the id after it, and is worth nothing", async () => {
      const { owner } = await newOwner(server());
      const victim = openBrowser(server(), "session=planted-by-someone-else");

      await victim.signIn(owner.email);
      const first = victim.cookie();
      await victim.signIn(owner.email);

      expect(first).not.toBe("session=planted-by-someone-else");
      expect(victim.cookie()).not.toBe(first);
      expect((await openBrowser(server(), first).get("/links")).status).toBe(401);
    });

    test("the database holds no cookie that could be used", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);

      const [row] = await server()
        .deps.store.select()
        .from(sessions)
        .where(eq(sessions.userId, owner.id));

      const value = browser.cookie()!.split("=")[1]!;
      expect(Buffer.from(value, "base64url")).toHaveLength(32);
      expect(row!.tokenHash).not.toContain(value);
      const stolen = openBrowser(server(), `session=${row!.tokenHash}`);
      expect((await stolen.get("/links")).status).toBe(401);
    });

    test("signing out ends the session for good, and doing it twice is harmless", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const cookie = browser.cookie();

      const { status, headers } = await browser.delete("/session");

      expect(status).toBe(200);
      expect(headers.get("set-cookie")).toBe("session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
      expect((await openBrowser(server(), cookie).get("/links")).status).toBe(401);
      expect((await browser.delete("/session")).status).toBe(200);
    });

    test("a session ends after a week without use, and after a month with it", async () => {
      const { owner } = await newOwner(server());
      const [idle, busy] = [openBrowser(server()), openBrowser(server())];
      await idle.signIn(owner.email);
      await busy.signIn(owner.email);

      for (let day = 0; day < 6; day++) {
        server().clock.moveBy(DAY);
        expect((await busy.get("/links")).status).toBe(200);
      }
      expect((await busy.get("/sessions")).body.data.items).toHaveLength(2);
      server().clock.moveBy(DAY);
      expect((await idle.get("/links")).status).toBe(401);
      expect((await busy.get("/sessions")).body.data.items).toHaveLength(1);
      for (let day = 7; day < 29; day++) {
        server().clock.moveBy(DAY);
        expect((await busy.get("/links")).status).toBe(200);
      }
      server().clock.moveBy(DAY);
      expect((await busy.get("/links")).status).toBe(401);
    });

    test("a session's use is noted at most once a minute", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const lastSeen = async () =>
        (await browser.get("/sessions")).body.data.items[0].last_seen_at as string;
      const start = await lastSeen();

      server().clock.moveBy(59_999);
      expect(await lastSeen()).toBe(start);
      server().clock.moveBy(1);
      expect(Date.parse(await lastSeen()) - Date.parse(start)).toBe(60_000);
    });

    test("a user sees all own sessions and can end the others", async () => {
      const { owner } = await newOwner(server());
      const [here, there] = [openBrowser(server()), openBrowser(server())];
      await there.signIn(owner.email);
      server().clock.moveBy(1000);
      await here.signIn(owner.email);

      const { items } = (await here.get("/sessions")).body.data;
      expect(items.map((item: { is_current: boolean }) => item.is_current)).toEqual([true, false]);
      expect((await here.delete("/sessions")).status).toBe(204);

      expect((await there.get("/links")).status).toBe(401);
      expect((await here.get("/sessions")).body.data.items).toHaveLength(1);
    });

    test("a new password ends all sessions but one, which gets a new id", async () => {
      const { owner } = await newOwner(server());
      const [here, there] = [openBrowser(server()), openBrowser(server())];
      await there.signIn(owner.email);
      await here.signIn(owner.email);
      const before = here.cookie();

      const change = { current: PASSWORD, new: NEXT_PASSWORD };
      const { status } = await here.patch("/session/password", change);

      expect(status).toBe(200);
      expect((await here.get("/links")).status).toBe(200);
      expect((await there.get("/links")).status).toBe(401);
      expect((await openBrowser(server(), before).get("/links")).status).toBe(401);
      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(401);
      expect((await openBrowser(server()).signIn(owner.email, NEXT_PASSWORD)).status).toBe(200);
    });

    test("a new password needs the present one, and has to be a good one", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const change = (body: object) => browser.patch("/session/password", body);

      const guessed = await change({ current: "something else", new: NEXT_PASSWORD });
      const weak = await change({ new: "passwordpassword" });

      expect(guessed.body.error.details.fields).toEqual({ current: ["is not your password"] });
      expect(weak.body.error.details.fields).toEqual({
        current: ["is required"],
        new: ["is one of the commonest; choose another"],
      });
    });

    test("replaces a hash with outdated parameters at the next sign-in", async () => {
      const { owner } = await newOwner(server());
      const old = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 1 } as const;
      const isOwner = and(eq(users.id, owner.id), eq(users.accountId, owner.accountId));
      const passwordHash = await Bun.password.hash(PASSWORD, old);
      await server().deps.store.update(users).set({ passwordHash }).where(isOwner);

      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(200);

      const [row] = await server().deps.store.select().from(users).where(isOwner);
      expect(row!.passwordHash).toStartWith(
        `$argon2id$v=19$m=${PASSWORD_MEMORY_MB * 1024},t=2,p=1$`,
      );
      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(200);
    });

    const VISITOR = {
      userAgent: null,
      sessionHash: undefined,
      address: () => "127.0.0.1",
      networks: ["127.0.0.1"],
    };
    /** Passwords as they are, but for what another request does while one is verified or made. */
    const guardedWith = (besides: (real: Passwords) => Partial<Passwords>) => {
      const { deps } = server();
      const real = createPasswords(PASSWORD_MEMORY_MB);
      return {
        ...deps,
        passwords: { ...real, ...besides(real) },
      };
    };

    test("an old hash that is renewed does not undo a change of the password at that moment", async () => {
      const { owner } = await newOwner(server());
      const { store } = server().deps;
      const isOwner = and(eq(users.id, owner.id), eq(users.accountId, owner.accountId));
      const changed = await hashPassword(NEXT_PASSWORD, PASSWORD_MEMORY_MB);
      const guarded = guardedWith((real) => ({
        hash: async (password) => {
          await store.update(users).set({ passwordHash: changed }).where(isOwner);
          return real.hash(password);
        },
        isOutdated: () => true,
      }));

      const late = signIn(guarded, { email: owner.email, password: PASSWORD }, VISITOR);

      await expect(late).rejects.toMatchObject({ code: "UNAUTHORIZED" });
      const [row] = await store.select().from(users).where(isOwner);
      expect(row!.passwordHash).toBe(changed);
    });

    test("a password that is changed while it is verified is rejected", async () => {
      const { owner, account } = await newOwner(server());
      const { store } = server().deps;
      const changed = await hashPassword(NEXT_PASSWORD, PASSWORD_MEMORY_MB);
      const guarded = guardedWith((real) => ({
        verify: async (password, hash) => {
          const isRight = await real.verify(password, hash);
          await store
            .update(users)
            .set({ passwordHash: changed })
            .where(and(eq(users.id, owner.id), eq(users.accountId, account.id)));
          return isRight;
        },
      }));

      const late = signIn(guarded, { email: owner.email, password: PASSWORD }, VISITOR);

      await expect(late).rejects.toMatchObject({ code: "UNAUTHORIZED" });
      expect(await store.$count(sessions, eq(sessions.userId, owner.id))).toBe(0);
      const signIns = and(eq(audit.accountId, account.id), eq(audit.action, "person.signed_in"));
      expect(await store.$count(audit, signIns)).toBe(0);
    });

    test("two who sign in at once get in both, also when one renews the old hash", async () => {
      const { owner } = await newOwner(server());
      const guarded = guardedWith(() => ({ isOutdated: () => true }));
      const enter = () => signIn(guarded, { email: owner.email, password: PASSWORD }, VISITOR);

      await Promise.all([enter(), enter()]);

      const { store } = server().deps;
      expect(await store.$count(sessions, eq(sessions.userId, owner.id))).toBe(2);
    });

    test("a password that is changed while its own change is verified is not changed back", async () => {
      const { owner, account } = await newOwner(server());
      const { deps } = server();
      const { store } = deps;
      const isOwner = and(eq(users.id, owner.id), eq(users.accountId, account.id));
      const changed = await hashPassword(NEXT_PASSWORD, PASSWORD_MEMORY_MB);
      const guarded = guardedWith((real) => ({
        hash: async (password) => {
          await store.update(users).set({ passwordHash: changed }).where(isOwner);
          return real.hash(password);
        },
      }));
      const session = { ...SESSION, user: owner, caller: await operatorOf(deps, account.id) };
      const change = { current: PASSWORD, next: "a third one, as long as those" };

      const late = changePassword(guarded, session, change, VISITOR);

      await expect(late).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
      const [row] = await store.select().from(users).where(isOwner);
      expect(row!.passwordHash).toBe(changed);
    });

    test("a viewer looks but changes nothing except the own password", async () => {
      const account = await newOwner(server());
      const viewer = await newColleague(server(), account, "viewer");
      const browser = openBrowser(server());
      await browser.signIn(viewer.email);

      expect((await browser.get("/links")).status).toBe(200);
      const refused = await browser.post("/links", { url: "https://example.org/" });
      expect(refused.body.error.code).toBe("INSUFFICIENT_PERMISSIONS");
      expect((await browser.post("/keys", { name: "x" })).status).toBe(403);
      expect((await browser.delete(`/links/${viewer.id}`)).status).toBe(403);
      const change = { current: PASSWORD, new: NEXT_PASSWORD };
      expect((await browser.patch("/session/password", change)).status).toBe(200);
      expect((await browser.delete("/sessions")).status).toBe(204);
      expect((await browser.delete("/session")).status).toBe(200);
    });

    test("an editor works in the same account as its owner", async () => {
      const account = await newOwner(server());
      const editor = await newColleague(server(), account, "editor");
      const [mine, theirs] = [openBrowser(server()), openBrowser(server())];
      await mine.signIn(account.owner.email);
      await theirs.signIn(editor.email);

      const made = await theirs.post("/links", { url: "https://example.org/together" });

      expect(made.status).toBe(201);
      expect((await mine.get(`/links/${made.body.data.id}`)).status).toBe(200);
    });

    test("a user without a password cannot sign in with any", async () => {
      const account = await newOwner(server());
      const editor = await newColleague(server(), account, "editor");
      await server()
        .deps.store.update(users)
        .set({ passwordHash: null })
        .where(and(eq(users.id, editor.id), eq(users.accountId, editor.accountId)));

      expect((await openBrowser(server()).signIn(editor.email, "")).status).toBe(401);
    });

    test("a cookie opens nothing of the public API", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);

      const response = await fetch(`${server().url}/api/v1/links`, {
        headers: { cookie: browser.cookie()! },
      });

      expect(response.status).toBe(401);
    });
  },
  BEHIND_PROXY,
);

describe("the cookie", () => {
  eachRow([
    ["https://links.example.org", "__Host-session=", "; Secure; HttpOnly; SameSite=Lax; Path=/"],
    ["http://links.example.org", "session=", "; HttpOnly; SameSite=Lax; Path=/"],
    [
      "https://tools.example.org/stillup",
      "__Secure-session=",
      "; Secure; HttpOnly; SameSite=Lax; Path=/stillup",
    ],
  ])("at %s has exactly these attributes", async (publicUrl, name, attributes) => {
    const server = await startServer("sqlite", { STILLUP_PUBLIC_URL: publicUrl });
    const { owner } = await newOwner(server);

    const { headers, body } = await openBrowser(server).signIn(owner.email);

    const [cookie, device, ...rest] = headers.getSetCookie();
    expect(rest).toEqual([]);
    expect(device).toMatch(/^(__Host-|__Secure-)?device-[0-9a-f]{8}=[\w-]+; Max-Age=31536000; /);
    expect(device).toStartWith(name.replace("session=", "device-"));
    expect(device).toEndWith(attributes);
    expect(cookie).toStartWith(name);
    expect(cookie!.slice(name.length)).toMatch(/^[\w-]{43}; /);
    expect(cookie!.slice(name.length + 43)).toBe(attributes);
    expect(body.data.insecure).toBe(publicUrl.startsWith("http:"));
    await server.stop();
  });

  test("comes with a hash of the configured kind for everyone who signs in", async () => {
    const server = await startServer("sqlite", { STILLUP_PASSWORD_MEMORY_MB: "20" });
    const { owner } = await newOwner(server);

    const signedIn = await openBrowser(server).signIn(owner.email);

    const [row] = await server.deps.store.select().from(users).where(eq(users.id, owner.id));
    expect(signedIn.status).toBe(200);
    expect(row!.passwordHash).toStartWith("$argon2id$v=19$m=20480,t=2,p=1$");
    await server.stop();
  });

  test("is not taken under its plain name where it has to be secure", async () => {
    const server = await startServer("sqlite", { STILLUP_PUBLIC_URL: "https://links.example.org" });
    const { owner } = await newOwner(server);
    const browser = openBrowser(server);
    await browser.signIn(owner.email);

    const plain = openBrowser(server, browser.cookie()!.replace("__Host-", ""));

    expect((await browser.get("/links")).status).toBe(200);
    expect((await plain.get("/links")).status).toBe(401);
    await server.stop();
  });
});
