import { beforeAll, expect } from "bun:test";
import { and, desc, eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { onServer } from "../../tests/harness.ts";
import { sendAll } from "../../tests/mail/recipients.ts";
import { makeAdministrator, newTeam } from "../../tests/people/people.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { type Browser, newOwner, openBrowser, PASSWORD } from "../../tests/session/browser.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { CONTENTS } from "../accounts/mail-contents.ts";
import { audit, mailAddresses, mails, users } from "../ground/db/tables.ts";
import { deleteOldMails, queueMail } from "./queue.ts";
import { limitWaits, sendDue } from "./send.ts";

/** What happens while a message is taken. */
let meanwhile = async () => {};
const host = await startMailHost({
  onRcptTo: (_address, _session, callback) => void meanwhile().then(() => callback()),
});
const NEXT = "another one, quite as long";
const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

const lettersTo = (address: string) =>
  host.letters.filter(({ recipients }) => recipients.includes(address));

const tokenIn = (address: string) => /#token=([\w-]+)/.exec(lettersTo(address).at(-1)!.text!)?.[1];

onServer(
  "mail to people",
  (server, { test, testOnBoth }) => {
    beforeAll(() => void host.letters.splice(0));

    test("invites someone with a link that the inviter never sees", async () => {
      const { browsers } = await newTeam(server());

      const invited = await browsers.owner.post("/people", {
        email: "new@example.org",
        role: "editor",
      });
      expect(invited.body.data).toEqual({ email: "new@example.org", token: null, mailed: true });
      await sendAll(server().deps);
      const token = tokenIn("new@example.org");
      server().clock.moveBy(6 * DAY);
      const joined = await openBrowser(server()).post("/password", { token, password: NEXT });

      expect(joined.status).toBe(200);
      const { store } = server().deps;
      const [user] = await store.select().from(users).where(eq(users.email, "new@example.org"));
      expect(user!.emailVerifiedAt).toBe(server().clock.now());
      expect(JSON.stringify(await store.select().from(mails))).not.toContain(token!);
    });

    test("is replaced by a link where the inviter wants that, which the log shows", async () => {
      const { browsers, account } = await newTeam(server());

      const invited = await browsers.owner.post("/people?deliver=link", {
        email: "by-hand@example.org",
        role: "viewer",
      });

      expect(invited.body.data).toMatchObject({ token: expect.any(String), mailed: false });
      const entries = await server()
        .deps.store.select({ action: audit.action })
        .from(audit)
        .where(eq(audit.accountId, account.id))
        .orderBy(desc(audit.id))
        .limit(2);
      expect(entries.map(({ action }) => action)).toContain("person.password_link_made");
    });

    testOnBoth("makes no one wait longer because the clock was set back", async () => {
      const { browsers } = await newTeam(server());
      await browsers.owner.post("/people", { email: "ahead@example.org", role: "editor" });
      const { deps, clock } = server();
      const now = clock.now();
      const isIt = eq(mails.address, "ahead@example.org");
      const waits = async (columns: Partial<typeof mails.$inferInsert>, ms: number) => {
        await deps.store
          .update(mails)
          .set({ ...columns, dueAt: now + ms })
          .where(isIt);
        await limitWaits(deps);
        const [row] = await deps.store.select().from(mails).where(isIt);
        return row!.dueAt! - now;
      };

      expect(await waits({ attempts: 0, lease: null }, HOUR)).toBe(0);
      expect(await waits({ attempts: 5, lease: null }, 5 * HOUR)).toBe(5 * HOUR);
      expect(await waits({ attempts: 5, lease: null }, DAY)).toBe(0);
      expect(await waits({ attempts: 1, lease: "a lease" }, DAY)).toBe(MINUTE);
      expect(await waits({ attempts: 0, lease: null, kind: "host" }, DAY)).toBe(DAY);
      await deps.store.delete(mails).where(isIt);
    });

    test("repeats an invitation whose sending failed, with a link that replaces the first", async () => {
      const { browsers } = await newTeam(server());
      await browsers.owner.post("/people", { email: "slow@example.org", role: "editor" });
      host.answers({ data: "451 4.3.0 Later" });
      await sendAll(server().deps);
      const first = tokenIn("slow@example.org");
      host.answers({});
      server().clock.moveBy(60_000);
      await sendAll(server().deps);
      const second = tokenIn("slow@example.org");

      const [a, b] = lettersTo("slow@example.org");
      expect(a!.messageId).toBe(b!.messageId);
      const follow = (token: string | undefined) =>
        openBrowser(server()).post("/password", { token, password: NEXT });
      expect((await follow(first)).status).toBe(404);
      expect((await follow(second)).status).toBe(200);
    });

    testOnBoth("tells no one apart who has forgotten a password", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());

      const known = await browser.post("/password-mail", {
        email: ` ${owner.email.toUpperCase()}`,
      });
      const unknown = await browser.post("/password-mail", { email: "none@example.org" });
      await sendAll(server().deps);

      expect([known.status, unknown.status]).toEqual([202, 202]);
      expect(known.body).toEqual(unknown.body);
      expect(lettersTo("none@example.org")).toEqual([]);
      const set = { token: tokenIn(owner.email), password: NEXT };
      expect((await openBrowser(server()).post("/password", set)).status).toBe(200);
      const left = await server().deps.store.$count(mails, eq(mails.status, "dropped"));
      expect(left).toBe(1);
    });

    test("is sent three times an hour to one address at most", async () => {
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) {
        const { status } = await openBrowser(server()).post("/password-mail", {
          email: "often@example.org",
        });
        statuses.push(status);
      }
      expect(statuses).toEqual([202, 202, 202, 429]);
    });

    testOnBoth(
      "is tested thirty times an hour at most by an administrator, to their own address",
      async () => {
        const [{ browsers, owner }, other] = [await newTeam(server()), await newTeam(server())];
        for (const each of [owner, other.owner]) await makeAdministrator(server(), each.id);
        const tried = async (browser: Browser) => (await browser.post("/admin/mail/test")).status;

        const statuses = [];
        for (let n = 0; n < 31; n++) statuses.push(await tried(browsers.owner));

        expect(statuses).toEqual([...Array(30).fill(200), 429]);
        expect(lettersTo(owner.email)).toHaveLength(30);
        expect(await tried(other.browsers.owner)).toBe(200);
        server().clock.moveBy(HOUR);
        expect(await tried(browsers.owner)).toBe(200);
      },
    );

    test("is one message however often an owner asks while it waits, and ten a day to an address", async () => {
      const { browsers } = await newTeam(server());
      const { store } = server().deps;
      const address = "stranger@example.org";
      const invited = await browsers.owner.post("/people", { email: address, role: "viewer" });
      const people = (await browsers.owner.get("/people")).body.data.items;
      const { id } = people.find(({ email }: { email: string }) => email === address);
      const again = async () => (await browsers.owner.post(`/people/${id}/password-link`)).status;

      const asked = await Promise.all(Array.from({ length: 20 }, again));
      await sendAll(server().deps);
      expect([invited.status, ...new Set(asked)]).toEqual([201, 200]);
      expect(lettersTo(address)).toHaveLength(1);

      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) {
        statuses.push(await again());
        await sendAll(server().deps);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 429]);
      expect(lettersTo(address)).toHaveLength(5);
      expect(await store.$count(mails, eq(mails.address, address))).toBe(5);
    });

    testOnBoth("counts toward its limits what others queue at the same time", async () => {
      const { deps } = server();
      const accounts = await Promise.all(Array.from({ length: 5 }, () => newOwner(server())));
      const address = "flooded@example.org";
      const ask = (accountId: string) =>
        deps.store.transaction((tx) =>
          queueMail(
            { ...deps, store: tx },
            {
              kind: "confirm",
              accountId,
              userId: null,
              address,
              data: { webhookId: crypto.randomUUID(), name: null, by: "Eve" },
            },
          ),
        );

      const asked = accounts.flatMap(({ owner }) =>
        Array.from({ length: 10 }, () => ask(owner.accountId)),
      );
      const problems = (await Promise.allSettled(asked)).filter(
        ({ status }) => status === "rejected",
      );

      expect(await deps.store.$count(mails, eq(mails.address, address))).toBe(3);
      expect(problems).toHaveLength(20);
    });

    test("has a way to refuse for strangers, which is kept for the address", async () => {
      const { browsers } = await newTeam(server());
      const invite = (email: string) => browsers.owner.post("/people", { email, role: "viewer" });
      await invite("nina@example.org");
      await sendAll(server().deps);
      const [letter] = lettersTo("nina@example.org");
      const path = /http:\/\/links.example.org(\/mail\/unsubscribe\/\S+)/.exec(letter!.text!)![1]!;
      expect(letter!.text).toContain("Refuse all mail of this account: http");

      const stranger = openBrowser(server());
      expect((await stranger.get(path)).body.data.state).toBe("account");
      const refused = await stranger.post(path, { to: "refuse" });
      expect(refused.body.data.state).toBe("refused");
      const people = (await browsers.owner.get("/people")).body.data.items;
      const { id } = people.find(({ email }: { email: string }) => email === "nina@example.org");
      const link = await browsers.owner.post(`/people/${id}/password-link`);
      const removed = await browsers.owner.delete(`/people/${id}`);
      const again = await invite("nina@example.org");
      await stranger.post("/password-mail", { email: "nina@example.org" });
      await sendAll(server().deps);

      expect(removed.status).toBe(204);
      for (const { status, body } of [link, again])
        expect([status, body.error.details.reason]).toEqual([409, "recipient_refused"]);
      expect(lettersTo("nina@example.org")).toHaveLength(1);

      expect((await stranger.post(path, { to: "subscribe" })).body.data.state).toBe("account");
      expect((await invite("nina@example.org")).status).toBe(201);
    });

    test("goes round accounts, so that one with many messages does not delay the others", async () => {
      const { browsers } = await newTeam(server());
      const { browsers: others } = await newTeam(server());
      for (let n = 0; n < 30; n++) {
        // An account invites ten people a minute.
        if (n % 10 === 0) server().clock.moveBy(MINUTE);
        const email = `many${n}@example.org`;
        expect((await browsers.owner.post("/people", { email, role: "viewer" })).status).toBe(201);
      }
      server().clock.moveBy(1000);
      await others.owner.post("/people", { email: "late@example.org", role: "viewer" });

      await sendDue(server().deps, CONTENTS);

      expect(lettersTo("late@example.org")).toHaveLength(1);
      await sendAll(server().deps);
      expect(lettersTo("many29@example.org")).toHaveLength(1);
    });

    testOnBoth(
      "reports a new password, and a change of the second factor, to its owner",
      async () => {
        const { owner, browsers } = await newTeam(server());
        await browsers.owner.patch("/session/password", { current: PASSWORD, new: NEXT });
        await sendAll(server().deps);

        expect(lettersTo(owner.email).map(({ subject }) => subject)).toEqual([
          "Your password was changed on links.example.org",
        ]);
      },
    );

    test("says that an address belongs to another account, to its owner only", async () => {
      const { browsers } = await newTeam(server());
      const { owner: other } = await newOwner(server());

      const invited = await browsers.owner.post("/people", { email: other.email, role: "editor" });
      await sendAll(server().deps);

      expect(invited.body.data).toEqual({ email: other.email, token: null, mailed: true });
      expect(lettersTo(other.email).at(-1)!.text).toContain(
        "one address can be in one account only",
      );
      expect(tokenIn(other.email)).toBeUndefined();
    });

    testOnBoth("waits for a mail server that does not work", async () => {
      const { browsers } = await newTeam(server());
      host.answers({ mail: "421 4.3.2 Shutting down" });
      await browsers.owner.post("/people", { email: "patient@example.org", role: "editor" });
      // For half an hour: longer than a mail that a working server does not take is retried at first.
      for (let minute = 0; minute < 30; minute++) {
        await sendAll(server().deps).catch(() => {});
        server().clock.moveBy(MINUTE);
      }
      host.answers({});
      const isIt = and(eq(mails.address, "patient@example.org"), eq(mails.status, "pending"));
      expect(await server().deps.store.$count(mails, and(isIt, eq(mails.attempts, 0)))).toBe(1);
      // The longest rest.
      server().clock.moveBy(10 * MINUTE);
      await sendAll(server().deps);

      expect(lettersTo("patient@example.org")).toHaveLength(1);
    });

    /** They have followed a link that was mailed to them. */
    const prove = async (...people: { id: string }[]) => {
      for (const { id } of people)
        await server().deps.store.update(users).set({ emailVerifiedAt: 1 }).where(eq(users.id, id));
    };

    const assign = (browser: Browser, to: { id: string }) =>
      browser.post("/links/batch", {
        links: [{ url: `https://example.org/${crypto.randomUUID()}`, assignee_id: to.id }],
      });

    testOnBoth("says how many links were assigned to someone, once an hour", async () => {
      const { owner, editor, browsers } = await newTeam(server());
      await prove(editor);
      const { clock, deps } = server();
      const assign = (count: number, more: object = {}) =>
        browsers.owner.post("/links/batch", {
          links: Array.from({ length: count }, () => ({
            url: `https://example.org/${crypto.randomUUID()}`,
            assignee_id: editor.id,
            ...more,
          })),
        });
      const subjects = () => lettersTo(editor.email).map(({ subject }) => subject);
      const later = async (minutes: number) => {
        clock.moveBy(minutes * MINUTE);
        await Promise.all([sendAll(deps), sendAll(deps)]);
      };

      await Promise.all([assign(2, { title: "Handbook" }), assign(3)]);
      await later(2);
      expect(subjects()).toEqual(["5 links were assigned to you on links.example.org"]);
      const [first] = lettersTo(editor.email);
      expect(first!.text).toContain(`By ${owner.email}.`);
      expect(first!.text).toContain("Handbook, https://example.org/");
      expect(first!.text).toContain("http://links.example.org/links?assignee=me");

      await assign(1);
      await later(30);
      expect(subjects()).toHaveLength(1);
      await browsers.owner.post("/links/batch-change", {
        filter: { assignee: "none" },
        change: { assignee_id: editor.id },
      });
      await later(31);
      expect(subjects()[1]).toBe("1 link was assigned to you on links.example.org");
      expect(lettersTo(owner.email)).toEqual([]);
    });

    testOnBoth(
      "is not sent of links that someone takes themselves, gives back, or does not want to hear of",
      async () => {
        const { owner, editor, viewer: reader, browsers } = await newTeam(server());
        await prove(owner, editor, reader);
        const { clock, deps } = server();
        const links = [{ url: `https://example.org/${crypto.randomUUID()}`, assignee_id: "me" }];
        const { body } = await browsers.editor.post("/links/batch", { links });
        const path = `/links/${body.data.results[0].link.id}`;

        const given = await browsers.editor.patch(path, { assignee_id: owner.id });
        await browsers.editor.patch(path, { assignee_id: null });
        const off = await browsers.viewer.post("/mail/me", { assigned: false });
        const people = (await browsers.owner.get("/people")).body.data.items;
        const viewer = people.find(({ role }: { role: string }) => role === "viewer");
        await browsers.editor.patch(path, { assignee_id: viewer.id });
        clock.moveBy(DAY);
        await sendAll(deps);

        expect([given.status, off.body.data.assigned]).toEqual([200, false]);
        for (const { email } of [owner, editor, viewer]) expect(lettersTo(email)).toEqual([]);

        await browsers.editor.patch(path, { assignee_id: owner.id });
        await browsers.editor.patch(path, { assignee_id: null });
        clock.moveBy(2 * MINUTE);
        await sendAll(deps);
        await browsers.editor.patch(path, { assignee_id: owner.id });
        clock.moveBy(2 * MINUTE);
        await sendAll(deps);
        expect(lettersTo(owner.email)).toHaveLength(1);
      },
    );

    testOnBoth(
      "is not sent about links to addresses that no one has proven, or that have refused it",
      async () => {
        const { account, owner, editor, viewer, browsers } = await newTeam(server());
        const { clock, deps } = server();
        const of = { accountId: account.id, n: 0 };
        await prove(editor);
        await deps.store.insert(mailAddresses).values([
          { ...of, address: editor.email, refusedAt: 1 },
          { ...of, address: viewer.email, confirmedAt: 1 },
        ]);

        await assign(browsers.editor, owner);
        await assign(browsers.owner, editor);
        await assign(browsers.owner, viewer);
        clock.moveBy(DAY);
        await sendAll(deps);
        const sent = [owner, editor, viewer].map(({ email }) => lettersTo(email).length);

        expect(sent).toEqual([0, 0, 1]);
        const ask = async (browser: Browser) => (await browser.get("/mail/me")).body.data.is_proven;
        expect([await ask(browsers.owner), await ask(browsers.editor)]).toEqual([false, true]);
      },
    );

    test("counts links that are assigned while a message is sent in the next one, an hour later", async () => {
      const { editor, browsers } = await newTeam(server());
      await prove(editor);
      const { clock, deps } = server();
      const counts = () => lettersTo(editor.email).map(({ subject }) => subject?.split(" ")[0]);

      meanwhile = async () => {
        meanwhile = async () => {};
        await assign(browsers.owner, editor);
        await assign(browsers.owner, editor);
      };
      await assign(browsers.owner, editor);
      clock.moveBy(HOUR);
      await sendAll(deps);
      clock.moveBy(HOUR - 1);
      await sendAll(deps);
      expect(counts()).toEqual(["1"]);
      clock.moveBy(1);
      await sendAll(deps);

      expect(counts()).toEqual(["1", "2"]);
    });

    testOnBoth(
      "says to those who can change it that a host refuses what is set for it, once a day",
      async () => {
        const { owner, editor, viewer, browsers } = await newTeam(server());
        const { clock, deps } = server();
        const { body } = await browsers.owner.post("/host-settings", {
          host: "docs.example.org",
          headers: [{ name: "X-Key", value: "key-0123456789" }],
        });
        await browsers.owner.post("/links", {
          url: "https://docs.example.org/",
          check_frequency: "hourly",
        });
        const round = async (found: "accepted" | "refused", after = DAY) => {
          clock.moveBy(after);
          const end = saw(found === "refused" ? "credentials_refused" : "ok");
          const host = { id: body.data.id, version: 1, found };
          await checkDueLinks({ ...deps, check: async () => ({ ...end, host }) });
        };

        await round("refused");
        await round("refused");
        await sendAll(deps);
        const letters = lettersTo(owner.email);
        expect(letters.map(({ subject }) => subject)).toEqual([
          "docs.example.org refuses the credentials of your checks",
        ]);
        expect(letters[0]!.text).not.toContain("key-0123456789");
        expect([editor, viewer].map(({ email }) => lettersTo(email).length)).toEqual([1, 0]);

        await round("accepted");
        await round("refused");
        await round("accepted");
        await sendAll(deps);
        expect(lettersTo(owner.email)).toHaveLength(1);

        await round("refused");
        await sendAll(deps);
        expect(lettersTo(owner.email)).toHaveLength(2);
        for (const found of ["accepted", "refused", "accepted", "refused"] as const)
          await round(found, DAY / 8);
        await sendAll(deps);
        expect(lettersTo(owner.email)).toHaveLength(2);
        clock.moveBy(DAY);
        await sendAll(deps);
        expect(lettersTo(owner.email)).toHaveLength(3);
      },
    );

    test("is forgotten after thirty days", async () => {
      server().clock.moveBy(31 * DAY);
      await deleteOldMails(server().deps);
      expect(await server().deps.store.$count(mails)).toBe(0);
    });
  },
  mailSettings(host.port, {
    STILLUP_TRUSTED_PROXIES: "127.0.0.1",
    STILLUP_PUBLIC_URL: "http://links.example.org",
  }),
);
