import { expect } from "bun:test";
import { and, eq, ne } from "drizzle-orm";
import { onServer, type Parsed, type Reply } from "../../tests/harness.ts";
import { enter, makeAdministrator, newTeam } from "../../tests/people/people.ts";
import {
  BEHIND_PROXY,
  type Browser,
  newColleague,
  openBrowser,
  SESSION,
} from "../../tests/session/browser.ts";
import type { Store } from "../ground/db/store.ts";
import { audit, users } from "../ground/db/tables.ts";
import { removePerson, resetPerson } from "./people.ts";
import { operatorOf } from "./users.ts";

onServer(
  "the people of an account",
  (server, { test, testOnBoth }) => {
    const refusalOf = (reply: Reply) => [reply.status, reply.body.error.details?.reason];
    const roleOf = async (id: string) =>
      (await server().deps.store.select().from(users).where(eq(users.id, id)))[0]?.role;
    const recorded = (accountId: string) =>
      server()
        .deps.store.select()
        .from(audit)
        .where(and(eq(audit.accountId, accountId), ne(audit.action, "account.created")))
        .orderBy(audit.id);

    test("are seen by all of them, and by no one else", async () => {
      const { owner, editor, viewer, browsers } = await newTeam(server());
      await newTeam(server());

      const lists = await Promise.all(
        Object.values(browsers).map(async (browser) => (await browser.get("/people")).body.data),
      );

      for (const { items } of lists) {
        expect(items.map(({ email }: Parsed) => email).sort()).toEqual(
          [owner.email, editor.email, viewer.email].sort(),
        );
        expect(items.filter(({ is_you }: Parsed) => is_you)).toHaveLength(1);
        expect(JSON.stringify(items)).not.toContain("argon2");
      }
    });

    test("grow by an invitation, whose link sets a password once", async () => {
      const { account, browsers } = await newTeam(server());
      const email = `new-${crypto.randomUUID()}@example.org`;

      const invited = await browsers.owner.post("/people", { email, role: "editor" });

      const { token } = invited.body.data;
      const stranger = openBrowser(server());
      const first = await stranger.post("/password", { token, password: "a few plain words" });
      const again = await openBrowser(server()).post("/password", {
        token,
        password: "x".repeat(20),
      });
      expect([invited.status, first.status, again.status]).toEqual([201, 200, 404]);
      expect(first.body.data.user).toMatchObject({ email, role: "editor", is_admin: false });
      expect((await stranger.get("/account")).body.data.id).toBe(account.id);
    });

    test("are invited by a name that is free, and with a role that there is", async () => {
      const { editor, browsers } = await newTeam(server());

      const taken = await browsers.owner.post("/people", { email: editor.email, role: "viewer" });
      const wrong = await browsers.owner.post("/people", { email: "not-an-email", role: "king" });

      expect(refusalOf(taken)).toEqual([409, "duplicate_email"]);
      expect(Object.keys(wrong.body.error.details.fields)).toEqual(["email", "role"]);
    });

    test("are invited alike when the address has an account elsewhere, but the link does not work", async () => {
      const [{ owner, browsers }, other] = [await newTeam(server()), await newTeam(server())];
      const { email } = other.editor;
      const fresh = `new-${crypto.randomUUID()}@example.org`;
      const invite = (address: string) =>
        browsers.owner.post("/people", { email: address, role: "viewer" });

      const [free, taken] = [await invite(fresh), await invite(email)];

      expect(taken.status).toBe(201);
      expect({ ...taken.body.data, token: "" }).toEqual({ email, token: "", mailed: false });
      expect(taken.body.data.token).toHaveLength(free.body.data.token.length);
      expect(refusalOf(await invite(email))).toEqual([409, "duplicate_email"]);
      const { items } = (await browsers.owner.get("/people")).body.data;
      const listed = [fresh, email].map((name) =>
        items.find((person: Parsed) => person.email === name),
      );
      const shown = listed.map(({ id: _, ...rest }: Parsed) => rest);
      expect(shown[1]).toEqual({ ...shown[0], email });
      const link = (await browsers.owner.post(`/people/${listed[1].id}/password-link`)).body.data;
      expect(link.email).toBe(email);
      for (const { token } of [taken.body.data, link]) {
        const followed = await openBrowser(server()).post("/password", {
          token,
          password: "x".repeat(20),
        });
        expect(followed.status).toBe(404);
      }
      expect((await openBrowser(server()).signIn(email)).body.data.user.role).toBe("editor");
      const change = await browsers.owner.patch(`/people/${listed[1].id}`, { role: "editor" });
      expect(change.body.data).toMatchObject({ email, role: "editor" });
      expect((await browsers.owner.delete(`/people/${listed[1].id}`)).status).toBe(204);
      const names = (await recorded(owner.accountId)).map(({ targetName }) => targetName);
      expect([...new Set(names)].sort()).toEqual([email, fresh].sort());
    });

    testOnBoth("are invited once when two accounts invite the same address at once", async () => {
      const [one, other] = [await newTeam(server()), await newTeam(server())];
      const person = { email: `both-${crypto.randomUUID()}@example.org`, role: "viewer" };

      const replies = await Promise.all(
        [one, one, other, other].map(({ browsers }) => browsers.owner.post("/people", person)),
      );

      const statuses = replies.map(({ status }) => status);
      expect(statuses.slice(0, 2).sort()).toEqual([201, 409]);
      expect(statuses.slice(2).sort()).toEqual([201, 409]);
      const { store } = server().deps;
      expect(await store.$count(users, eq(users.email, person.email))).toBe(1);
    });

    test("are invited ten a minute and fifty an hour at most", async () => {
      const { browsers } = await newTeam(server());
      const invite = () =>
        browsers.owner.post("/people", {
          email: `${crypto.randomUUID()}@example.org`,
          role: "viewer",
        });
      for (let minute = 0; minute < 5; minute++) {
        for (let i = 0; i < 10; i++) expect((await invite()).status).toBe(201);
        const { status, body } = await invite();
        expect([status, body.error.code]).toEqual([429, "RATE_LIMITED"]);
        server().clock.moveBy(60_000);
      }

      expect((await invite()).status).toBe(429);
      server().clock.moveBy(3_600_000);
      expect((await invite()).status).toBe(201);
    });

    testOnBoth("go with the API keys that they know, if that is asked for", async () => {
      const { owner, editor, account, browsers } = await newTeam(server());
      const make = async (browser: Browser) =>
        (await browser.post("/keys", { name: "k" })).body.data as { id: string; key: string };
      const [theirs, passedOn, mine] = [
        await make(browsers.editor),
        await make(browsers.editor),
        await make(browsers.owner),
      ];
      const ask = (key: string) => server().asker(key);
      const child = (await ask(theirs.key).post("/api/v1/keys", { name: "child" })).body.data;
      const rotated = (await browsers.owner.post(`/keys/${passedOn.id}/rotate`)).body.data;
      const { items } = (await browsers.owner.get("/people")).body.data;
      const made = (id: string) => items.find((each: Parsed) => each.id === id).keys_made;

      expect([made(editor.id), made(owner.id)]).toEqual([2, 2]);
      await browsers.owner.delete(`/people/${editor.id}?revoke_keys=true`);

      const codeOf = async (key: string) =>
        (await ask(key).get("/api/v1/account")).body.error?.code ?? "works";
      expect(await Promise.all([theirs.key, child.key, rotated.key, mine.key].map(codeOf))).toEqual(
        ["REVOKED_API_KEY", "REVOKED_API_KEY", "works", "works"],
      );
      const revoked = (await recorded(account.id)).filter(({ action }) => action === "key.revoked");
      expect(revoked.map(({ targetId }) => targetId).sort()).toEqual([theirs.id, child.id].sort());
    });

    test("go and leave their API keys where nothing is said of them", async () => {
      const { editor, browsers } = await newTeam(server());
      const { key } = (await browsers.editor.post("/keys", { name: "k" })).body.data;

      const wrong = await browsers.owner.delete(`/people/${editor.id}?revoke_keys=yes`);
      await browsers.owner.delete(`/people/${editor.id}`);

      expect(wrong.status).toBe(400);
      expect((await server().asker(key).get("/api/v1/account")).status).toBe(200);
    });

    test("are a hundred at most", async () => {
      const team = await newTeam(server());
      for (let i = 0; i < 97; i++) await newColleague(server(), team, "viewer");

      const one = { email: `late-${crypto.randomUUID()}@example.org`, role: "viewer" };

      expect(refusalOf(await team.browsers.owner.post("/people", one))).toEqual([
        409,
        "limit_reached",
      ]);
    });

    test("get another role at once, in the sessions that they have", async () => {
      const { viewer, browsers } = await newTeam(server());
      const link = { url: "https://example.org/" };
      expect((await browsers.viewer.post("/links", link)).status).toBe(403);

      const changed = await browsers.owner.patch(`/people/${viewer.id}`, { role: "editor" });

      expect(changed.body.data).toMatchObject({ id: viewer.id, role: "editor" });
      expect((await browsers.viewer.post("/links", link)).status).toBe(201);
    });

    test("go with their sessions and links for a password, and what they made stays", async () => {
      const { editor, browsers } = await newTeam(server());
      await browsers.editor.post("/links", { url: "https://example.org/theirs" });
      const link = await browsers.owner.post(`/people/${editor.id}/password-link`);

      const removed = await browsers.owner.delete(`/people/${editor.id}`);

      const { token } = link.body.data;
      const late = await openBrowser(server()).post("/password", {
        token,
        password: "x".repeat(20),
      });
      expect([removed.status, late.status]).toEqual([204, 404]);
      expect((await browsers.editor.get("/links")).status).toBe(401);
      expect((await browsers.owner.get("/links")).body.data.pagination.total).toBe(1);
      expect((await browsers.owner.delete(`/people/${editor.id}`)).status).toBe(404);
    });

    test("keep an owner, who cannot be demoted, removed or leave", async () => {
      const { owner, browsers } = await newTeam(server());

      const demoted = await browsers.owner.patch(`/people/${owner.id}`, { role: "editor" });
      const removed = await browsers.owner.delete(`/people/${owner.id}`);

      expect([refusalOf(demoted), refusalOf(removed)]).toEqual([
        [409, "last_owner"],
        [409, "own_rights"],
      ]);
      expect(await roleOf(owner.id)).toBe("owner");
    });

    testOnBoth("keep an owner also when two demote or remove each other at once", async () => {
      for (const method of ["PATCH", "DELETE"]) {
        const team = await newTeam(server());
        const other = await newColleague(server(), team, "owner");
        const theirs = await enter(server(), other.id);
        const body = method === "PATCH" ? { role: "viewer" } : undefined;

        const replies = await Promise.all([
          team.browsers.owner.ask(method, `/people/${other.id}`, body),
          theirs.ask(method, `/people/${team.owner.id}`, body),
        ]);

        expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
        const roles = [await roleOf(team.owner.id), await roleOf(other.id)];
        expect(roles.filter((role) => role === "owner")).toHaveLength(1);
        const entries = await recorded(team.account.id);
        expect(entries).toHaveLength(1);
      }
    });

    test("are invisible to other accounts", async () => {
      const [one, other] = [await newTeam(server()), await newTeam(server())];
      const path = `/people/${other.viewer.id}`;

      const replies = [
        await one.browsers.owner.patch(path, { role: "owner" }),
        await one.browsers.owner.delete(path),
        await one.browsers.owner.post(`${path}/password-link`),
        await one.browsers.owner.delete("/people/nonsense"),
      ];

      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect(await roleOf(other.viewer.id)).toBe("viewer");
      expect((await other.browsers.viewer.get("/links")).status).toBe(200);
    });

    test("who run the installation cannot be taken over or removed by an owner who does not", async () => {
      const { owner, editor, browsers } = await newTeam(server());
      await makeAdministrator(server(), editor.id);

      const link = await browsers.owner.post(`/people/${editor.id}/password-link`);
      const removed = await browsers.owner.delete(`/people/${editor.id}`);
      const demoted = await browsers.owner.patch(`/people/${editor.id}`, { role: "viewer" });

      expect([link.status, removed.status, demoted.status]).toEqual([403, 403, 403]);
      expect(await roleOf(editor.id)).toBe("editor");
      expect(link.body.error.message).toContain("is an administrator of the installation");
      expect((await browsers.editor.get("/admin/state")).status).toBe(200);
      await makeAdministrator(server(), owner.id);
      expect((await browsers.owner.post(`/people/${editor.id}/password-link`)).status).toBe(200);
    });

    test("a link that an owner has made is void once its user is an administrator", async () => {
      const administrator = await newTeam(server());
      await makeAdministrator(server(), administrator.owner.id);
      const { viewer, browsers } = await newTeam(server());
      const { token } = (await browsers.owner.post(`/people/${viewer.id}/password-link`)).body.data;

      const path = `/admin/users/${viewer.id}`;
      await administrator.browsers.owner.patch(path, { is_admin: true });

      const taken = await openBrowser(server()).post("/password", {
        token,
        password: "x".repeat(20),
      });
      expect(taken.status).toBe(404);
    });

    test("each change of them is recorded once, with who did it and what, and no refusal is", async () => {
      const { account, owner, viewer, browsers } = await newTeam(server());
      const email = `new-${crypto.randomUUID()}@example.org`;

      await browsers.owner.post("/people", { email, role: "viewer" });
      await browsers.owner.post("/people", { email, role: "viewer" });
      await browsers.owner.patch(`/people/${viewer.id}`, { role: "editor" });
      await browsers.owner.patch(`/people/${viewer.id}`, { role: "editor" });
      await browsers.owner.patch(`/people/${owner.id}`, { role: "editor" });
      await browsers.owner.post(`/people/${viewer.id}/password-link`);
      await browsers.owner.delete(`/people/${viewer.id}`);

      const entries = await recorded(account.id);
      expect(
        entries
          .map(({ action, targetName, fields }) => [action, targetName, JSON.parse(fields)])
          .sort(),
      ).toEqual([
        ["person.changed", viewer.email, ["role"]],
        ["person.invited", email, []],
        ["person.password_link_made", viewer.email, []],
        ["person.removed", viewer.email, []],
      ]);
      expect(entries.every((entry) => entry.actorName === owner.email)).toBe(true);
    });

    testOnBoth(
      "an owner who was demoted this moment ends no sessions and no link of anybody",
      async () => {
        const { account, owner, editor, browsers } = await newTeam(server());
        const { deps } = server();
        const { token } = (await browsers.owner.post(`/people/${editor.id}/password-link`)).body
          .data;
        const theirs = await enter(server(), editor.id);
        const session = { ...SESSION, user: owner, caller: await operatorOf(deps, account.id) };
        await deps.store.update(users).set({ role: "viewer" }).where(eq(users.id, owner.id));

        const late = resetPerson(deps, { session, as: "owner" }, editor.id);

        await expect(late).rejects.toThrow("no longer an owner");
        expect((await theirs.get("/links")).status).toBe(200);
        const followed = await openBrowser(server()).post("/password", {
          token,
          password: "x".repeat(20),
        });
        expect(followed.status).toBe(200);
      },
    );

    testOnBoth(
      "an owner sees why a co-owner who was just made an administrator stays",
      async () => {
        const team = await newTeam(server());
        const { deps } = server();
        const other = await newColleague(server(), team, "owner");
        const caller = await operatorOf(deps, team.account.id);
        const session = { ...SESSION, user: team.owner, caller };
        const transaction: Store["transaction"] = async (work) => {
          await makeAdministrator(server(), other.id);
          return deps.store.transaction(work);
        };
        const store: Store = Object.create(deps.store, { transaction: { value: transaction } });

        const late = removePerson({ ...deps, store }, { session, as: "owner" }, other.id);

        await expect(late).rejects.toThrow("is an administrator of the installation");
        expect(await roleOf(other.id)).toBe("owner");
      },
    );

    testOnBoth("an owner who was just demoted can change no one", async () => {
      const team = await newTeam(server());
      const other = await newColleague(server(), team, "owner");
      const theirs = await enter(server(), other.id);

      const [, late] = await Promise.all([
        team.browsers.owner.patch(`/people/${other.id}`, { role: "viewer" }),
        theirs.delete(`/people/${team.editor.id}`),
      ]);

      const isThere = (await roleOf(team.editor.id)) !== undefined;
      expect(isThere).toBe(late.status === 403);
    });
  },
  BEHIND_PROXY,
);
