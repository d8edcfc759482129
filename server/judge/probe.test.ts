import { describe, expect, test } from "bun:test";
import { labChecker, untilTheEnd } from "../../tests/checker/prober.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { type Routes, replies, type Site, startRawSite, startSite } from "../../tests/site.ts";
import { parseHostList } from "../ground/net/policy.ts";
import { type ProbeInput, probe } from "./probe/probe.ts";
import { USUAL_STYLE } from "./probe/style.ts";

const TABLES = yamlIn<{ forbidden_targets: [what: string, location: string, reason: string][] }>(
  import.meta.dir,
  "probe.yaml",
);

const siteWith = (routes: Routes): Site => untilTheEnd(startSite(routes));

const look = (url: string, style: Partial<ProbeInput["style"]> = {}) =>
  probe(labChecker().checker, { url, style: { ...USUAL_STYLE, ...style }, timeoutMs: 3000 });
/** As a header holds them. */
const bytesOf = (text: string) => Buffer.from(text).toString("latin1");
const to =
  (location: string, status = 302, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status, headers: { Location: location, ...headers } });

describe("redirects", () => {
  eachRow([301, 302, 303, 307, 308])("of every kind are followed to the page", async (status) => {
    const site = siteWith({ "/old": to("/new", status), "/new": "hello" });

    expect(await look(`${site.url}/old#part`)).toMatchObject({
      kind: "answered",
      status: 200,
      hops: [{ url: `${site.url}/old`, status }],
      finalUrl: `${site.url}/new`,
    });
  });

  eachRow([300, 305, 306, 310])("are not what other statuses above 300 are", async (status) => {
    const raw = untilTheEnd(
      await startRawSite(
        replies(`HTTP/1.1 ${status} X\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n`),
      ),
    );

    expect(await look(raw.url)).toMatchObject({ kind: "answered", status, hops: [] });
  });

  test("may be relative, hold spaces and write letters as UTF-8", async () => {
    const site = siteWith({
      "/a/old": to("../b/new page"),
      "/b/new%20page": to(bytesOf("é")),
      "/b/%C3%A9": "hello",
    });
    const raw = untilTheEnd(
      await startRawSite(
        replies(`HTTP/1.1 302 X\r\nLocation: ${site.url}/b/é\r\nContent-Length: 0\r\n\r\n`),
      ),
    );

    expect(await look(`${site.url}/a/old`)).toMatchObject({
      hops: [{}, {}],
      finalUrl: `${site.url}/b/%C3%A9`,
    });
    expect(await look(raw.url)).toMatchObject({ status: 200, finalUrl: `${site.url}/b/%C3%A9` });
  });

  eachRow([
    ["Latin-1", "Location: /caf\xe9", "/caf%E9"],
    ["UTF-8", `Location: /${bytesOf("voilà")}`, "/voil%C3%A0"],
    [
      "UTF-8 that looks like control characters",
      `Location: /${bytesOf("日本")}`,
      "/%E6%97%A5%E6%9C%AC",
    ],
    ["windows-1251 in the query", "Location: /a?q=\xcf\xf0", "/a?q=%CF%F0"],
    ["a Refresh header", `Refresh: 0; url=/${bytesOf("voilà")}`, "/voil%C3%A0"],
    ["a Refresh header in Latin-1", "Refresh: 0;url='/caf\xe9'", "/caf%E9"],
    ["a comma", "Location: /a, /b", "/a,%20/b"],
    ["two equal lines", "Location: /b\r\nLocation: /b", "/b"],
  ])("keep the bytes of their targets", async (_, line, path) => {
    const status = line.startsWith("Refresh") ? 200 : 302;
    const site = untilTheEnd(
      await startRawSite((socket) =>
        socket.once("data", (request: Buffer) => {
          const isStart = request.toString().startsWith("GET / ");
          const head = isStart ? `HTTP/1.1 ${status} X\r\n${line}` : "HTTP/1.1 200 OK\r\nX: 1";
          socket.end(Buffer.from(`${head}\r\nContent-Length: 2\r\n\r\nhi`, "latin1"));
        }),
      ),
    );

    expect(await look(site.url)).toMatchObject({ finalUrl: `${site.url}${path}`, hops: [{}] });
  });

  eachRow([
    ["Location", 302],
    ["Refresh", 200],
  ])("by lines that differ lead nowhere", async (name, status) => {
    const lines = ["/a", "/b"].map((path) =>
      name === "Refresh" ? `Refresh: 0;url=${path}` : `Location: ${path}`,
    );
    const head = `HTTP/1.1 ${status} X\r\n${lines.join("\r\n")}`;
    const raw = untilTheEnd(await startRawSite(replies(`${head}\r\nContent-Length: 0\r\n\r\n`)));

    expect(await look(raw.url)).toMatchObject({ reason: "redirect_bad_location", isUnsafe: true });
  });

  test("without a target are judged as they are", async () => {
    const site = siteWith({ "/": 302 });

    expect(await look(site.url)).toMatchObject({ kind: "answered", status: 302, hops: [] });
  });

  eachRow(TABLES.forbidden_targets)(
    "are not followed to what no link may have",
    async (_, location, reason) => {
      const site = siteWith({ "/": to(location) });

      expect(await look(site.url)).toMatchObject({
        kind: "failed",
        reason,
        hops: [{ status: 302 }],
      });
    },
  );

  eachRow([
    ["tabs around it", "\t/new\t", "/new"],
    ["an encoded backslash and tab", "/new%5C%09", "/new%5C%09"],
    ["an empty fragment", "/new#", "/new"],
  ])("are followed to what is written oddly", async (_, location, path) => {
    const site = siteWith({ [path]: "hello" });
    const raw = untilTheEnd(
      await startRawSite(
        replies(
          `HTTP/1.1 302 X\r\nLocation: ${location.replace("/", `${site.url}/`)}\r\nContent-Length: 0\r\n\r\n`,
        ),
      ),
    );

    expect(await look(raw.url)).toMatchObject({ status: 200, finalUrl: `${site.url}${path}` });
  });

  test("to a name that leads inside are the redirect's fault", async () => {
    const site = siteWith({ "/": to("http://inside.test/") });
    const resolver = playedResolver({ "inside.test": ["10.0.0.1"] });
    const { checker } = labChecker({ outbound: labOutbound({ resolver }) });

    const result = await probe(checker, { url: site.url, style: USUAL_STYLE, timeoutMs: 3000 });

    expect(result).toMatchObject({ kind: "failed", reason: "redirect_forbidden_target" });
  });

  test("that lead in a circle end at once", async () => {
    const site = siteWith({ "/a": to("/b"), "/b": to("/a#again") });

    expect(await look(`${site.url}/a`)).toMatchObject({ kind: "failed", reason: "redirect_loop" });
    expect(site.requests).toHaveLength(2);
  });

  test("back to the same address with a new cookie are not a loop", async () => {
    const site = siteWith({
      "/": (request) =>
        request.headers.get("cookie") === "seen=yes=1"
          ? new Response("hello")
          : to("/", 302, { "Set-Cookie": "seen=yes=1; Path=/" })(),
    });

    expect(await look(site.url)).toMatchObject({ kind: "answered", status: 200 });
    expect(await look(site.url, { keepsCookies: false })).toMatchObject({
      reason: "redirect_loop",
    });
  });

  test("may be ten, and no more unless asked", async () => {
    const chain = (length: number) =>
      siteWith(
        Object.fromEntries(
          Array.from({ length: length + 1 }, (_, i) => [
            `/${i}`,
            i === length ? "hello" : to(`/${i + 1}`),
          ]),
        ),
      );

    expect(await look(`${chain(10).url}/0`)).toMatchObject({ kind: "answered", status: 200 });
    expect(await look(`${chain(11).url}/0`)).toMatchObject({
      kind: "failed",
      reason: "redirect_too_many",
    });
    expect(await look(`${chain(20).url}/0`, { maxHops: 20 })).toMatchObject({ kind: "answered" });
  });
});

describe("a page that sends its reader on", () => {
  const on = (url: string, delay = 0) =>
    `<meta http-equiv="refresh" content="${delay}; url=${url}"><p>One moment.</p>`;

  test("within ten seconds is a redirect", async () => {
    const site = siteWith({ "/a": on("/b", 10), "/b": "hello" });

    expect(await look(`${site.url}/a`)).toMatchObject({
      kind: "answered",
      finalUrl: `${site.url}/b`,
      hops: [{ url: `${site.url}/a`, status: 200, via: "refresh" }],
    });
  });

  test("by a header is one too", async () => {
    const header = () =>
      new Response("Wait.", { headers: { Refresh: "0; url=/b", "Content-Type": "text/html" } });
    const site = siteWith({ "/a": header, "/b": "hello" });

    expect(await look(`${site.url}/a`)).toMatchObject({ finalUrl: `${site.url}/b` });
  });

  eachRow([
    ["later", on("/b", 11)],
    ["to itself", on("/a")],
    ["with nothing said", on("")],
    ["to an app", on("itms-apps://x")],
    ["to nowhere", on("http://[bad")],
    ["with a backslash", on("/b\\c")],
    ["only without scripts", `<noscript>${on("/b")}</noscript>`],
  ])("later or to no page is the page to be judged", async (_, page) => {
    const site = siteWith({ "/a": page, "/b": "hello" });

    expect(await look(`${site.url}/a`)).toMatchObject({ finalUrl: `${site.url}/a`, hops: [] });
  });

  test("after an error is the error to be judged", async () => {
    const error = () =>
      new Response(on("/"), { status: 404, headers: { "Content-Type": "text/html" } });
    const site = siteWith({ "/a": error, "/": "hello" });

    expect(await look(`${site.url}/a`)).toMatchObject({ status: 404, hops: [] });
  });

  test("is followed three times, and between redirects", async () => {
    const site = siteWith({
      "/1": on("/2"),
      "/2": to("/3"),
      "/3": on("/4"),
      "/4": on("/5"),
      "/5": on("/6"),
      "/6": "hello",
    });

    const found = await look(`${site.url}/1`);

    expect(found.finalUrl).toBe(`${site.url}/5`);
    expect(found.hops.map(({ via }) => via)).toEqual(["refresh", "location", "refresh", "refresh"]);
  });

  test("to where we may not go is not followed there", async () => {
    const site = siteWith({ "/a": on("http://169.254.169.254/latest/") });

    expect(await look(`${site.url}/a`)).toMatchObject({ reason: "redirect_forbidden_target" });
  });
});

describe("a redirect to an app", () => {
  test("leaves the response itself to be judged", async () => {
    const page = () =>
      new Response("<p>Get the app.</p>", {
        status: 302,
        headers: { Location: "itms-apps://itunes.example/app", "Content-Type": "text/html" },
      });
    const site = siteWith({ "/": page });

    expect(await look(site.url)).toMatchObject({
      kind: "answered",
      status: 302,
      hops: [],
      page: { text: "Get the app." },
    });
  });
});

describe("cookies", () => {
  eachRow(["seen", "=seen"])("without a name are sent back", async (line) => {
    const site = siteWith({
      "/": (request) =>
        request.headers.get("cookie") === "seen"
          ? new Response("hello")
          : to("/", 302, { "Set-Cookie": `${line}; Path=/` })(),
    });

    expect(await look(site.url)).toMatchObject({ status: 200, hops: [{ status: 302 }] });
  });

  test("go back to the host that set them and to no other", async () => {
    const end = siteWith({ "/": "hello" });
    const start = siteWith({
      "/": to("/next", 302, { "Set-Cookie": "a=1; HttpOnly" }),
      "/next": to(`http://site.test:${end.port}/`),
    });

    await look(start.url);

    expect(start.requests.map(({ headers }) => headers.get("cookie"))).toEqual([null, "a=1"]);
    expect(end.requests[0]?.headers.get("cookie")).toBeNull();
  });

  test("of a domain go to its other hosts, so that a site that requires them there is no loop", async () => {
    const site = siteWith({
      "/": (request) => {
        const isWww = request.headers.get("host")?.startsWith("www.");
        if (!isWww) {
          const cookie = { "Set-Cookie": "visit=1; Domain=site.test; Path=/" };
          return to(`http://www.site.test:${site.port}/`, 302, cookie)();
        }
        return request.headers.get("cookie") === "visit=1"
          ? new Response("hello")
          : to(`http://site.test:${site.port}/`)();
      },
    });

    const names = playedResolver({ "site.test": ["127.0.0.1"], "www.site.test": ["127.0.0.1"] });
    const { checker } = labChecker({ outbound: labOutbound({ resolver: names }) });
    const url = `http://site.test:${site.port}/`;

    expect(await probe(checker, { url, style: USUAL_STYLE, timeoutMs: 3000 })).toMatchObject({
      kind: "answered",
      status: 200,
    });
  });

  test("of another domain or a public suffix are ignored", async () => {
    const site = siteWith({
      "/": to("/next", 302, { "Set-Cookie": "a=1; Domain=other.test" }),
      "/next": to("/last", 302, { "Set-Cookie": "b=1; Domain=test" }),
      "/last": "hello",
    });

    await look(`http://site.test:${site.port}/`);

    expect(site.requests.map(({ headers }) => headers.get("cookie"))).toEqual([null, null, null]);
  });

  test("are dropped when the server ends them, and never outlive the attempt", async () => {
    const site = siteWith({
      "/": to("/next", 302, { "Set-Cookie": "a=1" }),
      "/next": to("/last", 302, { "Set-Cookie": "a=1; Max-Age=0" }),
      "/last": "hello",
    });

    await look(site.url);
    await look(site.url);

    expect(site.requests.map(({ headers }) => headers.get("cookie"))).toEqual([
      null,
      "a=1",
      null,
      null,
      "a=1",
      null,
    ]);
  });
});

describe("the request", () => {
  test("says who we are, or looks like a browser", async () => {
    const site = siteWith({ "/": "hello" });

    await look(site.url);
    await look(site.url, { profile: "B" });

    const [a, b] = site.requests.map(({ headers }) => headers);
    expect(a?.get("user-agent")).toBe("Stillup/test");
    expect(a?.get("accept-encoding")).toBe("gzip, br");
    expect(b?.get("user-agent")).toStartWith("Mozilla/5.0");
    for (const name of ["range", "referer", "if-none-match", "upgrade-insecure-requests"]) {
      expect(a?.get(name)).toBeNull();
      expect(b?.get(name)).toBeNull();
    }
  });

  test("reads a page up to a mebibyte, and of a file only its beginning", async () => {
    const big = "a".repeat(2_000_000);
    const file = () => new Response(big, { headers: { "Content-Type": "application/zip" } });
    const site = siteWith({ "/page": big, "/file": file });

    const page = await look(`${site.url}/page`);
    const zip = await look(`${site.url}/file`);

    expect(page).toMatchObject({ truncated: true });
    expect(page).toMatchObject({ bodyBytes: 1_048_576, page: { text: "a".repeat(16_384) } });
    expect(zip).toMatchObject({ truncated: true, page: null });
    expect((zip as { bodyBytes: number }).bodyBytes).toBeLessThanOrEqual(16_384);
  });

  test("is not sent for what may not be checked", async () => {
    expect(await look("ftp://example.org/")).toMatchObject({ reason: "scheme_unsupported" });
    expect(await look("http://[bad")).toMatchObject({ reason: "url_invalid" });
    const policy = { allowed: parseHostList("external"), blocked: parseHostList("") };
    const { checker } = labChecker({ outbound: labOutbound({ policy }) });
    expect(
      await probe(checker, { url: "http://127.0.0.1/", style: USUAL_STYLE, timeoutMs: 100 }),
    ).toMatchObject({
      reason: "target_forbidden",
    });
  });

  test("shares its time with all redirects", async () => {
    const site = siteWith({ "/": to("/next"), "/next": "hello" });
    const { clock, checker } = labChecker();
    const request: typeof checker.outbound.request = async (...input) => {
      const exchange = await checker.outbound.request(...input);
      clock.moveBy(3000);
      return { ...exchange, elapsedMs: 3000 };
    };
    const outbound = { ...checker.outbound, request };

    const result = await probe(
      { ...checker, outbound },
      { url: site.url, style: USUAL_STYLE, timeoutMs: 3000 },
    );

    expect(result).toMatchObject({
      kind: "failed",
      reason: "read_timeout",
      hops: [{ status: 302 }],
    });
    expect(site.requests).toHaveLength(1);
  });

  test("that is given up is an aborted check", async () => {
    const site = siteWith({ "/": "hello" });

    const result = await probe(labChecker().checker, {
      url: site.url,
      style: USUAL_STYLE,
      timeoutMs: 3000,
      signal: AbortSignal.abort(),
    });

    expect(result).toMatchObject({ kind: "failed", reason: "check_aborted" });
  });
});
