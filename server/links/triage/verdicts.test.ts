import { expect, test } from "bun:test";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { ALIVE, FORBIDDEN, GONE, LINKS, newLink, read } from "../../../tests/triage/playing.ts";

const DAY_MS = 86_400_000;

onServer("POST /links/verdicts", (server) => {
  const url = (name: string) => `https://example.org/${name}`;
  /** Checks all links, which see what their names say. */
  const round = async (seen: Record<string, typeof ALIVE>) => {
    server().clock.moveBy(2 * DAY_MS);
    const check = async ({ url }: { url: string }) => seen[new URL(url).pathname.slice(1)] ?? ALIVE;
    await checkDueLinks({ ...server().deps, check });
  };
  const ask = (me: Parsed, urls: unknown, more: object = {}) =>
    me.post(`${LINKS}/verdicts`, { urls, ...more });

  test("says what is known of each URL, in their order, and changes nothing", async () => {
    const me = await server().account();
    await newLink(me, { url: url("alive") });
    const dead = await newLink(me, { url: url("dead") });
    await round({ alive: ALIVE, dead: GONE });
    await round({ alive: ALIVE, dead: GONE });
    await newLink(me, { url: url("new") });
    const before = await read(me, dead);

    const named = [url("dead"), `${url("alive")}#part`, url("strange"), url("new"), "ftp://a.org"];
    const { status, body } = await ask(me, [...named, url("dead")]);

    const { results, summary } = body.data;
    expect([status, summary]).toEqual([
      200,
      { total: 6, active: 1, dead: 2, unknown: 1, not_known: 1, failed: 1 },
    ]);
    expect(results[0]).toMatchObject({
      index: 0,
      url: url("dead"),
      known: true,
      verdict: "dead",
      reason: "http_404",
      status_code: 404,
      link_id: before.id,
      checked_at: before.last_check.checked_at,
    });
    expect(results[1]).toMatchObject({
      url: named[1],
      verdict: "active",
      message: "The server returned 200.",
    });
    expect(results[2]).toMatchObject({ known: false, verdict: null, link_id: null, error: null });
    expect(results[3]).toMatchObject({ known: true, verdict: "unknown", reason: null, age: null });
    expect(results[4]).toMatchObject({ known: false, error: { code: "VALIDATION_ERROR" } });
    expect(results[5]).toEqual({ ...results[0], index: 5 });
    expect(await read(me, dead)).toEqual(before);
  });

  test("trusts neither an old check nor a single one that found a link dead", async () => {
    const me = await server().account();
    await newLink(me, { url: url("alive") });
    await newLink(me, { url: url("shaky") });
    await round({ alive: ALIVE, shaky: ALIVE });
    await round({ alive: ALIVE, shaky: FORBIDDEN });
    server().clock.moveBy(3 * DAY_MS);
    const verdicts = async (more?: object) =>
      (await ask(me, [url("alive"), url("shaky")], more)).body.data.results.map(
        ({ verdict, reason }: Parsed) => [verdict, reason],
      );

    expect((await verdicts())[0]).toEqual(["active", "ok"]);
    expect((await verdicts())[1]![0]).toBe("unknown");
    expect((await verdicts({ max_age: 86_400 }))[0]).toEqual(["unknown", "stale"]);
  });

  test("takes the word of a person for a link that was overridden", async () => {
    const me = await server().account();
    const link = await newLink(me, { url: url("wall") });
    await round({ wall: FORBIDDEN });
    await round({ wall: FORBIDDEN });
    await me.post(`${link}/override`, { note: "It works in a browser." });

    const { body } = await ask(me, [url("wall")]);

    expect(body.data.results[0]).toMatchObject({ verdict: "active", reason: "ok_overridden" });
  });

  test("knows nothing of other accounts' links", async () => {
    const [me, other] = [await server().account(), await server().account()];
    await newLink(other, { url: url("theirs") });
    await round({ theirs: ALIVE });

    const { body } = await ask(me, [url("theirs")]);

    expect(body.data.results[0]).toMatchObject({ known: false, verdict: null });
  });

  test("answers a thousand, and refuses what it cannot answer", async () => {
    const me = await server().account();
    const many = Array.from({ length: 1001 }, (_, i) => url(`${i}`));
    const fields = async (urls: unknown, more?: object) => {
      const { status, body } = await ask(me, urls, more);
      return [status, Object.keys(body.error?.details?.fields ?? {})];
    };

    expect((await ask(me, many.slice(1))).body.data.summary.not_known).toBe(1000);
    expect(await fields(many)).toEqual([400, ["urls"]]);
    expect(await fields([])).toEqual([400, ["urls"]]);
    expect(await fields([7])).toEqual([400, ["urls[0]"]]);
    expect(await fields(many.slice(1), { max_age: 59 })).toEqual([400, ["max_age"]]);
  });
});
