import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { onServer, type Reply } from "../../tests/harness.ts";
import { enter, makeAdministrator, newTeam } from "../../tests/people/people.ts";
import { BEHIND_PROXY, type Browser, openBrowser, PASSWORD } from "../../tests/session/browser.ts";
import { accounts, audit, users } from "../ground/db/tables.ts";

const STEP_MS = 30_000;

onServer(
  "deleting one's own account",
  (server, { test, testOnBoth }) => {
    const drop = (browser: Browser, body: object) => browser.ask("DELETE", "/account", body);
    const fieldsOf = ({ body }: Reply) => body.error.details.fields;
    const isThere = async (id: string) =>
      (await server().deps.store.select().from(accounts).where(eq(accounts.id, id))).length === 1;
    const demoteOtherAdministrators = () =>
      server().deps.store.update(users).set({ isAdmin: false });

    test("takes everything and everybody with it, and leaves a record", async () => {
      const { account, owner, viewer, browsers } = await newTeam(server());
      await browsers.owner.post("/links", { url: "https://example.org/" });

      const gone = await drop(browsers.owner, { email: account.email, password: PASSWORD });

      expect(gone.status).toBe(204);
      expect(gone.headers.get("set-cookie")).toContain("Max-Age=0");
      expect(await isThere(account.id)).toBe(false);
      expect((await browsers.editor.get("/links")).status).toBe(401);
      expect((await openBrowser(server()).signIn(viewer.email)).status).toBe(401);
      const entries = await server()
        .deps.store.select()
        .from(audit)
        .where(eq(audit.accountId, account.id));
      const last = entries.filter(({ action }) => action === "account.deleted");
      expect(last).toMatchObject([{ actorName: owner.email, targetName: account.email }]);
    });

    test("needs the account's e-mail and the owner's password", async () => {
      const { account, browsers } = await newTeam(server());

      const bare = await drop(browsers.owner, {});
      const other = await drop(browsers.owner, { email: "x@example.org", password: PASSWORD });
      const guess = await drop(browsers.owner, { email: account.email, password: "not it" });

      expect(Object.keys(fieldsOf(bare))).toEqual(["email", "password"]);
      expect(fieldsOf(other)).toEqual({
        email: [`must be the account's e-mail, ${account.email}`],
      });
      expect(fieldsOf(guess)).toEqual({ password: ["is not your password"] });
      expect(await isThere(account.id)).toBe(true);
    });

    test("makes guessing slow, and leaves signing in elsewhere alone", async () => {
      const { account, owner, browsers } = await newTeam(server());
      for (let i = 0; i < 3; i++) {
        await drop(browsers.owner, { email: account.email, password: "not it" });
      }

      const early = await drop(browsers.owner, { email: account.email, password: PASSWORD });
      const signing = await openBrowser(server()).signIn(owner.email);

      expect([early.status, signing.status]).toEqual([429, 200]);
    });

    test("needs a code as well where there is a second factor", async () => {
      const { account, browsers } = await newTeam(server());
      const { secret } = (await browsers.owner.post("/session/two-factor", { password: PASSWORD }))
        .body.data;
      const code = () =>
        TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: server().clock.now() });
      await browsers.owner.post("/session/two-factor/confirm", { code: code() });
      server().clock.moveBy(STEP_MS);
      const mine = { email: account.email, password: PASSWORD };

      const without = await drop(browsers.owner, mine);
      const wrong = await drop(browsers.owner, { ...mine, code: "000" });
      const right = await drop(browsers.owner, { ...mine, code: code() });

      expect(fieldsOf(without)).toEqual({ code: ["is required"] });
      expect(fieldsOf(wrong)).toEqual({ code: ["is wrong or was used already"] });
      expect([right.status, await isThere(account.id)]).toEqual([204, false]);
    });

    test("is not for an owner while an administrator of the installation is in the account", async () => {
      const { account, viewer, browsers } = await newTeam(server());
      const elsewhere = await newTeam(server());
      for (const { id } of [viewer, elsewhere.owner]) await makeAdministrator(server(), id);

      const refused = await drop(browsers.owner, { email: account.email, password: PASSWORD });

      expect(refused.body.error.code).toBe("FORBIDDEN");
      expect(refused.body.error.message).toContain("Ask an administrator to delete it.");
      expect(await isThere(account.id)).toBe(true);
    });

    test("is not allowed for the only administrator of the installation", async () => {
      await demoteOtherAdministrators();
      const { account, owner, browsers } = await newTeam(server());
      await makeAdministrator(server(), owner.id);
      const mine = { email: account.email, password: PASSWORD };

      const refused = await drop(browsers.owner, mine);
      const other = await newTeam(server());
      await makeAdministrator(server(), other.editor.id);
      const allowed = await drop(browsers.owner, mine);

      expect([refused.status, refused.body.error.details.reason]).toEqual([
        409,
        "last_administrator",
      ]);
      expect(allowed.status).toBe(204);
    });

    testOnBoth("of two who alone run the installation and go at once one stays", async () => {
      await demoteOtherAdministrators();
      const teams = [await newTeam(server()), await newTeam(server())];
      for (const { owner } of teams) await makeAdministrator(server(), owner.id);

      const replies = await Promise.all(
        teams.map(({ account, browsers }) =>
          drop(browsers.owner, { email: account.email, password: PASSWORD }),
        ),
      );

      expect(replies.map(({ status }) => status).sort()).toEqual([204, 409]);
    });

    testOnBoth(
      "of two administrators who delete each other's account at once one stays",
      async () => {
        const [one, other] = [await newTeam(server()), await newTeam(server())];
        for (const { owner } of [one, other]) await makeAdministrator(server(), owner.id);
        const witness = await enter(server(), one.owner.id);

        const replies = await Promise.all([
          witness.delete(`/admin/accounts/${other.account.id}`),
          other.browsers.owner.delete(`/admin/accounts/${one.account.id}`),
        ]);

        const left = [await isThere(one.account.id), await isThere(other.account.id)];
        expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
        expect(left.filter((each) => each)).toHaveLength(1);
      },
    );
  },
  BEHIND_PROXY,
);
