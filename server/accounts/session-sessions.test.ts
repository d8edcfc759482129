import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import {
  BEHIND_PROXY,
  newColleague,
  newOwner,
  openBrowser,
  PASSWORD,
} from "../../tests/session/browser.ts";

type Shown = { id: string; browser: string | null; is_current: boolean };

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";

onServer(
  "a user's sessions",
  (server) => {
    async function enter(email: string, userAgent: string) {
      const browser = openBrowser(server());
      const headers = { "sec-fetch-site": "same-origin", "user-agent": userAgent };
      await browser.ask("POST", "/session", { email, password: PASSWORD }, headers);
      return browser;
    }

    const listed = async (browser: ReturnType<typeof openBrowser>): Promise<Shown[]> =>
      (await browser.get("/sessions")).body.data.items;

    test("are named after the browser that they began in", async () => {
      const { owner } = await newOwner(server());
      await enter(owner.email, "x".repeat(300));
      server().clock.moveBy(1000);

      const here = await enter(owner.email, FIREFOX);

      expect((await listed(here)).map(({ browser, is_current }) => [browser, is_current])).toEqual([
        ["Firefox on Linux", true],
        ["x".repeat(200), false],
      ]);
    });

    test("may ask ten times as often as an API key, all of a user's together", async () => {
      const { owner } = await newOwner(server());
      const [here, there] = [await enter(owner.email, FIREFOX), await enter(owner.email, FIREFOX)];
      const ask = (browser: typeof here, times: number) =>
        Promise.all(Array.from({ length: times }, () => browser.get("/session")));
      const limit = 10 * server().config.rateLimitPerMinute;

      const taken = [...(await ask(here, limit / 2)), ...(await ask(there, limit / 2))];
      const refused = await here.get("/links");

      expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([200]));
      expect([refused.status, refused.body.error.code]).toEqual([429, "RATE_LIMITED"]);
      expect(refused.headers.get("retry-after")).toBe("60");
      server().clock.moveBy(60_000);
      expect((await here.get("/links")).status).toBe(200);
    });

    test("are not needed to ask ten times as often as an API key from one address", async () => {
      const [here, there] = [openBrowser(server()), openBrowser(server())];
      const limit = 10 * server().config.rateLimitPerMinute;

      const taken = await Promise.all(Array.from({ length: limit }, () => here.get("/session")));

      expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await here.get("/session")).status).toBe(429);
      expect((await there.get("/session")).status).toBe(200);
      server().clock.moveBy(60_000);
      expect((await here.get("/session")).status).toBe(200);
    });

    test("keep their browser's name when a new password replaces them", async () => {
      const { owner } = await newOwner(server());
      const here = await enter(owner.email, FIREFOX);

      await here.ask(
        "PATCH",
        "/session/password",
        { current: PASSWORD, new: "another one, quite as long" },
        { "sec-fetch-site": "same-origin", "user-agent": FIREFOX },
      );

      expect((await listed(here)).map(({ browser }) => browser)).toEqual(["Firefox on Linux"]);
    });

    test("can be ended one by one, by an id that opens nothing", async () => {
      const { owner } = await newOwner(server());
      const there = await enter(owner.email, "there");
      const elsewhere = await enter(owner.email, "elsewhere");
      const here = await enter(owner.email, "here");
      const { id } = (await listed(here)).find(({ browser }) => browser === "there")!;

      const ended = await here.delete(`/sessions/${id}`);

      expect(id).toMatch(/^[0-9a-f]{16}$/);
      expect((await openBrowser(server(), `session=${id}`).get("/links")).status).toBe(401);
      expect(ended.status).toBe(204);
      expect((await there.get("/links")).status).toBe(401);
      expect((await elsewhere.get("/links")).status).toBe(200);
      expect((await here.delete(`/sessions/${id}`)).status).toBe(404);
    });

    test("can be ended by no one else, not even a colleague", async () => {
      const account = await newOwner(server());
      const viewer = await newColleague(server(), account, "viewer");
      const mine = await enter(account.owner.email, "mine");
      const theirs = await enter(viewer.email, "theirs");
      const [{ id }] = (await listed(theirs)) as [Shown];

      expect((await mine.delete(`/sessions/${id}`)).status).toBe(404);
      expect((await mine.delete("/sessions/%25")).status).toBe(404);
      // PostgreSQL holds no text with a NUL.
      expect((await mine.delete("/sessions/%00")).status).toBe(404);
      expect((await mine.delete("/sessions")).status).toBe(204);

      expect((await theirs.get("/links")).status).toBe(200);
      expect((await theirs.delete(`/sessions/${id}`)).status).toBe(204);
    });
  },
  BEHIND_PROXY,
);
