import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { eachRow } from "../../../tests/each-row.ts";
import { freePort } from "../../../tests/free-port.ts";
import { labOutbound, playedResolver } from "../../../tests/outbound/lab.ts";
import {
  type Certificate,
  greets,
  NAMELESS_CA,
  replies,
  repliesAndHolds,
  resets,
  startRawSite,
  startSite,
  staysSilent,
  TEST_CA,
} from "../../../tests/site.ts";
import type { RequestInput } from "./exchange.ts";
import { parseHostList } from "./policy.ts";

/** The start at once, and then a byte now and then for as long as anyone listens. */
function drip(socket: Socket, start: string) {
  socket.write(start);
  const timer = setInterval(() => socket.write("a"), 20);
  socket.on("close", () => clearInterval(timer));
}

type Stoppable = { stop(): Promise<void> };
const running: Stoppable[] = [];
const until = <T extends Stoppable>(site: T): T => {
  running.push(site);
  return site;
};
const raw = async (...input: Parameters<typeof startRawSite>) =>
  until(await startRawSite(...input));

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const usual: RequestInput = { timeoutMs: 5000, bodyCap: 1024 };
const ask = (url: string, input: Partial<RequestInput> = {}) =>
  labOutbound().request(url, { ...usual, ...input });
const outcomeOf = async (...input: Parameters<typeof ask>): Promise<string | number> => {
  const exchange = await ask(...input);
  return exchange.kind === "failed" ? exchange.reason : exchange.status;
};
const cookies = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => `Set-Cookie: c${i}=${"a".repeat(length)}\r\n`).join("");
const ok = (headers: string, body = "") => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;

describe("a request", () => {
  test("brings back status, headers and body, and says where it went", async () => {
    const site = until(startSite({ "/a%F6": "hello" }));

    const exchange = await ask(`http://site.test:${site.port}/a%F6?q=%2526#part`);

    expect(exchange).toMatchObject({
      kind: "response",
      status: 200,
      address: "127.0.0.1",
      truncated: false,
    });
    expect(exchange.kind === "response" && Buffer.from(exchange.body).toString()).toBe("hello");
    expect(site.requests[0]?.headers.get("host")).toBe(`site.test:${site.port}`);
    expect(site.requests[0]?.url).toEndWith("/a%F6?q=%2526");
  });

  test("carries the caller's method, headers and body", async () => {
    const site = until(startSite({ "/hook": 200 }));

    await ask(`${site.url}/hook`, { method: "POST", headers: { "X-Id": "7" }, body: '{"a":"é"}' });

    expect(site.requests[0]?.method).toBe("POST");
    expect(site.requests[0]?.headers.get("x-id")).toBe("7");
    expect(site.requests[0]?.body).toBe('{"a":"é"}');
  });

  test("follows no redirect", async () => {
    const site = until(startSite({ "/": () => Response.redirect("/next", 302), "/next": "hello" }));

    expect(await outcomeOf(site.url)).toBe(302);
    expect(site.requests).toHaveLength(1);
  });

  test("reads no more of a body than asked for", async () => {
    const endless = await raw((socket) => {
      socket.write(ok("Content-Type: text/plain"));
      socket.on("drain", () => socket.write("a".repeat(65_536)));
      socket.write("a".repeat(1_000_000));
    });

    const exchange = await ask(endless.url);

    expect(exchange).toMatchObject({ kind: "response", truncated: true, bodyProblem: null });
    expect(exchange.kind === "response" && exchange.body.length).toBe(1024);
  });

  test("counts the cap after unpacking", async () => {
    const packed = gzipSync(Buffer.alloc(5_000_000));
    const site = until(
      startSite({ "/": () => new Response(packed, { headers: { "Content-Encoding": "gzip" } }) }),
    );

    const exchange = await ask(site.url);

    expect(exchange).toMatchObject({ truncated: true });
    expect(exchange.kind === "response" && exchange.body.length).toBe(1024);
  });

  test("goes to the next address when one refuses", async () => {
    const site = until(startSite({ "/": "hello" }));
    const resolver = playedResolver({ "two.test": ["127.0.0.9", "127.0.0.1"] });

    const exchange = await labOutbound({ resolver }).request(
      `http://two.test:${site.port}/`,
      usual,
    );

    expect(exchange).toMatchObject({ kind: "response", status: 200, address: "127.0.0.1" });
  });

  test("gives both families a turn within three addresses", async () => {
    const site = until(startSite({ "/": "hello" }));
    const resolver = playedResolver({ "many.test": ["::1", "::1", "::1", "::1", "127.0.0.1"] });

    const exchange = await labOutbound({ resolver }).request(
      `http://many.test:${site.port}/`,
      usual,
    );

    expect(exchange).toMatchObject({ kind: "response", address: "127.0.0.1" });
  });

  test("ends when its caller gives up", async () => {
    const silent = await raw(staysSilent);
    const stop = new AbortController();

    const answer = outcomeOf(silent.url, { signal: stop.signal });
    stop.abort();

    expect(await answer).toBe("aborted");
  });

  test("is not sent once its caller has given up", async () => {
    const site = until(startSite({ "/": "hello" }));
    const given = Array.from({ length: 20 }, () =>
      outcomeOf(site.url, { signal: AbortSignal.abort() }),
    );

    expect(new Set(await Promise.all(given))).toEqual(new Set(["aborted"]));
    // What was sent before has arrived by the time of its answer.
    expect(await outcomeOf(site.url)).toBe(200);
    expect(site.requests).toHaveLength(1);
  });
});

describe("what goes wrong has one name each:", () => {
  test("no one listens", async () => {
    expect(await outcomeOf(`http://127.0.0.1:${freePort()}/`)).toBe("conn_refused");
  });

  eachRow([
    ["a reset", resets, "conn_reset"],
    ["an empty reply", replies(""), "conn_reset"],
    ["half a status line", replies("HTTP/1.1 20"), "conn_reset"],
    ["half the headers", replies("HTTP/1.1 200 OK\r\nContent-Le"), "conn_reset"],
    ["another protocol's greeting", greets("SSH-2.0-OpenSSH_9.9\r\n"), "http_malformed"],
    ["300 headers", replies(ok("X: 1\r\n".repeat(300))), 200],
    ["two lengths", replies(ok("Content-Length: 2\r\nContent-Length: 3", "hi")), "http_malformed"],
    ["two lengths in one", replies(ok("Content-Length: 2, 3", "hi")), "http_malformed"],
    ["the same length twice", replies(ok("Content-Length: 2\r\nContent-Length: 2", "hi")), 200],
    ["an HTTP/0.9 page", replies("<title>hi</title>\r\n"), "http_malformed"],
    ["a status of two digits", replies("HTTP/1.1 20 OK\r\n\r\nhi"), "http_malformed"],
    ["an upgrade that was not requested", replies("HTTP/1.1 101 X\r\n\r\n"), "http_unexpected"],
    [
      "80 KB of headers",
      replies(ok(`X: ${"a".repeat(80_000)}\r\nContent-Length: 0`)),
      "header_overflow",
    ],
    ["2 MB of headers", replies(ok(`X: ${"a".repeat(2_000_000)}`)), "header_overflow"],
    ["an unknown status", replies("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"), 999],
    ["40 KB of headers", replies(ok(`X: ${"a".repeat(40_000)}\r\nContent-Length: 0`)), 200],
    ["40 KB of cookies", replies(ok(`${cookies(100, 400)}Content-Length: 0`)), 200],
    ["80 KB of cookies", replies(ok(`${cookies(100, 800)}Content-Length: 0`)), "header_overflow"],
    ["300 cookies", replies(ok(`${cookies(300, 1)}Content-Length: 0`)), 200],
  ])("before there is a response", async (_, behaviour, expected) => {
    const site = await raw(behaviour);

    expect(await outcomeOf(site.url)).toBe(expected);
  });

  test("silence after the connection is a read time-out", async () => {
    const site = await raw(staysSilent);

    expect(await outcomeOf(site.url, { timeoutMs: 200 })).toBe("read_timeout");
    expect(await outcomeOf(site.url, { headersMs: 200 })).toBe("read_timeout");
  });

  eachRow([
    ["cut short", replies(ok("Content-Length: 9", "hello")), "body_incomplete"],
    ["a broken chunk", replies(ok("Transfer-Encoding: chunked", "zz\r\nhello")), "body_incomplete"],
    [
      "packed wrongly",
      replies(ok("Content-Encoding: gzip\r\nContent-Length: 5", "hello")),
      "body_undecodable",
    ],
    [
      "packed unknowably",
      replies(ok("Content-Encoding: compress\r\nContent-Length: 5", "hello")),
      "body_undecodable",
    ],
    ["never ending", repliesAndHolds(ok("Content-Length: 9", "hello")), "read_timeout"],
  ])("after the status, which is left standing", async (_, behaviour, problem) => {
    const site = await raw(behaviour);

    expect(await ask(site.url, { timeoutMs: 300 })).toMatchObject({
      status: 200,
      bodyProblem: problem,
    });
  });

  eachRow([
    ["Transfer-Encoding: chunked\r\nContent-Length: 3"],
    ["Content-Length: 3\r\nTransfer-Encoding: chunked"],
  ])("chunks count more than a length", async (headers) => {
    const site = await raw(replies(ok(headers, "5\r\nhello\r\n0\r\n\r\n")));

    const exchange = await ask(site.url);

    expect(exchange).toMatchObject({ status: 200, bodyBytes: 5, bodyProblem: null });
  });

  test("what dripped in before time ran out is kept", async () => {
    const site = await raw(repliesAndHolds(ok("Content-Length: 9", "hello")));

    const exchange = await ask(site.url, { timeoutMs: 300 });

    expect(exchange.kind === "response" && Buffer.from(exchange.body).toString()).toBe("hello");
  });

  test("a body that drips does not outlast its time", async () => {
    const site = await raw((socket) => socket.once("data", () => drip(socket, ok("X: 1"))));

    const exchange = await ask(site.url, { timeoutMs: 300 });

    expect(exchange).toMatchObject({ status: 200, truncated: true, bodyProblem: "read_timeout" });
  });

  test("headers that drip do not outlast theirs", async () => {
    const site = await raw((socket) =>
      socket.once("data", () => drip(socket, "HTTP/1.1 200 OK\r\nX:")),
    );

    expect(await outcomeOf(site.url, { headersMs: 300 })).toBe("read_timeout");
  });

  test("time runs out for all addresses together", async () => {
    const site = await raw(staysSilent);
    const resolver = playedResolver({ "two.test": ["127.0.0.1", "127.0.0.1"] });

    await labOutbound({ resolver }).request(`http://two.test:${site.port}/`, {
      ...usual,
      timeoutMs: 200,
    });

    expect(site.connections).toBeLessThanOrEqual(2);
  });
});

const chunked = (size: string) => `Transfer-Encoding: chunked\r\n\r\n${size}\r\nhello\r\n0\r\n\r\n`;
const OK = "HTTP/1.1 200 OK\r\n";
const packed = (encoding: string, body: Uint8Array) =>
  Buffer.concat([Buffer.from(ok(`Content-Encoding: ${encoding}`)), body]);
const zipped = gzipSync("hello");

describe("a response that browsers show", () => {
  eachRow<[string, string | Uint8Array]>([
    ["folded headers", ok("X: 1\r\n 2\r\n\t3\r\nContent-Length: 5", "hello")],
    ["a folded length", ok("Content-Length:\r\n 5", "hello")],
    ["a fold before the first header", `${OK} x\r\nContent-Length: 5\r\n\r\nhello`],
    ["a blank before the colon", ok("Server : x\r\nContent-Length : 5", "hello")],
    ["a line without a colon", ok("<br>\r\nContent-Length: 5", "hello")],
    ["a status line among the headers", ok("HTTP/1.0 200 OK\r\nContent-Length: 5", "hello")],
    ["a header without a name", ok(": x\r\nContent-Length: 5", "hello")],
    ["a header with a NUL", ok("X: a\0b\r\nContent-Length: 5", "hello")],
    ["a length written twice", ok("Content-Length: 5, 5", "hello")],
    ["a negative length", ok("Content-Length: -5", "hello")],
    ["an empty length", ok("Content-Length:", "hello")],
    ["an unknown transfer coding", ok("Transfer-Encoding: mine", "hello")],
    ["chunks said twice", `${OK}Transfer-Encoding: chunked\r\n${chunked("5")}`],
    ["a padded chunk size", `${OK}${chunked("5      ")}`],
    ["a padded chunk size with an extension", `${OK}${chunked("5  ;a=b")}`],
    ["a radio's greeting", "ICY 200 OK\r\nicy-name: x\r\n\r\nhello"],
    ["a version in lower case", "http/1.1 200 ok\r\n\r\nhello"],
    ["empty lines before it", `\r\n\r\n${ok("Content-Length: 5", "hello")}`],
    ["an early hint that is malformed", `HTTP/1.1 103 X\r\nx\r\n\r\n${ok("x", "hello")}`],
    ["an encoding that is a charset", ok("Content-Encoding: UTF-8", "hello")],
    ["an encoding that says none", ok("Content-Encoding: none", "hello")],
    ["gzip named twice and packed once", packed("gzip, gzip", zipped)],
    ["gzip in two lines and packed once", packed("gzip\r\nContent-Encoding: gzip", zipped)],
    ["gzip named twice and packed twice", packed("gzip, x-gzip", gzipSync(zipped))],
    ["gzip and a charset", packed("gzip, utf-8", zipped)],
    ["brotli named twice", packed("br, br", brotliCompressSync("hello"))],
  ])("has its body, however odd", async (_, response) => {
    const exchange = await ask((await raw(replies(response))).url);

    expect(exchange).toMatchObject({ kind: "response", status: 200, bodyProblem: null });
    expect(exchange.kind === "response" && Buffer.from(exchange.body).toString()).toBe("hello");
  });

  test("keeps the caps on headers and body, the time limit, and the abort", async () => {
    const folded = "Content-Length: 9, 9\r\n x";
    const long = await raw(replies(ok(`x\r\n${"X: 1\r\n".repeat(20_000)}`)));
    const large = await raw(replies(ok(folded.replaceAll("9", "5000"), "a".repeat(5000))));
    const slow = await raw(repliesAndHolds(ok(folded, "hello")));
    const silent = await raw(repliesAndHolds(`${OK}Content-Length: 5, 5\r\n`));

    expect(await ask(long.url)).toMatchObject({ kind: "failed", isAnswered: true });
    expect(await ask(large.url)).toMatchObject({ bodyBytes: 1024, truncated: true });
    expect(await ask(slow.url, { timeoutMs: 300 })).toMatchObject({ bodyProblem: "read_timeout" });
    expect(await outcomeOf(silent.url, { timeoutMs: 300 })).toBe("read_timeout");
  });

  test("is read again over TLS, with the certificate verified", async () => {
    const response = replies(ok("x\r\nContent-Length: 5", "hello"));
    const { port } = await raw(response, { certificate: "good" });

    expect(await ask(`https://site.test:${port}/`)).toMatchObject({ status: 200, bodyBytes: 5 });
    expect(await outcomeOf(`https://other.test:${port}/`)).toBe("tls_name_mismatch");
  });

  test("is a body cut short if it ends within a chunk or before its length", async () => {
    const sized = await raw(replies(ok("x\r\nContent-Length: 9", "hello")));
    const inChunk = await raw(replies(`${OK}x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello`));

    expect(await ask(sized.url)).toMatchObject({ bodyBytes: 5, bodyProblem: "body_incomplete" });
    expect(await ask(inChunk.url)).toMatchObject({ bodyBytes: 5, bodyProblem: "body_incomplete" });
  });

  test("is not requested again if the request may change something", async () => {
    const site = await raw(replies(ok("x", "hello")));

    expect(await ask(site.url, { method: "POST" })).toMatchObject({ isAnswered: true });
    expect(site.connections).toBe(1);
  });

  eachRow([
    ["lengths that differ", ok("Content-Length: 2\r\nContent-Length: 3", "hi"), true],
    ["such lengths of an error", "HTTP/1.1 500 X\r\nContent-Length: 2, 3\r\n\r\nhi", undefined],
    ["no HTTP at all", "220 mail ESMTP\r\n", undefined],
  ])("says of one that they refuse whether it is a success", async (_, response, isAnswered) => {
    const exchange = await ask((await raw(replies(response))).url);

    expect(exchange).toMatchObject({ kind: "failed", reason: "http_malformed" });
    expect(exchange.kind === "failed" && exchange.isAnswered).toBe(isAnswered);
  });
});

describe("a header of which a response has one", () => {
  eachRow([
    ["equal lines", "Location: /b\r\nLocation: /b", "location", "/b", false],
    ["lines that differ", "Location: /b\r\nLocation: /c", "location", "/b, /c", true],
    ["a comma", "Location: /a, /b", "location", "/a, /b", false],
    ["the same twice in one line", "Location: /a, /a", "location", "/a, /a", false],
    ["refreshes that differ", "Refresh: 0; url=/a\r\nRefresh: 0; url=/b", "x", null, true],
    [
      "a date twice",
      `${"Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n".repeat(2)}X: 1`,
      "retry-after",
      "Fri, 31 Dec 1999 23:59:59 GMT",
      false,
    ],
    ["seconds three times", `${"Retry-After: 9\r\n".repeat(3)}X: 1`, "retry-after", "9", false],
    [
      "a type twice",
      `${"Content-Type: text/html\r\n".repeat(2)}X: 1`,
      "content-type",
      "text/html",
      false,
    ],
    ["a tag with a comma", 'ETag: "a, b"', "etag", '"a, b"', false],
  ])("is read, or known for its conflict", async (_, lines, name, value, hasConflict) => {
    const site = await raw(replies(`HTTP/1.1 302 X\r\n${lines}\r\nContent-Length: 0\r\n\r\n`));
    const exchange = await ask(site.url);

    expect(exchange).toMatchObject({ kind: "response", hasConflict });
    expect(exchange.kind === "response" && exchange.headers.get(name)).toBe(value);
  });
});

describe("over TLS", () => {
  const secure = async (certificate: Certificate) =>
    (await raw(replies(ok("Content-Length: 2", "hi")), { certificate })).port;

  eachRow([
    ["good", 200],
    ["expired", "tls_expired"],
    ["early", "tls_not_yet_valid"],
    ["self", "tls_self_signed"],
    ["other", "tls_name_mismatch"],
  ] as const)("a certificate is taken or has its reason", async (certificate, expected) => {
    expect(await outcomeOf(`https://site.test:${await secure(certificate)}/`)).toBe(expected);
  });

  test("the name in the URL must be on the certificate, not the address dialled", async () => {
    expect(await outcomeOf(`https://other.test:${await secure("good")}/`)).toBe(
      "tls_name_mismatch",
    );
    expect(await outcomeOf(`https://127.0.0.1:${await secure("good")}/`)).toBe(200);
  });

  test("a certificate without alternative names is for no name", async () => {
    const outbound = labOutbound({ extraCa: NAMELESS_CA });
    const url = `https://site.test:${await secure("nameless")}/`;

    expect(await outbound.request(url, usual)).toMatchObject({ reason: "tls_name_mismatch" });
  });

  eachRow(["TLSv1.2", "TLSv1.3"] as const)(
    "a wanted client certificate has its reason",
    async (version) => {
      const limits = { minVersion: version, maxVersion: version, ca: TEST_CA };
      const wanting = { requestCert: true, rejectUnauthorized: true, ...limits };
      const answer = replies(ok("Content-Length: 2", "hi"));
      const strict = await raw(answer, { certificate: "good", ...wanting });
      const lenient = await raw(answer, {
        certificate: "good",
        ...wanting,
        rejectUnauthorized: false,
      });

      expect(await outcomeOf(`https://site.test:${strict.port}/`)).toBe("client_certificate");
      expect(await outcomeOf(`https://site.test:${lenient.port}/`)).toBe(200);
    },
  );

  test("an unknown authority is not trusted", async () => {
    const port = await secure("good");

    const exchange = await labOutbound({ extraCa: undefined }).request(
      `https://site.test:${port}/`,
      usual,
    );

    expect(exchange).toMatchObject({ kind: "failed", reason: "tls_untrusted" });
  });

  test("a server without TLS, or one that hangs up, is not a certificate problem", async () => {
    const plain = await raw(replies("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const rude = await raw(resets);

    expect(await outcomeOf(`https://site.test:${plain.port}/`)).toBe("tls_protocol");
    expect(await outcomeOf(`https://site.test:${rude.port}/`)).toBe("tls_handshake_reset");
  });

  test("a reset after the handshake differs from one during it", async () => {
    const site = await raw((socket) => socket.once("data", () => socket.destroy()), {
      certificate: "good",
    });

    expect(await outcomeOf(`https://site.test:${site.port}/`)).toBe("conn_reset");
  });

  test("the end of a certificate is known, and a bad one can be looked past", async () => {
    const good = await ask(`https://site.test:${await secure("good")}/`);
    const past = await ask(`https://site.test:${await secure("expired")}/`, { trust: "any" });

    expect(good.tlsExpiresAt).toBe(Date.parse("2126-10-28T13:24:50Z"));
    expect(past).toMatchObject({ kind: "response", status: 200 });
  });
});

describe("the gates", () => {
  const closed = { allowed: parseHostList("external"), blocked: parseHostList("") };

  test("let no connection through to an address that is not allowed, however it is written", async () => {
    const site = await raw(staysSilent);
    const outbound = labOutbound({
      policy: closed,
      resolver: playedResolver({
        "inside.test": ["127.0.0.1"],
        "half-inside.test": ["127.0.0.1", "10.0.0.1"],
      }),
    });

    for (const host of [
      "127.0.0.1",
      "2130706433",
      "[::ffff:127.0.0.1]",
      "localhost",
      "inside.test",
      "half-inside.test",
    ]) {
      expect(await outbound.request(`http://${host}:${site.port}/`, usual)).toMatchObject({
        reason: "target_forbidden",
        detail: expect.stringContaining("STILLUP_CHECK_ALLOWED_HOSTS"),
      });
    }
    expect(site.connections).toBe(0);
  });

  test("use the addresses of a name that are allowed and drop the rest", async () => {
    const site = await raw(replies(ok("Content-Length: 5", "hello")), { host: "0.0.0.0" });
    const policy = { allowed: parseHostList("loopback"), blocked: parseHostList("127.0.0.2") };
    const resolver = playedResolver({ "mixed.test": ["127.0.0.2", "10.0.0.1", "127.0.0.1"] });

    const exchange = await labOutbound({ policy, resolver }).request(
      `http://mixed.test:${site.port}/`,
      usual,
    );

    expect(exchange).toMatchObject({ status: 200, address: "127.0.0.1" });
    expect(site.connections).toBe(1);
  });

  test("read no files, and send nothing without http", async () => {
    expect(await outcomeOf("file:///etc/hostname")).toBe("scheme_unsupported");
    expect(await outcomeOf("data:text/html,hello")).toBe("scheme_unsupported");
    expect(await outcomeOf("http://user:pass@127.0.0.1/")).toBe("url_invalid");
  });

  test("take no longer for a name than the request may take", async () => {
    const played = playedResolver({});
    const resolver = { ...played, resolve: () => new Promise<never>(() => {}) };

    const exchange = await labOutbound({ resolver }).request("http://slow.test/", {
      ...usual,
      timeoutMs: 20,
    });

    expect(exchange).toMatchObject({ kind: "failed", reason: "dns_timeout" });
  });

  test("name trouble with a name", async () => {
    const outbound = labOutbound({ resolver: playedResolver({ "ill.test": "dns_servfail" }) });

    expect(await outbound.request("http://ill.test/", usual)).toMatchObject({
      reason: "dns_servfail",
    });
    expect(await outbound.request("http://gone.test/", usual)).toMatchObject({
      reason: "dns_nxdomain",
    });
  });

  eachRow([[["0.0.0.0"]], [["::"]], [["0.0.0.0", "::"]], [["::ffff:0.0.0.0"]]])(
    "take addresses of nothing for the answer of a filter, and say how to allow it",
    async (addresses) => {
      const resolver = playedResolver({ "filtered.test": addresses });

      const exchange = await labOutbound({ resolver, policy: closed }).request(
        "http://filtered.test/",
        usual,
      );

      expect(exchange).toMatchObject({
        reason: "network_filter",
        detail: expect.stringContaining("STILLUP_CHECK_ALLOWED_HOSTS"),
      });
    },
  );

  eachRow(["http://127.0.0.1/", "http://[::1]/", "http://0.0.0.0/", "http://localhost/"])(
    "do not take what a person typed for one",
    async (url) => {
      const resolver = playedResolver({ localhost: ["127.0.0.1"] });

      expect(await labOutbound({ resolver, policy: closed }).request(url, usual)).toMatchObject({
        reason: "target_forbidden",
      });
    },
  );
});

describe("with a proxy", () => {
  test("the proxy is asked for the vetted address, with the name as Host", async () => {
    const lines: string[] = [];
    const proxy = await raw((socket) =>
      socket.once("data", (data) => {
        lines.push(...data.toString().split("\r\n"));
        socket.end(ok("Content-Length: 0"));
      }),
    );
    const resolver = playedResolver({ "far.test": ["8.8.8.8"], "inside.test": ["10.0.0.1"] });
    const outbound = labOutbound({ resolver, proxy: proxy.url });

    expect(await outbound.request("http://far.test/x", usual)).toMatchObject({ status: 200 });
    expect(lines[0]).toBe("GET http://8.8.8.8/x HTTP/1.1");
    expect(lines).toContain("Host: far.test");
    expect(await outbound.request("http://inside.test/", usual)).toMatchObject({
      reason: "target_forbidden",
    });
  });

  test("that resolves names on its own, the name goes out unjudged", async () => {
    const lines: string[] = [];
    const proxy = await raw((socket) =>
      socket.once("data", (data) => {
        lines.push(...data.toString().split("\r\n"));
        socket.end(ok("Content-Length: 0"));
      }),
    );

    await labOutbound({ proxy: proxy.url, proxyResolves: true }).request(
      "http://far.test/x",
      usual,
    );

    expect(lines[0]).toBe("GET http://far.test/x HTTP/1.1");
  });

  test("that is down, the monitor is to blame and not the link", async () => {
    const refusing = await raw(replies("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"));
    // Last, since the next listener may get a port that is free.
    const outbound = labOutbound({ proxy: `http://127.0.0.1:${freePort()}` });

    expect(await outbound.request("http://site.test/", usual)).toMatchObject({
      reason: "monitor_proxy_error",
    });
    expect(
      await labOutbound({ proxy: refusing.url }).request("https://site.test/", usual),
    ).toMatchObject({
      reason: "monitor_proxy_error",
    });
  });
});
