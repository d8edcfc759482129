import { expect } from "bun:test";
import { becomeUnknown, check } from "../../../tests/checked.ts";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import { onServer } from "../../../tests/harness.ts";
import { newColleague, newOwner, openBrowser } from "../../../tests/session/browser.ts";

onServer("What happened since the last visit", (server, { test, testOnBoth }) => {
  async function enter() {
    const made = await newOwner(server());
    const browser = openBrowser(server());
    await browser.signIn(made.owner.email);
    return { ...made, browser };
  }
  const visit = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.post("/visit")).body.data.previous_ended_at;
  const since = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.get("/overview")).body.data.since;
  const now = () => new Date(server().clock.now()).toISOString();

  test("a visit ends after half an hour without a request, and stands still while one reads", async () => {
    const { browser } = await enter();
    const { clock } = server();

    expect([await visit(browser), await since(browser)]).toEqual([null, null]);
    clock.moveBy(29 * 60_000);
    expect(await visit(browser)).toBeNull();
    const end = now();
    clock.moveBy(HOUR);
    expect(await visit(browser)).toBe(end);
    clock.moveBy(20 * 60_000);
    expect(await visit(browser)).toBe(end);
    clock.moveBy(-2 * HOUR);
    expect(await visit(browser)).toBe(end);
  });

  testOnBoth("counts what changed after it, over many days, for each person", async () => {
    const { browser, ...made } = await enter();
    const { clock } = server();
    const add = async (url: string): Promise<string> =>
      (await browser.post("/links", { url })).body.data.id;
    const colleague = openBrowser(server());
    await colleague.signIn((await newColleague(server(), made, "viewer")).email);
    const ids = await Promise.all([1, 2, 3, 4].map((n) => add(`https://a.example/${n}`)));
    await check(server(), ids, "ok");
    await visit(browser);
    clock.moveBy(1000);
    await check(server(), ids.slice(0, 2), "http_404");
    clock.moveBy(3 * HOUR);
    await visit(colleague);
    clock.moveBy(1000);
    await check(server(), ids.slice(0, 1), "ok");
    clock.moveBy(3 * DAY);
    await becomeUnknown(server(), ids.slice(3), "http_403");
    await check(server(), ids.slice(0, 1), "http_404");
    clock.moveBy(DAY);
    await add("https://b.example/");

    const ended = [await visit(browser), await visit(colleague)];

    const counts = { died: 3, came_back: 1, became_unknown: 1 };
    expect(await since(browser)).toEqual({ at: ended[0], ...counts });
    expect(await since(colleague)).toEqual({ at: ended[1], ...counts, died: 1 });
    const me = await server().account();
    expect((await me.get("/api/v1/overview")).body.data.since).toBeNull();
  });
});
