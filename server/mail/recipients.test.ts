import { beforeAll, expect } from "bun:test";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { agreeTo, sendAll } from "../../tests/mail/recipients.ts";
import { newColleague, newOwner, openBrowser } from "../../tests/session/browser.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { noteVerified } from "../accounts/sign-in.ts";
import { mailAddresses, users, webhooks } from "../ground/db/tables.ts";

const host = await startMailHost();
const DAY = 86_400_000;

const lettersTo = (address: string) =>
  host.letters.filter(({ recipients }) => recipients.includes(address));

const create = (me: Asker, address: string, more: object = {}) =>
  me.post("/api/v1/webhooks", {
    url: `mailto:${address}`,
    events: ["link.dead"],
    format: "email",
    ...more,
  });

const stateOf = async (me: Asker, id: string) => {
  const { is_active, disabled_reason } = (await me.get(`/api/v1/webhooks/${id}`)).body.data;
  return is_active ? "active" : disabled_reason;
};

/** The path after the public URL in the last mail to the address. */
function pathIn(address: string, word: "confirm" | "unsubscribe"): string {
  const found = new RegExp(`https://links.example.org(/mail/${word}/\\S+)`).exec(
    lettersTo(address).at(-1)!.text!,
  );
  return found![1]!;
}

const ask = (server: TestServer, method: string, path: string, body?: object) =>
  openBrowser(server).ask(method, path, body);

/** What mail programs send, without cookies, origin or referrer. */
const oneClick = (server: TestServer, path: string) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
    redirect: "manual",
  });

onServer(
  "the recipient of an alert",
  (server, { test, testOnBoth }) => {
    beforeAll(() => void host.letters.splice(0));

    test("is sent thirty tests an hour by an account, also when two are asked for at once", async () => {
      const me = await server().account();
      const ids: string[] = [];
      for (const name of ["a", "b", "c", "d"]) {
        ids.push((await create(me, `${name}@tests.example.net`)).body.data.id);
      }
      const tested = (id: string) => me.post(`/api/v1/webhooks/${id}/test`);
      // None of them has agreed, so nothing is sent.
      for (let n = 0; n < 29; n++) expect((await tested(ids[n % 3]!)).status).toBe(409);

      const asked = await Promise.all([tested(ids[3]!), tested(ids[3]!)]);

      expect(asked.map(({ status }) => status).sort()).toEqual([409, 429]);
      const refused = asked.find(({ status }) => status === 429)!;
      expect(refused.body.error).toMatchObject({
        message: expect.stringMatching(/^Too many requests. Try again in \d+ seconds.$/),
        details: { limit: 30, remaining: 0 },
      });
      const other = await server().account();
      const { id } = (await create(other, "e@tests.example.net")).body.data;
      expect((await other.post(`/api/v1/webhooks/${id}/test`)).status).toBe(409);
      server().clock.moveBy(3_600_000);
      expect((await tested(ids[3]!)).status).toBe(409);
    });

    test("gets one question, and nothing else before the answer", async () => {
      const me = await server().account();
      const made = await create(me, "Carol@example.org", { name: "Docs" });
      const { id } = made.body.data;
      expect(made.body.data).toMatchObject({
        is_active: false,
        disabled_reason: "unconfirmed",
        url: "mailto:Carol@example.org",
      });
      await sendAll(server().deps);
      expect(lettersTo("carol@example.org").map(({ subject }) => subject)).toEqual([
        "Confirm alerts from links.example.org",
      ]);
      const early = await me.patch(`/api/v1/webhooks/${id}`, { is_active: true });
      const tested = await me.post(`/api/v1/webhooks/${id}/test`);
      expect(
        [early, tested].map(({ status, body }) => [status, body.error.details.reason]),
      ).toEqual([
        [409, "unconfirmed"],
        [409, "unconfirmed"],
      ]);
      const repeated = await me.post(`/api/v1/webhooks/${id}/confirm`);
      expect([repeated.status, repeated.body.data.id]).toEqual([200, id]);
      await sendAll(server().deps);
      expect(lettersTo("carol@example.org")).toHaveLength(2);

      const path = pathIn("carol@example.org", "confirm");
      const seen = await ask(server(), "GET", path);
      expect(seen.body.data).toMatchObject({ address: "carol@example.org", name: "Docs" });
      expect((await fetch(server().url + path)).status).toBeOneOf([200, 503]);
      expect(await stateOf(me, id)).toBe("unconfirmed");

      expect((await ask(server(), "POST", path)).body.data.state).toBe("active");
      expect(await stateOf(me, id)).toBe("active");
      expect(await stateOf(me, (await create(me, "carol@example.org")).body.data.id)).toBe(
        "active",
      );
      const again = await me.post(`/api/v1/webhooks/${id}/confirm`);
      expect([again.status, again.body.error.details.reason]).toEqual([409, "already_confirmed"]);
    });

    test("is a reader of the account, who may have mail to their own proven address and to no other", async () => {
      const made = await newOwner(server());
      const viewer = await newColleague(server(), made, "viewer");
      const browser = openBrowser(server());
      await browser.signIn(viewer.email);
      const wish = {
        events: ["link.dead", "summary.ready"],
        summary: { frequency: "daily", at: "08:00", time_zone: "UTC" },
        time_zone: "Asia/Tokyo",
      };

      const early = await browser.post("/mail/me", wish);
      expect([early.status, early.body.error.details.reason]).toEqual([403, "unproven_address"]);
      const { store } = server().deps;
      await store.update(users).set({ emailVerifiedAt: 1 }).where(eq(users.id, viewer.id));
      const set = await browser.post("/mail/me", wish);

      expect(set.body.data).toMatchObject({
        events: wish.events,
        is_active: true,
        summary: { at: "08:00" },
      });
      const { items } = (await browser.get("/webhooks?format=email")).body.data;
      expect(items[0].time_zone).toBe("Asia/Tokyo");
      const other = { url: "mailto:other@example.org", format: "email", events: ["link.dead"] };
      expect((await browser.post("/webhooks", other)).status).toBe(403);
      expect(
        (await browser.post("/mail/me", { events: ["link.dead"] })).body.data.summary,
      ).toBeNull();
      expect((await browser.post("/mail/me", { events: [] })).body.data.events).toEqual([]);
      expect((await browser.get("/webhooks")).body.data.items).toEqual([]);
      expect((await browser.get("/mail/me")).body.data.is_active).toBe(false);
    });

    test("is shown as refused by the mail server, until they are asked again or confirm", async () => {
      const me = await server().account();
      const address = "refused@example.org";
      const { id } = (await create(me, address)).body.data;
      const codeOf = async () =>
        (await me.get(`/api/v1/webhooks/${id}`)).body.data.last_status_code;
      host.answers({ rcpt: "550 5.1.1 No such user" });
      await sendAll(server().deps);
      expect([await codeOf(), await stateOf(me, id)]).toEqual([550, "unconfirmed"]);

      await me.post(`/api/v1/webhooks/${id}/confirm`);
      expect(await codeOf()).toBeNull();
      await sendAll(server().deps);
      expect(await codeOf()).toBe(550);
      host.answers({});
      await me.post(`/api/v1/webhooks/${id}/confirm`);
      await sendAll(server().deps);
      expect(await codeOf()).toBeNull();
      await ask(server(), "POST", pathIn(address, "confirm"));

      expect([await codeOf(), await stateOf(me, id)]).toEqual([null, "active"]);
    });

    test("unsubscribes with one click, after which no one else can subscribe them again", async () => {
      const me = await server().account();
      const { id } = (await create(me, "dan@example.org")).body.data;
      await sendAll(server().deps);
      const confirmation = pathIn("dan@example.org", "confirm");
      await ask(server(), "POST", confirmation);
      await me.post(`/api/v1/webhooks/${id}/test`);
      const letter = lettersTo("dan@example.org").at(-1)!;
      expect(letter.headers.get("list")).toMatchObject({
        unsubscribe: { url: expect.stringContaining("/mail/unsubscribe/") },
        "unsubscribe-post": { name: "List-Unsubscribe=One-Click" },
      });
      const path = pathIn("dan@example.org", "unsubscribe");

      const first = await oneClick(server(), path);
      const second = await oneClick(server(), path);

      expect([first.status, second.status]).toEqual([200, 200]);
      expect(await stateOf(me, id)).toBe("unsubscribed");
      const other = await me.patch(`/api/v1/webhooks/${id}`, { is_active: true });
      expect([other.status, other.body.error.details.reason]).toEqual([409, "unsubscribed"]);
      expect((await ask(server(), "POST", confirmation)).status).toBe(404);
      await ask(server(), "POST", path, { to: "subscribe" });
      expect(await stateOf(me, id)).toBe("active");
    });

    eachRow([
      ["Tote Links", "Tote Links"],
      ["Dead, or dying", "=?UTF-8?B?RGVhZCwgb3IgZHlpbmc=?="],
      ["Bücher & Söhne", "=?UTF-8?B?QsO8Y2hlciAmIFPDtmhuZQ==?="],
      [
        "😀 Überschrift der Überschriften im Übermaß",
        "=?UTF-8?B?8J+YgCDDnGJlcnNjaHJpZnQgZGVyIMOcYmVyc2NocmlmdGVuIGltIMOcYmVy?= =?UTF-8?B?bWHDnw==?=",
      ],
    ])(
      "can filter by a list with the name %s, whose identifier is never encoded",
      async (name, phrase) => {
        const me = await server().account();
        const address = `${crypto.randomUUID()}@example.org`;
        await agreeTo(server(), me, address);
        const { id } = (await create(me, address, { name })).body.data;

        await me.post(`/api/v1/webhooks/${id}/test`);

        const { raw } = lettersTo(address).at(-1)!;
        const lines = raw.replace(/\r\n[ \t]+/g, " ").split("\r\n");
        expect(lines.filter((line) => /^list-id:/i.test(line))).toEqual([
          `List-ID: ${phrase} <${id}.links.example.org>`,
        ]);
      },
    );

    test("gets no test and no summary after unsubscribing, refusing, or before confirming, whatever the webhook says", async () => {
      const me = await server().account();
      await agreeTo(server(), me, "uma@example.org");
      const summary = { frequency: "daily", at: "08:00", time_zone: "UTC" };
      const more = { events: ["link.dead", "summary.ready"], summary };
      const { id } = (await create(me, "uma@example.org", more)).body.data;
      const path = `/api/v1/webhooks/${id}`;
      const both = async () =>
        Promise.all(
          ["test", "summary"].map(async (what) => {
            const { status, body } = await me.post(`${path}/${what}`);
            return status === 200 ? 200 : body.error.details.reason;
          }),
        );
      expect(await both()).toEqual([200, 200]);
      const sent = lettersTo("uma@example.org").length;
      const unsubscribed = pathIn("uma@example.org", "unsubscribe");

      await ask(server(), "POST", unsubscribed, { to: "unsubscribe" });
      expect(await both()).toEqual(["unsubscribed", "unsubscribed"]);
      await me.patch(path, { is_active: false });
      expect(await both()).toEqual(["unsubscribed", "unsubscribed"]);
      await ask(server(), "POST", unsubscribed, { to: "refuse" });
      const { store } = server().deps;
      await store
        .update(webhooks)
        .set({ isActive: true, disabledReason: null })
        .where(eq(webhooks.id, id));
      expect(await both()).toEqual(["recipient_refused", "recipient_refused"]);
      await store.delete(mailAddresses).where(eq(mailAddresses.address, "uma@example.org"));
      expect(await both()).toEqual(["unconfirmed", "unconfirmed"]);
      expect(lettersTo("uma@example.org")).toHaveLength(sent);
    });

    testOnBoth("can refuse all mail of an account, and take that back", async () => {
      const me = await server().account();
      const ids: string[] = [];
      await agreeTo(server(), me, "erin@example.org");
      for (let n = 0; n < 2; n++) ids.push((await create(me, "erin@example.org")).body.data.id);
      await me.post(`/api/v1/webhooks/${ids[0]}/test`);
      const path = pathIn("erin@example.org", "unsubscribe");

      const refused = await ask(server(), "POST", path, { to: "refuse" });
      const more = await create(me, "erin@example.org");

      expect(refused.body.data.state).toBe("refused");
      expect(await Promise.all(ids.map((id) => stateOf(me, id)))).toEqual([
        "unsubscribed",
        "unsubscribed",
      ]);
      expect([more.status, more.body.error.details.reason]).toEqual([409, "recipient_refused"]);
      await ask(server(), "POST", path, { to: "subscribe" });
      expect((await create(me, "erin@example.org")).body.data.is_active).toBe(true);
    });

    test("is not asked where they have proven the address, and may enable their own alert", async () => {
      const { owner, account } = await newOwner(server());
      await noteVerified(server().deps.store, owner.id, server().clock.now());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const body = { url: `mailto:${owner.email}`, events: ["link.dead"], format: "email" };

      const made = await browser.post("/webhooks", body);
      await browser.post(`/webhooks/${made.body.data.id}/test`);
      await oneClick(server(), pathIn(owner.email, "unsubscribe"));
      const own = await browser.patch(`/webhooks/${made.body.data.id}`, { is_active: true });

      expect(made.body.data.is_active).toBe(true);
      expect(account.id).toBe(owner.accountId);
      expect(own.body.data).toMatchObject({ is_active: true, disabled_reason: null });
    });

    test("is asked again under a new address, and the old one hears no more", async () => {
      const me = await server().account();
      await agreeTo(server(), me, "fred@example.org");
      const { id } = (await create(me, "fred@example.org")).body.data;

      const moved = await me.patch(`/api/v1/webhooks/${id}`, { url: "mailto:gina@example.org" });

      expect(moved.body.data).toMatchObject({ is_active: false, disabled_reason: "unconfirmed" });
      const back = await me.patch(`/api/v1/webhooks/${id}`, { url: "mailto:fred@example.org" });
      expect(back.body.data.is_active).toBe(true);
    });

    test("is asked three times a day at most, and an account asks twenty", async () => {
      const me = await server().account();
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) {
        statuses.push((await create(me, "hal@example.org")).status);
        await sendAll(server().deps);
      }
      for (let n = 0; n < 18; n++) statuses.push((await create(me, `x${n}@example.org`)).status);

      expect(statuses.slice(0, 4)).toEqual([201, 201, 201, 429]);
      expect(statuses.slice(4)).toEqual([...Array(17).fill(201), 429]);
      server().clock.moveBy(DAY);
      expect((await create(me, "hal@example.org")).status).toBe(201);
    });

    test("cannot be decided for by a changed link, or by an old one", async () => {
      const me = await server().account();
      const { id } = (await create(me, "ida@example.org")).body.data;
      await sendAll(server().deps);
      const path = pathIn("ida@example.org", "confirm");
      const [, payload, signature] = /([^/.]+)\.([^/]+)$/.exec(path)!;
      const text = Buffer.from(payload!, "base64url").toString().replace("ida@", "eve@");
      const forged = `${Buffer.from(text).toString("base64url")}.${signature}`;

      const wrong = [
        `/mail/confirm/${forged}`,
        `/mail/unsubscribe/${payload}.${signature}`,
        "/mail/confirm/x",
      ];
      for (const each of wrong)
        expect((await ask(server(), "POST", each, { to: "refuse" })).status).toBe(404);
      server().clock.moveBy(7 * DAY);
      expect((await ask(server(), "POST", path)).status).toBe(404);
      expect(await stateOf(me, id)).toBe("unconfirmed");
    });
  },
  mailSettings(host.port, { STILLUP_TRUSTED_PROXIES: "127.0.0.1" }),
);
