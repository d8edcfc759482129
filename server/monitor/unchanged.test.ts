import { expect, test } from "bun:test";
import { DAY, HOUR } from "../../tests/checker/ended.ts";
import { labCheck, untilTheEnd } from "../../tests/checker/prober.ts";
import { sedo } from "../../tests/checker/signals/parked-pages.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onBothEngines, type Parsed } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { type Says, startRawSite, startSite } from "../../tests/site.ts";
import type { Service } from "../judge/services/record.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";

const PAGE =
  "<title>A page</title><p>Some words that tell what the page is about, and more of them.</p>";

const pageWith = (headers: Record<string, string>, html = PAGE) =>
  new Response(html, { headers: { "content-type": "text/html", ...headers } });

const asked = ({ headers }: { headers: Headers }) => ({
  tag: headers.get("if-none-match"),
  since: headers.get("if-modified-since"),
});

/** Answers 304 to the validator of the page, as RFC 9110 §13.1.2 says. */
const honest = (request: Request) =>
  asked(request).tag === '"v1"'
    ? new Response(null, { status: 304, headers: { etag: '"v1"' } })
    : pageWith({ etag: '"v1"' });

onBothEngines("a page that has not changed", (server) => {
  /** A link to a page, which is checked once when it is added. */
  async function watching(says: Says, frequency = "hourly") {
    const site = untilTheEnd(startSite({ "/page": says }));
    const watched = await watchingAt(`${site.url}/page`, frequency);
    return { ...watched, pages: () => site.requests.filter(isOfPage) };
  }

  async function watchingAt(url: string, frequency = "hourly") {
    const me = await server().account();
    const id = await addLink(me, { url, check_frequency: frequency });
    // Its site ends with the test, and each check of it that fails would move the clock of the next one's.
    untilTheEnd({ stop: async () => void (await me.delete(`/api/v1/links/${id}`)) });
    const { deps, clock } = server();
    const config = { ...deps.config, hostGapMs: 0, confirmDelaysMs: [0, 0, 0] };
    const usual = catalogueWith([]);
    const look = async (ms = 1.2 * HOUR, catalogue = usual) => {
      clock.moveBy(ms);
      await checkDueLinks({ ...deps, check: labCheck({ config, clock, catalogue }) });
    };
    await look(0);
    return { me, id, look };
  }

  const isOfPage = ({ url }: { url: string }) => new URL(url).pathname === "/page";
  const linkOf = async (me: Asker, id: string) => (await me.get(`/api/v1/links/${id}`)).body.data;

  test("is asked for by its tag, once its server has shown that it reads tags", async () => {
    const { me, id, look, pages } = await watching(honest);
    const before = await linkOf(me, id);

    for (let n = 0; n < 4; n++) await look();

    const [first, second, ...others] = pages().map(asked);
    expect(first!.tag).toBeNull();
    expect(second!.tag).toMatch(/^"[a-z]{16}"$/);
    expect(others).toEqual(Array(3).fill({ tag: '"v1"', since: null }));
    const after = await linkOf(me, id);
    expect(after).toMatchObject({
      status: "active",
      reason: "ok",
      last_check: { status_code: 200 },
    });
    expect(after.evidence.attempts).toEqual(before.evidence.attempts);
    expect(after.evidence.notes).toEqual(["The page has not changed since 1 Jan 2030."]);
    const history = (await me.get(`/api/v1/links/${id}/history`)).body.data.items;
    expect(history.map(({ reason, status_code }: Parsed) => [reason, status_code])).toEqual(
      Array(5).fill(["ok", 200]),
    );
    const { alive } = (await me.get(`/api/v1/links/${id}/raw`)).body.data;
    expect(alive.not_modified).toBe(after.last_check.checked_at);
  });

  test("is asked for by its date where it has no tag", async () => {
    const modified = "Tue, 01 Jan 2019 00:00:00 GMT";
    const { look, pages } = await watching((request) =>
      asked(request).since === modified
        ? new Response(null, { status: 304 })
        : pageWith({ "last-modified": modified, date: "Tue, 01 Jan 2030 00:00:00 GMT" }),
    );

    for (let n = 0; n < 2; n++) await look();

    expect(pages().map(asked).at(-1)).toEqual({ tag: null, since: modified });
  });

  test("is read in full and compared where it has neither", async () => {
    const { me, id, look, pages } = await watching(() => pageWith({}));
    const before = await linkOf(me, id);

    await look();

    expect(pages().map(asked)).toEqual(Array(2).fill({ tag: null, since: null }));
    const { evidence } = await linkOf(me, id);
    expect(evidence.attempts).toEqual(before.evidence.attempts);
  });

  test("is not taken for unchanged when a server answers 304 to everything", async () => {
    const { me, id, look, pages } = await watching((request) =>
      asked(request).tag ? new Response(null, { status: 304 }) : pageWith({ etag: 'W/"0"' }),
    );

    for (let n = 0; n < 3; n++) await look();

    // The made-up tag, the page in full after it, and no tag again.
    expect(pages().map(({ headers }) => headers.has("if-none-match"))).toEqual([
      ...[false, true, false, false, false],
    ]);
    expect(await linkOf(me, id)).toMatchObject({ status: "active", reason: "ok" });
  });

  test("that dies while its server says that it is unchanged is found within a week", async () => {
    let isGone = false;
    const { me, id, look } = await watching((request) => {
      if (asked(request).tag === '"v1"') return new Response(null, { status: 304 });
      return isGone ? new Response("gone", { status: 410 }) : pageWith({ etag: '"v1"' });
    }, "daily");
    await look(1.2 * DAY);
    await look(1.2 * DAY);
    isGone = true;
    await look(1.2 * DAY);
    expect(await linkOf(me, id)).toMatchObject({ status: "active" });

    for (let n = 0; n < 6; n++) await look(1.2 * DAY);

    expect(await linkOf(me, id)).toMatchObject({ status: "dead", reason: "http_410" });
  });

  test("is judged when its domain is parked and the page there has the tag that it had", async () => {
    let isParked = false;
    const says = () => pageWith({ etag: '"v1"' }, isParked ? sedo("127.0.0.1") : PAGE);
    const site = untilTheEnd(startSite({}, { otherwise: says }));
    const { me, id, look } = await watchingAt(`${site.url}/page`);
    for (let n = 0; n < 2; n++) await look();
    isParked = true;

    await look();

    expect(await linkOf(me, id)).toMatchObject({ status: "dead", reason: "domain_parked" });
  });

  test("is unchanged also where 304 has a body, which RFC 9110 §15.4.5 forbids", async () => {
    const tags: (string | undefined)[] = [];
    const same = 'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nContent-Length: 9\r\n\r\nnot found';
    const head = `HTTP/1.1 200 OK\r\nETag: "v1"\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}`;
    const site = untilTheEnd(
      await startRawSite((socket) =>
        socket.once("data", (request) => {
          const isPage = String(request).startsWith("GET /page ");
          const tag = /^if-none-match: (.*)$/im.exec(String(request))?.[1]?.trim();
          if (isPage) tags.push(tag);
          const found = tag === '"v1"' ? same : `${head}\r\n\r\n${PAGE}`;
          socket.end(isPage ? found : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        }),
      ),
    );
    const { me, id, look } = await watchingAt(`${site.url}/page`);

    for (let n = 0; n < 3; n++) await look();

    expect(tags.at(-1)).toBe('"v1"');
    expect(await linkOf(me, id)).toMatchObject({ status: "active", reason: "ok" });
  });

  test("is asked for by its new tag when only that has changed", async () => {
    let tag = '"v1"';
    const { look, pages } = await watching((request) =>
      asked(request).tag === tag ? new Response(null, { status: 304 }) : pageWith({ etag: tag }),
    );
    for (let n = 0; n < 2; n++) await look();
    tag = '"v2"';

    for (let n = 0; n < 2; n++) await look();

    expect(
      pages()
        .slice(-3)
        .map((page) => asked(page).tag),
    ).toEqual(['"v1"', '"v1"', '"v2"']);
  });

  test("is judged again when the same bytes are found elsewhere", async () => {
    let hasMoved = false;
    const site = untilTheEnd(
      startSite({
        "/page": ({ url }) =>
          hasMoved ? Response.redirect(new URL("/other", url).href, 301) : pageWith({}),
        "/other": () => pageWith({}),
      }),
    );
    const { me, id, look } = await watchingAt(`${site.url}/page`);
    hasMoved = true;

    await look();

    expect(await linkOf(me, id)).toMatchObject({ status: "active", reason: "ok_redirected" });
    expect(site.requests.filter(({ url }) => new URL(url).pathname === "/other")).toHaveLength(1);
  });

  eachRow([
    ["refuses it by law", 451, 1],
    ["does not know the method of a condition", 501, 2],
    ["fails a condition that it misreads", 412, 2],
  ])(
    "is asked for without a condition if that may be the cause: its server %s",
    async (_, status, requests) => {
      let isBusy = false;
      const { look, pages } = await watching((request) =>
        isBusy && asked(request).tag !== null ? new Response("", { status }) : honest(request),
      );
      for (let n = 0; n < 2; n++) await look();
      const before = pages().length;
      isBusy = true;

      await look();

      expect(pages().length - before).toBe(requests);
    },
  );

  eachRow([
    ["a tag of 8 kB", { etag: `"${"x".repeat(8192)}"` }],
    [
      "a date by a clock that is behind the page's",
      { "last-modified": "Wed, 01 Jan 2031 00:00:00 GMT", date: "Tue, 01 Jan 2030 00:00:00 GMT" },
    ],
    ["a tag for each cookie", { etag: '"v1"', vary: "Cookie" }],
  ])("is asked for in full where its server has %s", async (_, headers) => {
    const { look, pages } = await watching(() => pageWith(headers));

    for (let n = 0; n < 2; n++) await look();

    expect(pages().map(asked)).toEqual(Array(3).fill({ tag: null, since: null }));
  });

  test("is judged again when the rules have changed", async () => {
    const { me, id, look, pages } = await watching(honest);
    for (let n = 0; n < 2; n++) await look();
    const own: Service = { id: "new", name: "New", hosts: ["new.example"] };

    await look(1.2 * HOUR, catalogueWith([own]));

    expect(pages().map(asked).at(-1)).toEqual({ tag: null, since: null });
    expect((await linkOf(me, id)).evidence.notes).toEqual([]);
  });

  test("is read in full when its check is requested", async () => {
    const { me, id, look, pages } = await watching(honest);
    for (let n = 0; n < 2; n++) await look();

    await me.post(`/api/v1/links/${id}/check`);
    await look(1000);

    expect(pages().map(asked).at(-1)).toEqual({ tag: null, since: null });
  });
});
