import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { yieldToEventLoop } from "../../server/lib/steps.ts";
import { freePort } from "../free-port.ts";
import { type Asker, type Parsed, startServer, type TestServer } from "../harness.ts";
import { type NameSays, type PlayedNameServer, startNameServer } from "../name-server.ts";
import { checkDueLinks } from "../rounds.ts";
import {
  greets,
  type Routes,
  replies,
  repliesAndHolds,
  resets,
  type Says,
  startRawSite,
  startSite,
  staysSilent,
  TEST_CA,
} from "../site.ts";
import { startFullServer } from "./full-server.ts";

/**
 * Each row is a link that goes the whole way: made over the API, checked by the program with its own
 * resolver, certificates and sentinels, and read over the API.
 */
type Row = [what: string, url: string, seen: string, more?: object];

const HERE: NameSays = { A: ["127.0.0.1"] };
const HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

const stops: (() => unknown)[] = [];
const names: Record<string, NameSays> = {};
const second: Record<string, NameSays> = {};
const found = new Map<string, Parsed>();
let server: TestServer;
const rows: Row[] = [];

/** A site of its own name, so that nobody waits for anybody's politeness. */
function named(name: string, port: number, scheme = "http"): string {
  names[`${name}.test`] = HERE;
  second[`${name}.test`] = HERE;
  return `${scheme}://${name}.test:${port}`;
}

async function raw(name: string, ...how: Parameters<typeof startRawSite>): Promise<string> {
  const site = await startRawSite(...how);
  stops.push(site.stop);
  return named(name, site.port, how[1]?.certificate ? "https" : "http");
}

function site(name: string, routes: Routes, otherwise: Says = 404): string {
  const { port, stop } = startSite(routes, { otherwise });
  stops.push(stop);
  return named(name, port);
}

const answer =
  (status: number, headers: Record<string, string> = {}, body = "A page.") =>
  () =>
    new Response(body, { status, headers: { "Content-Type": "text/html", ...headers } });
const to = (location: string) => answer(302, { Location: location });
const story = `<title>A story</title><h1>A story</h1><article>${"Some words of it. ".repeat(200)}</article>`;
const missing = "<title>Page not found</title><h1>Page not found</h1><p>Nothing is here.</p>";
const parked = `<html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANDrp2lz7AOmADaN8tA50LsWcjLFyQFcb/P2Txc58oYOeILb3vBw7J6f4pamkAQVSQuqYsKx3YzdUHCvbVZvFUsCAwEAAQ"><title>parked.test</title><p>This domain is for sale!</p>`;

/** Names that are answered as told by both servers, or by each as told. */
function dns(name: string, first: NameSays, other: NameSays = first): string {
  names[`${name}.test`] = first;
  second[`${name}.test`] = other;
  return `http://${name}.test/page`;
}

const NAME_ROWS = (): Row[] => [
  ["a name that nobody knows", dns("gone", { rcode: 3 }), "dead dns_nxdomain"],
  ["a name without addresses", dns("bare", {}), "unknown dns_nodata"],
  ["name servers that fail", dns("fail", { rcode: 2 }), "unknown dns_servfail"],
  ["name servers that refuse", dns("refuse", { rcode: 5 }), "unknown dns_refused"],
  ["name servers that know no such question", dns("notimp", { rcode: 4 }), "unknown dns_refused"],
  [
    "name servers that find the question wrong",
    dns("formerr", { rcode: 1 }),
    "unknown dns_malformed",
  ],
  ["name servers that talk nonsense", dns("nonsense", "nonsense"), "unknown dns_malformed"],
  ["name servers that are silent", dns("silent", "silence"), "unknown dns_timeout"],
  [
    "a name that one server does not know and the other refuses",
    dns("half", { rcode: 3 }, { rcode: 5 }),
    "unknown unconfirmed",
    { evidence: { cause: "dns_nxdomain" } },
  ],
  [
    "a name that a filter answers with no address",
    dns("ads", { A: ["0.0.0.0"] }),
    "unknown network_filter",
  ],
  ["a name that leads inside", dns("inside", { A: ["10.0.0.1"] }), "unknown target_forbidden"],
];

const CONNECTION_ROWS = async (): Promise<Row[]> => [
  ["a port that nobody listens on", `${named("refused", freePort())}/`, "unknown conn_refused"],
  ["a server that is full", `${named("full", await fullServer())}/`, "unknown conn_timeout"],
  ["a server that says nothing", await raw("quiet", staysSilent), "unknown read_timeout"],
  ["a server that resets", await raw("reset", resets), "unknown conn_reset"],
  ["a server that hangs up", await raw("empty", replies("")), "unknown conn_reset"],
  ["a mail server", await raw("mail", greets("220 mail ESMTP\r\n")), "unknown http_malformed"],
  [
    "three hundred headers",
    await raw("headers", replies(`${HTML}${"X-Header: 1\r\n".repeat(300)}\r\nhi`)),
    "active ok",
  ],
  [
    "headers without end",
    await raw("overflow", replies(`${HTML}X-Long: ${"a".repeat(70_000)}\r\n\r\nhi`)),
    "unknown header_overflow",
  ],
];

const fine = replies(`${HTML}Content-Length: 2\r\n\r\nhi`);
const gone = replies("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");

const SECURE_ROWS = async (): Promise<Row[]> => [
  ["a good certificate", await raw("site", fine, { certificate: "good" }), "active ok"],
  [
    "a certificate that has expired",
    await raw("site", fine, { certificate: "expired" }),
    "unknown tls_expired",
  ],
  [
    "a certificate that is not valid yet",
    await raw("site", fine, { certificate: "early" }),
    "unknown tls_not_yet_valid",
  ],
  [
    "a certificate of one's own",
    await raw("site", fine, { certificate: "self" }),
    "unknown tls_self_signed",
  ],
  [
    "a certificate for another name",
    await raw("site", fine, { certificate: "other" }),
    "unknown tls_name_mismatch",
  ],
  [
    "a missing page behind a bad certificate",
    await raw("site", gone, { certificate: "expired" }),
    "dead http_404",
  ],
  [
    "plain http where https should be",
    (await raw("plain", fine)).replace("http:", "https:"),
    "unknown tls_protocol",
    {
      evidence: {
        notes: [expect.stringMatching(/^http:\/\/plain\.test:\d+\/ returns 200\.$/)],
      },
    },
  ],
  [
    "a handshake that breaks off",
    (await raw("broken", resets)).replace("http:", "https:"),
    "unknown tls_handshake_reset",
  ],
];

const STATUS_ROWS = (): Row[] => [
  ["a page that is missing", site("s404", {}), "dead http_404"],
  ["a page that is gone", site("s410", { "/": 410 }), "dead http_410"],
  ["a page that is guarded", site("s401", { "/": 401 }), "unknown http_401"],
  ["a page that we may not see", site("s403", { "/": 403 }), "unknown http_403"],
  ["too many requests", site("s429", { "/": 429 }), "unknown http_429"],
  ["a server in trouble", site("s500", { "/": 500 }), "unknown http_500"],
  ["an empty success", site("s204", { "/": 204 }), "active ok_empty"],
  [
    "a wall",
    site("wall", { "/": answer(403, { "cf-mitigated": "challenge" }) }),
    "unknown bot_challenge",
  ],
  [
    "a missing page behind a wall",
    site("wall404", { "/": answer(404, { "cf-mitigated": "challenge" }) }),
    "unknown bot_challenge",
  ],
  [
    "works on the site",
    site("works", { "/": "<title>Site under maintenance</title>" }),
    "unknown maintenance",
  ],
];

const REDIRECT_ROWS = (): Row[] => [
  [
    "a page that has moved",
    `${site("moved", { "/a": to("/b"), "/b": story })}/a`,
    "active ok_redirected",
  ],
  [
    "a page that sends its reader on",
    `${site("on", { "/a": '<meta http-equiv="refresh" content="0;url=/b">', "/b": story })}/a`,
    "active ok_redirected",
    { evidence: { redirects: [{ via: "refresh" }] } },
  ],
  ["a circle", `${site("circle", { "/a": to("/b"), "/b": to("/a") })}/a`, "unknown redirect_loop"],
  [
    "a way to nowhere",
    `${site("nowhere", { "/a": to("http://[bad") })}/a`,
    "unknown redirect_bad_location",
  ],
  [
    "a way with a backslash",
    `${site("backslash", { "/a": to("/\\other.test/b"), "/other.test/b": story })}/a`,
    "unknown redirect_bad_location",
    { evidence: { signals: [{ rule: "unsafe_location" }] } },
  ],
  [
    "a way inside",
    `${site("inward", { "/a": to("http://169.254.169.254/") })}/a`,
    "unknown redirect_forbidden_target",
  ],
  [
    "a way to a log-in",
    `${site("members", { "/a": to("/login?next=/a"), "/login": "<form></form>" })}/a`,
    "unknown login_required",
  ],
  [
    "a way to an error page",
    `${site("error", { "/a": to("/404.html"), "/404.html": "Sorry." })}/a`,
    "dead soft404_redirect_error",
  ],
  [
    "a way to the home page, as for any missing page",
    `${site("home", { "/": `${story}<a href="/about">About</a>`, "/about": "<title>About</title>Us.", "/robots.txt": 404 }, to("/"))}/item/5`,
    "dead soft404_redirect_home",
  ],
  [
    "a way to the home page of an honest site",
    `${site("honest", { "/": story, "/item/5": to("/") })}/item/5`,
    "active ok_redirected",
  ],
];

const PAGE_ROWS = async (): Promise<Row[]> => [
  ["a page", `${site("page", { "/a": story })}/a`, "active ok"],
  [
    "a page that says twice that it is missing and hides",
    `${site("soft", { "/a": `<meta name="robots" content="noindex">${missing}` })}/a`,
    "dead soft404_body",
  ],
  [
    "a page that says for every address that it is missing",
    `${site("probe", { "/robots.txt": 404, "/": story }, `<title>Page not found</title>${story}`)}/x/a`,
    "dead soft404_probe",
  ],
  [
    "a page that a whole site shows, its home page included",
    `${site("gate", { "/robots.txt": 404 }, `<title>Members</title><h1>Please log in</h1>${story}`)}/x/a`,
    "unknown login_required",
  ],
  [
    "an article about such pages",
    `${site("about", { "/a": `<title>404 Not Found</title>${story}` })}/a`,
    "active ok",
  ],
  ["a parked domain", `${site("parked", { "/robots.txt": 404 }, parked)}/a`, "dead domain_parked"],
  [
    "an account that was suspended",
    `${site("suspended", { "/": "<title>Account Suspended</title><h1>Account Suspended</h1>" })}/`,
    "dead hosting_suspended",
  ],
  ["a server's default page", `${site("default", { "/": NGINX })}/`, "unknown placeholder_page"],
  [
    "an error of the site",
    `${site("database", { "/": "<h1>Error establishing a database connection</h1>" })}/`,
    "unknown site_error",
  ],
  [
    "a page cut short",
    await raw("cut", breaksOff(`${HTML}Content-Length: 9000\r\n\r\n${"<p>word</p>".repeat(200)}`)),
    "active ok_truncated",
  ],
  [
    "a page cut short together with the end of the connection",
    await raw(
      "cutfin",
      replies(
        `${HTML}Content-Length: 9000\r\n\r\n<title>A story</title>${"<p>word</p>".repeat(200)}`,
      ),
    ),
    "active ok_truncated",
  ],
  [
    "a page that says that it is missing, cut short",
    await raw("cutmissing", (socket) =>
      socket.once("data", (asked) =>
        socket.end(
          String(asked).startsWith("GET / ")
            ? `${HTML}Transfer-Encoding: chunked\r\n\r\n5000\r\n${missing}${"<!-- -->".repeat(200)}`
            : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ),
      ),
    ),
    "dead soft404_body",
  ],
  [
    "a page cut at once",
    await raw("cut0", replies(`${HTML}Content-Length: 9000\r\n\r\n`)),
    "unknown body_incomplete",
  ],
  [
    "a page that drips",
    await raw(
      "drip",
      repliesAndHolds(`${HTML}Content-Length: 9000\r\n\r\n${"<p>word</p>".repeat(200)}`),
    ),
    "active ok_truncated",
  ],
  [
    "a page that unpacks to a hundred megabytes",
    await raw(
      "bomb",
      replies(Buffer.concat([Buffer.from(`${HTML}Content-Encoding: gzip\r\n\r\n`), BOMB])),
    ),
    "active ok_truncated",
  ],
  [
    "a page packed wrongly",
    await raw(
      "packed",
      replies(`${HTML}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
    ),
    "unknown body_undecodable",
  ],
];

/** Goes on for a moment, as the rest of a page would, and then does not. */
const breaksOff = (text: string) => (socket: Socket) => {
  const end = async () => {
    // The checker is in this process, and has read the text after a turn of its event loop.
    for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    socket.destroy();
  };
  socket.once("data", () => socket.write(text, () => void end()));
};
const BOMB = gzipSync(Buffer.alloc(100_000_000));
const NGINX =
  "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p>";

async function fullServer(): Promise<number> {
  const { port, stop } = await startFullServer();
  stops.push(stop);
  return port;
}

async function nameServers(): Promise<PlayedNameServer[]> {
  const servers = await Promise.all([names, second].map((known) => startNameServer(known)));
  stops.push(...servers.map(({ stop }) => stop));
  return servers;
}

/** Three servers nearby stand for the internet. */
async function sentinels(): Promise<string> {
  const sites = await Promise.all([1, 2, 3].map(() => startRawSite(staysSilent)));
  stops.push(...sites.map(({ stop }) => stop));
  return sites.map(({ port }) => `127.0.0.1:${port}`).join();
}

async function makeAndCheck(me: Asker): Promise<void> {
  const links = rows.map(([, url]) => ({ url }));
  const { body } = await me.post("/api/v1/links/batch", { links });
  // One after the other, since each moves the clock on which the others' time runs out.
  while ((await checkDueLinks({ ...server.deps, check: server.check })) > 0);
  for (const [index, { link }] of body.data.results.entries()) {
    found.set(rows[index]![0], (await me.get(`/api/v1/links/${link.id}`)).body.data);
  }
}

rows.push(
  ...NAME_ROWS(),
  ...(await CONNECTION_ROWS()),
  ...(await SECURE_ROWS()),
  ...STATUS_ROWS(),
  ...REDIRECT_ROWS(),
  ...(await PAGE_ROWS()),
);

beforeAll(async () => {
  const ca = join(tmpdir(), `stillup-test-ca-${process.pid}.pem`);
  writeFileSync(ca, TEST_CA);
  server = await startServer("sqlite", {
    STILLUP_DNS_SERVERS: (await nameServers()).map(({ address }) => address).join(),
    STILLUP_EXTRA_CA_FILE: ca,
    STILLUP_SENTINELS: await sentinels(),
    STILLUP_CHECK_TIMEOUT_MS: "1500",
    STILLUP_CHECK_CONCURRENCY: "1",
  });
  await makeAndCheck(await server.account());
  rmSync(ca);
});

afterAll(async () => {
  await server.stop();
  await Promise.all(stops.map((stop) => stop()));
});

describe("The whole way from a link to its verdict:", () => {
  test.each(rows.map(([what, , seen, more = {}]) => [what, seen, more] as const))(
    "%s is %s",
    (what, seen, more) => {
      const link = found.get(what);
      const { status, reason, message } = link.last_check;

      expect(`${status} ${reason}`).toBe(seen);
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(link).toMatchObject(more);
    },
  );
});
