import { beforeAll, expect, test } from "bun:test";
import { and, desc, eq } from "drizzle-orm";
import { deleteOldMails } from "../../server/accounts/mails.ts";
import { audit, mails, users } from "../../server/db/tables.ts";
import { onBothEngines } from "../harness.ts";
import { newTeam } from "../people/people.ts";
import { newOwner, openBrowser, PASSWORD } from "../session/browser.ts";
import { mailSettings, startMailHost } from "../smtp.ts";
import { sendAll } from "./recipients.ts";

const host = await startMailHost();
const NEXT = "another one, quite as long";
const DAY = 86_400_000;

const lettersTo = (address: string) =>
  host.letters.filter(({ recipients }) => recipients.includes(address));

const tokenIn = (address: string) => /#token=([\w-]+)/.exec(lettersTo(address).at(-1)!.text!)?.[1];

onBothEngines(
  "mail to people",
  (server) => {
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

    test("tells no one apart who has forgotten a password", async () => {
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

    test("reports a new password, and a change of the second factor, to its owner", async () => {
      const { owner, browsers } = await newTeam(server());
      await browsers.owner.patch("/session/password", { current: PASSWORD, new: NEXT });
      await sendAll(server().deps);

      expect(lettersTo(owner.email).map(({ subject }) => subject)).toEqual([
        "Your password was changed on links.example.org",
      ]);
    });

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

    test("waits for a mail server that does not work", async () => {
      const { browsers } = await newTeam(server());
      host.answers({ mail: "421 4.3.2 Shutting down" });
      await browsers.owner.post("/people", { email: "patient@example.org", role: "editor" });
      await sendAll(server().deps).catch(() => {});
      host.answers({});
      const isIt = and(eq(mails.address, "patient@example.org"), eq(mails.status, "pending"));
      expect(await server().deps.store.$count(mails, and(isIt, eq(mails.attempts, 0)))).toBe(1);
      server().clock.moveBy(31_000);
      await sendAll(server().deps);

      expect(lettersTo("patient@example.org")).toHaveLength(1);
    });

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
