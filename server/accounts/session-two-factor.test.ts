import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { onServer, PASSWORD_MEMORY_MB, type Reply } from "../../tests/harness.ts";
import {
  BEHIND_PROXY,
  type Browser,
  createPasswordLink,
  newColleague,
  newOwner,
  openBrowser,
  PASSWORD,
  SESSION,
} from "../../tests/session/browser.ts";
import type { Store } from "../ground/db/store.ts";
import { recoveryCodes, sessions, users } from "../ground/db/tables.ts";
import { createPasswords, type Passwords } from "../ground/lib/passwords.ts";
import { createSecretBox } from "../ground/lib/secret-box.ts";
import { confirmTwoFactor, endTwoFactor, removeTwoFactor } from "./two-factor.ts";
import { operatorOf, requireUser } from "./users.ts";

const STEP_MS = 30_000;
const SHORT_PASSWORD = "zbqmwdkr";
const NEXT_PASSWORD = "another one, quite as long";

onServer(
  "two-factor sign-in",
  (server, { test, testOnBoth }) => {
    const codeOf = (secret: string, later = 0) =>
      TOTP.generate({
        secret: Secret.fromBase32(secret),
        timestamp: server().clock.now() + later,
      });

    /** Someone who signs in with a code from now on; `code` is one that was not used yet. */
    async function secured() {
      const account = await newOwner(server());
      const { email } = account.owner;
      const browser = openBrowser(server());
      await browser.signIn(email);
      const { secret } = (await browser.post("/session/two-factor", { password: PASSWORD })).body
        .data;
      const on = await browser.post("/session/two-factor/confirm", { code: codeOf(secret) });
      server().clock.moveBy(STEP_MS);
      const codes: string[] = on.body.data.recovery_codes;
      return { account, email, browser, secret, codes, code: () => codeOf(secret) };
    }

    const enter = (email: string, code: string, browser = openBrowser(server())) =>
      browser.post("/session", { email, password: PASSWORD, code });

    const stateOf = async (browser: Browser) =>
      (await browser.get("/session/two-factor")).body.data;

    const reasonOf = ({ body }: Reply) => body.error.details.reason;

    test("is turned on by a first code, which gives ten recovery codes, a new session and ends the others", async () => {
      const { owner } = await newOwner(server());
      const [here, there] = [openBrowser(server()), openBrowser(server())];
      await here.signIn(owner.email);
      await there.signIn(owner.email);
      const before = here.cookie();

      const begun = await here.post("/session/two-factor", { password: PASSWORD });
      const { secret, uri } = begun.body.data;
      const on = await here.post("/session/two-factor/confirm", { code: codeOf(secret) });

      expect(begun.status).toBe(201);
      expect(uri).toContain(`secret=${secret}`);
      expect(on.status).toBe(200);
      expect(on.body.data.user.two_factor).toBe(true);
      expect(new Set(on.body.data.recovery_codes).size).toBe(10);
      expect(here.cookie()).not.toBe(before);
      expect((await here.get("/session")).body.data.user.two_factor).toBe(true);
      expect(await stateOf(here)).toEqual({ is_on: true, recovery_codes_left: 10 });
      expect((await there.get("/links")).status).toBe(401);
      expect((await openBrowser(server(), before).get("/links")).status).toBe(401);
    });

    test("begins with the present password and counts only once a code was given", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);

      const guessed = await browser.post("/session/two-factor", { password: "something else" });
      const early = await browser.post("/session/two-factor/confirm", { code: "000000" });
      const { secret } = (await browser.post("/session/two-factor", { password: PASSWORD })).body
        .data;
      const wrong = await browser.post("/session/two-factor/confirm", {
        code: codeOf(secret, 10 * STEP_MS),
      });

      expect(guessed.body.error.details.fields).toEqual({ password: ["is not your password"] });
      expect(reasonOf(early)).toBe("nothing_to_confirm");
      expect(wrong.body.error.details.fields.code[0]).toStartWith("is wrong");
      expect(await stateOf(browser)).toEqual({ is_on: false, recovery_codes_left: 0 });
      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(200);
    });

    test("cannot be started where it is on, so that no one replaces its secret", async () => {
      const { browser } = await secured();

      const again = await browser.post("/session/two-factor", { password: PASSWORD });

      expect(again.status).toBe(409);
      expect(reasonOf(again)).toBe("two_factor_on");
    });

    test("asks for a code after the right password, and starts no session before it", async () => {
      const { email, code } = await secured();
      const browser = openBrowser(server());

      const asked = await browser.signIn(email);
      const entered = await enter(email, code(), browser);

      expect(asked.status).toBe(401);
      expect(asked.body.error).toMatchObject({
        code: "UNAUTHORIZED",
        details: { reason: "two_factor_required" },
      });
      expect(asked.headers.get("set-cookie")).toBeNull();
      expect(entered.status).toBe(200);
      expect(entered.body.data.user).toMatchObject({ email, two_factor: true });
      expect((await browser.get("/links")).status).toBe(200);
    });

    test("is not revealed to anyone with a wrong password", async () => {
      const { email, code } = await secured();
      const wrong = { email, password: "not the right password" };

      const without = await openBrowser(server()).post("/session", wrong);
      const withCode = await openBrowser(server()).post("/session", { ...wrong, code: code() });

      expect(withCode.body).toEqual(without.body);
      expect(without.body.error.message).toBe("The e-mail or the password is wrong.");
      expect((await enter(email, code())).status).toBe(200);
    });

    test("takes a code once, and none of a step before it", async () => {
      const { email, secret, code } = await secured();
      server().clock.moveBy(STEP_MS);
      const [earlier, now] = [codeOf(secret, -STEP_MS), code()];

      const first = await enter(email, now);
      const replayed = await enter(email, now);
      const older = await enter(email, earlier);

      expect(first.status).toBe(200);
      expect(reasonOf(replayed)).toBe("wrong_code");
      expect(reasonOf(older)).toBe("wrong_code");
    });

    test("does not take the code that turned it on", async () => {
      const { email, secret } = await secured();

      expect(reasonOf(await enter(email, codeOf(secret, -STEP_MS)))).toBe("wrong_code");
    });

    testOnBoth("of several uses of a code at the same moment one comes in", async () => {
      const { email, code, codes } = await secured();

      const apps = await Promise.all([1, 2, 3].map(() => enter(email, code())));
      const papers = await Promise.all([1, 2, 3].map(() => enter(email, codes[0]!)));

      expect(apps.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(papers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test("takes each recovery code once, however it is typed", async () => {
      const { email, codes } = await secured();
      const typed = ` ${codes[3]!.toLowerCase().replaceAll("-", " ")} `;
      const browser = openBrowser(server());

      expect((await enter(email, typed, browser)).status).toBe(200);
      expect((await stateOf(browser)).recovery_codes_left).toBe(9);
      expect(reasonOf(await enter(email, typed))).toBe("wrong_code");
    });

    test("rejects someone else's recovery code", async () => {
      const [one, other] = [await secured(), await secured()];

      expect((await enter(one.email, other.codes[0]!)).status).toBe(401);
      expect((await enter(other.email, other.codes[0]!)).status).toBe(200);
    });

    test("makes wrong codes wait as wrong passwords do, even with the password right between them", async () => {
      const { email, code } = await secured();
      for (let i = 0; i < 3; i++) {
        await openBrowser(server()).signIn(email);
        await enter(email, "AAAA-AAAA-AAAA-AAAA");
      }

      const early = await enter(email, code());
      const asking = await openBrowser(server()).signIn(email);
      server().clock.moveBy(1000);

      expect([early.status, asking.status]).toEqual([429, 401]);
      expect((await enter(email, code())).status).toBe(200);
    });

    test("asking for the code any number of times delays no one", async () => {
      const { email, code } = await secured();

      for (let i = 0; i < 5; i++) {
        expect(reasonOf(await openBrowser(server()).signIn(email))).toBe("two_factor_required");
      }

      expect((await enter(email, code())).status).toBe(200);
    });

    test("is turned off with both factors only, which ends the other sessions", async () => {
      const { account, email, browser, code } = await secured();
      const other = openBrowser(server());
      await enter(email, code(), other);
      server().clock.moveBy(STEP_MS);
      const off = (password: string, given: string) =>
        browser.ask("DELETE", "/session/two-factor", { password, code: given });

      const noPassword = await off("something else", code());
      const noCode = await off(PASSWORD, "000");
      const done = await off(PASSWORD, code());

      expect(noPassword.body.error.details.fields).toEqual({ password: ["is not your password"] });
      expect(noCode.body.error.details.fields).toEqual({ code: ["is wrong or was used already"] });
      expect(done.body.data.user.two_factor).toBe(false);
      expect(await stateOf(browser)).toEqual({ is_on: false, recovery_codes_left: 0 });
      expect((await other.get("/links")).status).toBe(401);
      expect((await openBrowser(server()).signIn(account.owner.email)).status).toBe(200);
      expect(reasonOf(await off(PASSWORD, "000"))).toBe("two_factor_off");
    });

    test("gives new recovery codes in the place of the old ones", async () => {
      const { email, browser, codes } = await secured();

      const renewed = await browser.post("/session/recovery-codes", {
        password: PASSWORD,
        code: codes[0],
      });

      const fresh: string[] = renewed.body.data.recovery_codes;
      expect(renewed.status).toBe(201);
      expect(fresh.filter((each) => codes.includes(each))).toEqual([]);
      expect((await enter(email, codes[1]!)).status).toBe(401);
      expect((await enter(email, fresh[0]!)).status).toBe(200);
    });

    test("is asked for by a one-time link too, which stays good until the code is right", async () => {
      const { account, email, code } = await secured();
      const token = await createPasswordLink(server().deps, account.owner);
      const follow = (more: object) =>
        openBrowser(server()).post("/password", { token, password: NEXT_PASSWORD, ...more });

      const asked = await follow({});
      const wrong = await follow({ code: "wrong" });
      const done = await follow({ code: code() });

      expect([reasonOf(asked), reasonOf(wrong)]).toEqual(["two_factor_required", "wrong_code"]);
      expect(done.status).toBe(200);
      expect(done.body.data.user.two_factor).toBe(true);
      const later = await openBrowser(server()).signIn(email, NEXT_PASSWORD);
      expect(reasonOf(later)).toBe("two_factor_required");
    });

    test("is for a viewer as well, and no concern of colleagues", async () => {
      const account = await newOwner(server());
      const viewer = await newColleague(server(), account, "viewer");
      const browser = openBrowser(server());
      await browser.signIn(viewer.email);

      const begun = await browser.post("/session/two-factor", { password: PASSWORD });
      const { secret } = begun.body.data;
      const on = await browser.post("/session/two-factor/confirm", { code: codeOf(secret) });

      expect(on.status).toBe(200);
      expect((await openBrowser(server()).signIn(account.owner.email)).status).toBe(200);
    });

    test("lets a password be as short as eight characters, of which the commonest are refused", async () => {
      const { browser, email, code } = await secured();
      const change = (next: string) =>
        browser.patch("/session/password", { current: PASSWORD, new: next });

      const tooShort = await change("zbqmwdk");
      const common = await change("password");
      const done = await change(SHORT_PASSWORD);

      expect(tooShort.body.error.details.fields.new).toEqual(["must have at least 8 characters"]);
      expect(common.body.error.details.fields.new[0]).toStartWith("is one of the commonest");
      expect(done.status).toBe(200);
      const entered = { email, password: SHORT_PASSWORD, code: code() };
      expect((await openBrowser(server()).post("/session", entered)).status).toBe(200);
    });

    test("is what a short password takes, however it is set", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const token = await createPasswordLink(server().deps, owner);

      const changed = await browser.patch("/session/password", {
        current: PASSWORD,
        new: SHORT_PASSWORD,
      });
      const linked = await openBrowser(server()).post("/password", {
        token,
        password: SHORT_PASSWORD,
      });

      const needed = ["must have at least 15 characters"];
      expect(changed.body.error.details.fields).toEqual({ new: needed });
      expect(linked.body.error.details.fields).toEqual({ password: needed });
    });

    test("is turned off with a short password only by a new one, and no code is used up before", async () => {
      const { browser, email, code } = await secured();
      await browser.patch("/session/password", { current: PASSWORD, new: SHORT_PASSWORD });
      const off = (more: object) =>
        browser.ask("DELETE", "/session/two-factor", {
          password: SHORT_PASSWORD,
          code: code(),
          ...more,
        });

      const without = await off({});
      const weak = await off({ new: "also short" });
      const done = await off({ new: NEXT_PASSWORD });

      expect(without.body.error.details.fields.new[0]).toStartWith("is required, with");
      expect(weak.body.error.details.fields.new).toEqual(["must have at least 15 characters"]);
      expect(done.body.data.user.two_factor).toBe(false);
      expect((await openBrowser(server()).signIn(email, NEXT_PASSWORD)).status).toBe(200);
      expect((await openBrowser(server()).signIn(email, SHORT_PASSWORD)).status).toBe(401);
    });

    test("refuses a short password alone once the operator has removed it", async () => {
      const { browser, email } = await secured();
      await browser.patch("/session/password", { current: PASSWORD, new: SHORT_PASSWORD });
      await removeTwoFactor(server().deps, await requireUser(server().deps, email));

      const refused = await openBrowser(server()).signIn(email, SHORT_PASSWORD);
      const guessed = await openBrowser(server()).signIn(email, "not it");

      expect([refused.status, reasonOf(refused)]).toEqual([409, "password_too_short"]);
      expect(refused.headers.get("set-cookie")).toBeNull();
      expect(guessed.status).toBe(401);
    });

    testOnBoth(
      "of several confirmations at the same moment one counts, and its recovery codes are those that are kept",
      async () => {
        const { owner } = await newOwner(server());
        const browser = openBrowser(server());
        await browser.signIn(owner.email);
        const { secret } = (await browser.post("/session/two-factor", { password: PASSWORD })).body
          .data;
        const cookie = browser.cookie();

        const replies = await Promise.all(
          [1, 2, 3].map(() =>
            openBrowser(server(), cookie).post("/session/two-factor/confirm", {
              code: codeOf(secret),
            }),
          ),
        );

        const [counted, ...rest] = replies.filter(({ status }) => status === 200);
        expect(rest).toEqual([]);
        const [first] = counted!.body.data.recovery_codes;
        expect((await enter(owner.email, first)).status).toBe(200);
      },
    );

    test("is turned on in one transaction, so that no one is left with codes that were never shown", async () => {
      const { account, owner } = await newOwner(server());
      const { deps } = server();
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const begun = await browser.post("/session/two-factor", { password: PASSWORD });
      const user = await requireUser(deps, owner.email);
      const session = { ...SESSION, user, caller: await operatorOf(deps, account.id) };
      // The code is counted as a guess before, and cleared once it was right.
      let transactions = -2;
      const once: Store["transaction"] = (work) => {
        if (++transactions > 1) throw new Error("cut short");
        return deps.store.transaction(work);
      };
      const store: Store = Object.create(deps.store, { transaction: { value: once } });
      const passwords = createPasswords(PASSWORD_MEMORY_MB);
      const guarded = { ...deps, store, passwords };
      const visitor = {
        userAgent: null,
        sessionHash: undefined,
        address: () => "127.0.0.1",
        networks: [],
      };

      const on = await confirmTwoFactor(guarded, session, codeOf(begun.body.data.secret), visitor);

      expect(on.codes).toHaveLength(10);
      expect((await browser.get("/links")).status).toBe(401);
    });

    test("is removed by the operator, which ends all sessions", async () => {
      const { email, browser } = await secured();

      await removeTwoFactor(server().deps, await requireUser(server().deps, email));

      expect((await browser.get("/links")).status).toBe(401);
      expect((await openBrowser(server()).signIn(email)).status).toBe(200);
    });

    test("says what to do where the key file was lost, and still takes recovery codes", async () => {
      const { account, email, browser, code, codes } = await secured();
      const { store } = server().deps;
      const totpSecret = createSecretBox(randomBytes(32)).seal("JBSWY3DPEHPK3PXP");
      await store.update(users).set({ totpSecret }).where(eq(users.id, account.owner.id));
      const token = await createPasswordLink(server().deps, account.owner);

      const both = { password: PASSWORD, code: code() };
      const refused = [
        await enter(email, code()),
        await openBrowser(server()).post("/password", { token, ...both }),
        await browser.ask("DELETE", "/session/two-factor", both),
        await browser.post("/session/recovery-codes", both),
      ];

      for (const reply of refused) {
        expect([reply.status, reasonOf(reply)]).toEqual([409, "key_lost"]);
        expect(reply.body.error.message).toContain("Use a recovery code");
        expect(reply.headers.get("set-cookie")).toBeNull();
      }
      expect((await enter(email, codes[0]!)).status).toBe(200);
      const off = { password: PASSWORD, code: codes[1] };
      expect((await browser.ask("DELETE", "/session/two-factor", off)).status).toBe(200);
    });

    test("a secret that was not confirmed before the key file was lost is begun again", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const totpPending = createSecretBox(randomBytes(32)).seal("JBSWY3DPEHPK3PXP");
      await server().deps.store.update(users).set({ totpPending }).where(eq(users.id, owner.id));

      const refused = await browser.post("/session/two-factor/confirm", { code: "123456" });

      expect([refused.status, reasonOf(refused)]).toEqual([409, "nothing_to_confirm"]);
    });

    test("stays on, and starts no session, when the password is changed while it is turned off", async () => {
      const { account, code } = await secured();
      const { deps } = server();
      const { store } = deps;
      const isOwner = eq(users.id, account.owner.id);
      const [user] = await store.select().from(users).where(isOwner);
      const before = await store.$count(sessions, eq(sessions.userId, user!.id));
      const real = createPasswords(PASSWORD_MEMORY_MB);
      const verify: Passwords["verify"] = async (password, hash) => {
        const isRight = await real.verify(password, hash);
        await store.update(users).set({ passwordHash: "changed meanwhile" }).where(isOwner);
        return isRight;
      };
      const passwords = { ...real, verify };
      const caller = await operatorOf(deps, account.account.id);
      const guarded = { ...deps, passwords };

      const late = endTwoFactor(
        guarded,
        { ...SESSION, user: user!, caller },
        { password: PASSWORD, code: code(), next: undefined },
        { userAgent: null, sessionHash: undefined, address: () => "127.0.0.1", networks: [] },
      );

      await expect(late).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
      const [after] = await store.select().from(users).where(isOwner);
      const { totpSecret } = user!;
      expect(after).toMatchObject({ passwordHash: "changed meanwhile", totpSecret });
      expect(await store.$count(sessions, eq(sessions.userId, user!.id))).toBe(before);
      expect(await deps.store.$count(recoveryCodes, eq(recoveryCodes.userId, user!.id))).toBe(10);
    });

    test("keeps its secret sealed and its recovery codes hashed", async () => {
      const { account, secret, codes } = await secured();
      const { store } = server().deps;

      const rows = [
        await store.select().from(users).where(eq(users.id, account.owner.id)),
        await store.select().from(recoveryCodes).where(eq(recoveryCodes.userId, account.owner.id)),
      ];

      const kept = JSON.stringify(rows);
      expect(rows[1]).toHaveLength(10);
      for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))]) {
        expect(kept).not.toContain(text);
      }
    });
  },
  BEHIND_PROXY,
);
