import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { check } from "../../../tests/checked.ts";
import { saw } from "../../../tests/checker/ended.ts";
import { onBothEngines, type Parsed, type TestServer } from "../../../tests/harness.ts";
import { openLine } from "../../../tests/live/line.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { type Browser, newOwner, openBrowser } from "../../../tests/session/browser.ts";
import { startSite } from "../../../tests/site.ts";
import { startReading } from "../../../tests/sources/reading.ts";
import { createSession } from "../../accounts/sessions.ts";
import { createService } from "../../app/app.ts";
import { sessions } from "../../ground/db/tables.ts";

onBothEngines("GET /dashboard/api/live", (server) => {
  async function signedIn(): Promise<Browser> {
    const { owner } = await newOwner(server());
    const { store, clock } = server().deps;
    const token = await createSession(store, owner.id, clock.now());
    return openBrowser(server(), `session=${token}`);
  }
  /** So many sessions of one account, and one more. */
  async function manySessions(count = 10) {
    const { owner } = await newOwner(server());
    const { store, clock } = server().deps;
    const made: Browser[] = [];
    for (let n = 0; n <= count; n++) {
      const token = await createSession(store, owner.id, clock.now());
      made.push(openBrowser(server(), `session=${token}`));
    }
    const [newcomer, ...browsers] = made;
    return { newcomer: newcomer!, browsers };
  }
  const newLink = async (browser: Browser): Promise<string> => {
    const url = `https://example.org/${crypto.randomUUID()}`;
    return (await browser.post("/links", { url })).body.data.id;
  };
  const checkAll = ({ deps }: TestServer) =>
    checkDueLinks({ ...deps, check: async () => saw("ok", { statusCode: 200 }) });

  test("requires a session", async () => {
    const stranger = await openBrowser(server()).get("/live");

    expect(stranger.status).toBe(401);
    expect(stranger.body.error.code).toBe("UNAUTHORIZED");
  });

  test("starts with the current state, without earlier changes", async () => {
    const browser = await signedIn();
    await newLink(browser);

    const line = await openLine(server(), browser);

    expect(await line.next()).toEqual({ topics: [], links: null, states: null });
    line.close();
  });

  test("sends which links were checked, and the affected topics", async () => {
    const browser = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(server(), browser);
    await line.next();

    await checkAll(server());

    const snapshot = await line.until(({ topics }) => topics.includes("history"));
    expect(snapshot.topics).toEqual(expect.arrayContaining(["links", "overview"]));
    expect(snapshot.links).toContain(id);
    line.close();
  });

  test("announces changes and sites only when a status changes, not with every check", async () => {
    const browser = await signedIn();
    const ids = [await newLink(browser)];
    await check(server(), ids, "ok");
    const line = await openLine(server(), browser);
    await line.next();
    const isOfChecks = ({ topics }: { topics: string[] }) => topics.includes("history");
    // The first one may also announce that other nodes are heard.
    await check(server(), ids, "ok");
    await line.until(isOfChecks);

    await check(server(), ids, "ok");
    const unchanged = await line.until(isOfChecks);
    await check(server(), ids, "http_404");
    const changed = await line.until(({ topics }) => topics.includes("changes"));

    expect(unchanged.topics).not.toContain("changes");
    expect(unchanged.topics).not.toContain("sites");
    expect(changed.topics).toContain("sites");
    line.close();
  });

  test("announces sources when a run has begun or ended, and no request was made", async () => {
    const browser = await signedIn();
    const site = startSite({ "/list.txt": "none" });
    const input = { kind: "list", name: "Docs", url: `${site.url}/list.txt` };
    const { id } = (await browser.post("/sources", input)).body.data;
    const line = await openLine(server(), browser);
    await line.next();

    const reading = startReading(server());
    let run: Parsed;
    do {
      await line.until(({ topics }) => topics.includes("sources"));
      run = (await browser.get(`/sources/${id}`)).body.data.run;
    } while (!run?.ended_at);

    line.close();
    await Promise.all([reading.stop(), site.stop()]);
  });

  test("sends the state of links that were checked, so that a page need not fetch it", async () => {
    const browser = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(server(), browser);
    await line.next();

    await checkAll(server());

    const { states } = await line.until(({ topics }) => topics.includes("history"));
    const link = (await browser.get(`/links/${id}`)).body.data;
    const { status, reason, status_changed_at: since } = link;
    expect(states).toEqual([{ id, status, reason, since }]);
    expect([status, reason]).toEqual(["active", "ok"]);
    line.close();
  });

  test("sends what a request changed, even if no number shows it", async () => {
    const browser = await signedIn();
    const id = await newLink(browser);
    const line = await openLine(server(), browser);
    await line.next();

    await browser.patch(`/links/${id}`, { check_frequency: "weekly" });

    const snapshot = await line.next();
    expect(snapshot.topics).toContain("links");
    expect(snapshot.links).toBeNull();
    line.close();
  });

  test("sends nothing of another account's changes", async () => {
    const [browser, stranger] = [await signedIn(), await signedIn()];
    const line = await openLine(server(), stranger);
    await line.next();

    await newLink(browser);
    await stranger.post("/groups", { name: "Mine" });

    expect((await line.next()).topics).toContain("groups");
    line.close();
  });

  test("sends only what was missed after a reconnect", async () => {
    const browser = await signedIn();
    await newLink(browser);
    const line = await openLine(server(), browser);
    await line.next();
    line.close();
    await checkAll(server());

    const back = await openLine(server(), browser, line.lastId());
    const missed = await back.next();
    back.close();
    const again = await openLine(server(), browser, back.lastId());

    expect(missed.topics).toContain("links");
    expect(missed.topics).not.toContain("keys");
    expect(await again.next()).toEqual({ topics: [], links: null, states: null });
    again.close();
  });

  test("ends with the session, wherever that was ended", async () => {
    const browser = await signedIn();
    const line = await openLine(server(), browser);
    await line.next();

    await browser.delete("/session");

    await line.ended();
  });

  test("answers HEAD at once and opens no stream", async () => {
    const browser = await signedIn();
    const ask = () =>
      fetch(`${server().url}/dashboard/api/live`, {
        method: "HEAD",
        headers: { cookie: browser.cookie()! },
      });

    const replies = await Promise.all(Array.from({ length: 201 }, ask));
    const line = await openLine(server(), browser);

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies[0]!.headers.get("content-type")).toContain("text/event-stream");
    expect(await line.next()).toEqual({ topics: [], links: null, states: null });
    line.close();
  });

  test("closes the oldest of a session's streams when it opens more than twenty", async () => {
    const browser = await signedIn();
    const lines = [];
    for (let n = 0; n < 21; n++) {
      const line = await openLine(server(), browser);
      await line.next();
      lines.push(line);
    }

    await lines[0]!.ended();
    await newLink(browser);

    for (const line of lines.slice(1)) {
      expect((await line.next()).topics).toContain("links");
      line.close();
    }
  });

  test("takes room from the session with the most streams when an account has two hundred", async () => {
    const { browsers, newcomer } = await manySessions();
    const lines: Awaited<ReturnType<typeof openLine>>[] = [];
    for (const browser of browsers) {
      const opened = Array.from({ length: 20 }, () => openLine(server(), browser));
      lines.push(...(await Promise.all(opened)));
    }
    await Promise.all(lines.map((line) => line.next()));

    const line = await openLine(server(), newcomer);
    const others = await openLine(server(), await signedIn());

    expect(await line.next()).toEqual({ topics: [], links: null, states: null });
    expect(await others.next()).toEqual({ topics: [], links: null, states: null });
    await Promise.any(lines.map((each) => each.ended()));
    for (const each of [...lines, line, others]) each.close();
  });

  test("refuses a stream when two hundred sessions of the account have one each", async () => {
    const { browsers, newcomer } = await manySessions(200);
    const lines = await Promise.all(browsers.map((browser) => openLine(server(), browser)));
    await Promise.all(lines.map((line) => line.next()));

    const refused = await newcomer.get("/live");

    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("60");
    for (const line of lines) line.close();
  });

  test("ends at once when it begins while the server stops", async () => {
    const browser = await signedIn();
    const { front, live } = await createService(server().deps);
    live.close();

    const reply = await front(
      new Request("http://localhost/dashboard/api/live", {
        headers: { cookie: browser.cookie()!, "sec-fetch-site": "same-origin" },
      }),
    );

    expect(reply.status).toBe(200);
    expect(await reply.text()).not.toContain("event:");
  });

  test("ends when the session is too old, and does not extend it", async () => {
    const { deps } = server();
    const browser = await signedIn();
    const line = await openLine(server(), browser);
    await line.next();
    const [before] = await deps.store.select().from(sessions).where(isOf(browser));

    await newLink(browser);
    await line.next();

    const [after] = await deps.store.select().from(sessions).where(isOf(browser));
    expect(after?.lastSeenAt).toBe(before!.lastSeenAt);
    line.close();
  });
});

const isOf = (browser: Browser) => {
  const token = browser.cookie()!.split("=")[1]!;
  return eq(sessions.tokenHash, new Bun.CryptoHasher("sha256").update(token).digest("hex"));
};
