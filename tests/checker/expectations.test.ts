import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problemsOf } from "../../server/lib/fields.ts";
import { type KnownLink, NEVER_CHECKED } from "../../server/verdict/attempt.ts";
import { type Checker, checkUrl } from "../../server/verdict/confirm.ts";
import { type Expect, ExpectBody } from "../../server/verdict/expectations.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import { messageOf, stageOf } from "../../server/verdict/reasons/reasons.ts";
import { eachRow } from "../each-row.ts";
import { type Routes, type Says, startRawSite, startSite } from "../site.ts";
import { labChecker } from "./prober.ts";
import { json, page, startPlayedWeb } from "./services/played-web.ts";
import { checkThrough } from "./services/prove.ts";

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const PATH = "/pages/story";

/** One whole check of a link that was active before, so that C2 takes three attempts. */
const check = (url: string, wants: Expect, options: Partial<Checker> = {}) =>
  checkUrl(labChecker(options).checker, {
    ...NEVER_CHECKED,
    lastDecided: "active",
    url,
    expect: wants,
  });

/** The same of a page among others that are honest about what is missing. */
async function checkPage(says: Says, wants: Expect, others: Routes = {}): Promise<Conclusion> {
  const site = startSite({ "/": HOME, [PATH]: says, ...others });
  stops.push(site.stop);
  return check(`${site.url}${PATH}`, wants);
}

function shown({ status, reason, evidence: { attempts } }: Conclusion): string {
  const confirmation = attempts.length === 3 ? " C2" : ` after ${attempts.length}`;
  return `${status} ${reason}${status === "dead" ? confirmation : ""}`;
}

const signalsOf = ({ evidence }: Conclusion) => evidence.signals.map(({ text }) => text);

const HOME = "<title>The site</title><h1>The site</h1><p>Welcome to all of it.</p>";
const FILLER = `<p>${"Many words that say little. ".repeat(60)}</p>`;
const MIB = 1024 * 1024;

const of =
  (type: string, body: string | Uint8Array<ArrayBuffer>, status = 200): Says =>
  () =>
    new Response(body, { status, headers: { "Content-Type": type } });
const html = (body: string, status = 200) => of("text/html; charset=utf-8", body, status);
const story = (body: string, status = 200) =>
  html(`<title>A story</title><h1>A story</h1><p>${body}</p>${FILLER}`, status);
const to =
  (location: string, status = 302): Says =>
  () =>
    new Response(null, { status, headers: { Location: location } });
const bytes = (...values: number[]) => new Uint8Array(values);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const long = (before: string, after: string) =>
  story(`${before}${"word ".repeat(MIB / 4)}${after}`);

const WANTED: Expect = { must_contain: ["Handbook"] };
const FORBIDDEN: Expect = { must_not_contain: ["Access denied"] };
const contains = (...must_contain: string[]): Expect => ({ must_contain });
const lacks = (...must_not_contain: string[]): Expect => ({ must_not_contain });
const endsAt = (final_url_contains: string): Expect => ({ final_url_contains });
const accepts = (...accepted_status_codes: string[]): Expect => ({ accepted_status_codes });

const MISSING = "dead text_missing C2";
const UNWANTED = "dead text_forbidden C2";
const ELSEWHERE = "dead final_url_unexpected C2";
const OTHER_STATUS = "dead status_unexpected C2";
const UNREAD = "unknown text_unread";

type Row = [what: string, says: Says, wants: Expect, seen: string, others?: Routes];

const TEXTS: Row[] = [
  ["a page with the text", story("The Handbook."), WANTED, "active ok"],
  ["a page without it", story("A book."), WANTED, MISSING],
  ["another case", story("The HANDBOOK."), WANTED, MISSING],
  ["one text of two", story("The Handbook."), contains("Handbook", "Chapter 9"), MISSING],
  ["both texts", story("Handbook, Chapter 9"), contains("Handbook", "Chapter 9"), "active ok"],
  [
    "line breaks and tabs",
    story("The\r\n\t  big\n Handbook"),
    contains("The big Handbook"),
    "active ok",
  ],
  [
    "white space in what is required",
    story("big Handbook"),
    contains("big  \u00a0Handbook"),
    "active ok",
  ],
  [
    "no-break spaces",
    story("big&nbsp;Handbook&#160;here"),
    contains("big Handbook here"),
    "active ok",
  ],
  [
    "entities",
    story("R&eacute;sum&#233; &amp; &lt;more&gt;"),
    contains("Résumé & <more>"),
    "active ok",
  ],
  [
    "entities as they were sent",
    story("Smith &amp; Sons"),
    contains("Smith &amp; Sons"),
    "active ok",
  ],
  [
    "entities in the title",
    html(`<title>Smith &amp; Sons</title>${FILLER}`),
    contains("Smith & Sons"),
    "active ok",
  ],
  ["soft hyphens", story("Hand&shy;book and Hand&#8203;book"), WANTED, "active ok"],
  ["a text split by tags inside a line", story("Hand<b>bo</b>ok"), WANTED, "active ok"],
  ["a text split by a comment", story("Hand<!-- x -->book"), WANTED, "active ok"],
  [
    "a text with a tag in place of a space",
    story("The<br>big<span>Handbook</span>"),
    contains("The big Handbook"),
    "active ok",
  ],
  ["a text split by paragraphs", story("Hand</p><p>book"), WANTED, MISSING],
  ["a text split by a paragraph and a tag", story("Hand</p><b>book</b>"), WANTED, MISSING],
  [
    "a text over two paragraphs",
    story("The big</p><p>Handbook"),
    contains("The big Handbook"),
    "active ok",
  ],
  [
    "a text with tags as sent",
    story('<a href="/x">Handbook</a>'),
    contains('<a href="/x">Handbook'),
    "active ok",
  ],
  ["a text in a script", story("<script>const book = 'Handbook';</script>"), WANTED, "active ok"],
  ["a text in an attribute", story('<img src="x" alt="Handbook">'), WANTED, "active ok"],
  ["a text in a comment", story("<!-- Handbook -->"), WANTED, "active ok"],
  [
    "a text beyond what pages are compared by",
    story(`${FILLER.repeat(30)}Hand<i>book</i>`),
    WANTED,
    "active ok",
  ],
  ["a forbidden text", story("Sorry: Access denied!"), FORBIDDEN, UNWANTED],
  ["no forbidden text", story("Access granted"), FORBIDDEN, "active ok"],
  ["a forbidden text split by tags", story("<b>Access</b> <i>denied</i>"), FORBIDDEN, UNWANTED],
  ["a forbidden text with entities", story("Fish &amp; Chips"), lacks("Fish & Chips"), UNWANTED],
  [
    "a forbidden text in a script",
    story("<script>say('Access denied')</script>"),
    FORBIDDEN,
    UNWANTED,
  ],
  [
    "a required and a forbidden text",
    story("Handbook. Access denied"),
    { ...WANTED, ...FORBIDDEN },
    UNWANTED,
  ],
  ["neither of them", story("A book"), { ...WANTED, ...FORBIDDEN }, MISSING],
];

const BODIES: Row[] = [
  [
    "windows-1252",
    of("text/html; charset=windows-1252", latin1(`<p>Gr\xf6\xdfe \x80 5</p>`)),
    contains("Größe € 5"),
    "active ok",
  ],
  [
    "Shift_JIS that only the page declares",
    of(
      "text/html",
      Buffer.concat([
        latin1('<meta charset="shift_jis"><p>'),
        bytes(0x83, 0x6e, 0x83, 0x93, 0x83, 0x68, 0x83, 0x75, 0x83, 0x62, 0x83, 0x4e),
      ]),
    ),
    contains("ハンドブック"),
    "active ok",
  ],
  [
    "UTF-16 with a mark",
    of("text/html", Buffer.from("\ufeff<p>Größe</p>", "utf16le")),
    contains("Größe"),
    "active ok",
  ],
  [
    "the wrong charset",
    of("text/html; charset=utf-8", latin1("<p>Gr\xf6\xdfe</p>")),
    contains("Größe"),
    MISSING,
  ],
  ["plain text", of("text/plain", "The\nHandbook"), contains("The Handbook"), "active ok"],
  [
    "plain text with entities",
    of("text/plain", "Smith &amp; Sons"),
    contains("Smith & Sons"),
    MISSING,
  ],
  ["JSON", of("application/json", '{"title": "Handbook"}'), WANTED, "active ok"],
  ["JSON without the text", of("application/json", '{"error": "Access denied"}'), WANTED, MISSING],
  ["forbidden JSON", of("application/json", '{"error": "Access denied"}'), FORBIDDEN, UNWANTED],
  ["a feed", of("application/rss+xml", "<rss><title>Handbook</title></rss>"), WANTED, "active ok"],
  ["a PDF, which is not read", of("application/pdf", "%PDF-1.7 Handbook"), WANTED, UNREAD],
  [
    "a PDF in which nothing is forbidden",
    of("application/pdf", "%PDF-1.7 Access denied"),
    FORBIDDEN,
    "active ok",
  ],
  ["an empty page", html(""), WANTED, MISSING],
  ["an empty page in which nothing is forbidden", html(""), FORBIDDEN, "active ok_empty"],
  ["an empty PDF", of("application/pdf", ""), WANTED, MISSING],
  ["no content", 204, WANTED, MISSING],
  ["a page that has not changed", 304, WANTED, UNREAD],
  ["a part of a page", story("A book", 206), WANTED, UNREAD],
  [
    "a long page with the text at its beginning",
    long("Handbook", ""),
    WANTED,
    "active ok_truncated",
  ],
  ["a long page with the text after the first MiB", long("", "Handbook"), WANTED, UNREAD],
  [
    "a long page with a forbidden text at its beginning",
    long("Access denied", ""),
    FORBIDDEN,
    UNWANTED,
  ],
  [
    "a long page with a forbidden text after the first MiB",
    long("", "Access denied"),
    FORBIDDEN,
    "active ok_truncated",
  ],
  [
    "a long page with one text of each",
    long("Access denied", ""),
    { ...WANTED, ...FORBIDDEN },
    UNWANTED,
  ],
];

const LOGIN =
  '<title>Log in</title><h1>Log in</h1><form><input name="user"><input type="password"></form>';
const WALL =
  "<title>Just a moment...</title><p>Checking your browser before accessing site.test.</p>";
const challenge =
  (status: number): Says =>
  () =>
    new Response(WALL, {
      status,
      headers: { "Content-Type": "text/html", "cf-mitigated": "challenge" },
    });
const GONE = "<title>Page not found</title><h1>Page not found</h1><p>Nothing is here.</p>";

const STATUSES: Row[] = [
  ["an accepted 404", story("A story", 404), accepts("404"), "active ok"],
  ["an accepted range", story("A story", 418), accepts("200-299", "410-420"), "active ok"],
  ["an accepted 403", story("A story", 403), accepts("403"), "active ok"],
  ["an accepted 500", story("A story", 500), accepts("500-599"), "active ok"],
  ["an accepted 410", story("A story", 410), accepts("410"), "active ok"],
  ["an accepted 401 without a login", story("A story", 401), accepts("401"), "active ok"],
  [
    "an accepted 404 with the text",
    story("Handbook", 404),
    { ...WANTED, ...accepts("404") },
    "active ok",
  ],
  ["an accepted 404 without it", story("A book", 404), { ...WANTED, ...accepts("404") }, MISSING],
  [
    "an accepted 404 that says that it is missing",
    html(GONE, 404),
    accepts("404"),
    "dead soft404_body C2",
  ],
  [
    "an accepted 200 that says that it is missing",
    html(GONE),
    accepts("200"),
    "dead soft404_body C2",
  ],
  [
    "a 200 that says that it is missing and is not accepted",
    html(GONE),
    accepts("404"),
    "dead soft404_body C2",
  ],
  ["an accepted 204", 204, accepts("204"), "active ok_empty"],
  ["an accepted 304", 304, accepts("304"), "active ok_not_modified"],
  ["a 200 that is not accepted", story("A story"), accepts("404"), OTHER_STATUS],
  ["a 204 that is not accepted", 204, accepts("200"), OTHER_STATUS],
  [
    "a 200 with the text that is not accepted",
    story("Handbook"),
    { ...WANTED, ...accepts("201-299") },
    OTHER_STATUS,
  ],
  ["a 404 that is not accepted", story("A story", 404), accepts("200"), "dead http_404 C2"],
  ["a 404 with the text", story("Handbook", 404), WANTED, "dead http_404 C2"],
  ["a 500 that is not accepted", story("A story", 500), accepts("200"), "unknown http_500"],
  ["a 500 without the text", story("A book", 500), WANTED, "unknown http_500"],
  ["a 407 of a server", 407, accepts("200"), "unknown http_4xx"],
  ["an accepted 407, where this monitor has no proxy", 407, accepts("407"), "active ok"],
  ["a 511, which is our own network's", 511, accepts("511"), "unknown captive_portal"],
];

const OBSTACLES: Row[] = [
  ["bot protection", challenge(403), WANTED, "unknown bot_challenge"],
  [
    "bot protection with an accepted status",
    challenge(403),
    accepts("403"),
    "unknown bot_challenge",
  ],
  [
    "bot protection with a status that is not",
    challenge(200),
    accepts("404"),
    "unknown bot_challenge",
  ],
  [
    "a login",
    to("/login?next=/pages/story"),
    WANTED,
    "unknown login_required",
    { "/login": html(LOGIN) },
  ],
  [
    "a login at another address",
    to("/login?next=/pages/story"),
    endsAt(PATH),
    "unknown login_required",
    { "/login": html(LOGIN) },
  ],
  [
    "maintenance",
    html("<title>Under maintenance</title><h1>Under maintenance</h1>", 503),
    WANTED,
    "unknown maintenance",
  ],
  [
    "a default page",
    html(
      "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p>",
    ),
    WANTED,
    "unknown placeholder_page",
  ],
];

const URLS: Row[] = [
  [
    "a redirect to the expected address",
    to("/handbook/2"),
    endsAt("/handbook"),
    "active ok_redirected",
    { "/handbook/2": story("") },
  ],
  [
    "a redirect to another one",
    to("/news/2"),
    endsAt("/handbook"),
    ELSEWHERE,
    { "/news/2": story("") },
  ],
  [
    "two redirects",
    to("/a/1"),
    endsAt("/b/2"),
    "active ok_redirected",
    { "/a/1": to("/b/2"), "/b/2": story("") },
  ],
  [
    "only an address on the way",
    to("/a/1"),
    endsAt("/a/1"),
    ELSEWHERE,
    { "/a/1": to("/b/2"), "/b/2": story("") },
  ],
  [
    "a refresh",
    html('<meta http-equiv="refresh" content="0; url=/b/2">'),
    endsAt("/b/2"),
    "active ok_redirected",
    { "/b/2": story("") },
  ],
  ["no redirect", story(""), endsAt(PATH), "active ok"],
  ["no redirect, where one is expected", story(""), endsAt("/handbook"), ELSEWHERE],
  [
    "a query",
    to("/b/2?lang=en"),
    endsAt("?lang=en"),
    "active ok_redirected",
    { "/b/2": story("") },
  ],
  [
    "a fragment of the redirect",
    to("/b/2#chapter"),
    endsAt("2#chapter"),
    "active ok_redirected",
    { "/b/2": story("") },
  ],
  [
    "letters that are sent encoded",
    to("/stra%C3%9Fe/2"),
    endsAt("/straße/"),
    "active ok_redirected",
    { "/stra%C3%9Fe/2": story("") },
  ],
  [
    "another address and a text that is missing",
    to("/b/2"),
    { ...WANTED, ...endsAt("/handbook") },
    ELSEWHERE,
    { "/b/2": story("") },
  ],
  ["a redirect to a page that is missing", to("/b/3"), endsAt("/handbook"), "dead http_404 C2"],
];

describe.each([
  ["Texts", TEXTS],
  ["Bodies", BODIES],
  ["Statuses", STATUSES],
  ["Walls, logins and other obstacles", OBSTACLES],
  ["Final URLs", URLS],
])("%s:", (_, rows) => {
  eachRow(rows)(
    "are judged by what the link expects",
    async (_what, says, wants, seen, others = {}) => {
      expect(shown(await checkPage(says, wants, others))).toBe(seen);
    },
  );
});

/** A site that sends the beginning of its page, and the rest only once `isWhole`. */
async function startCutting(
  sent: string,
  { rest = "not sent", isWhole = (): boolean => false } = {},
) {
  const answer = (asked: string) => {
    if (!asked.startsWith(`GET ${PATH} `)) return "404 Not Found\r\nContent-Length: 0\r\n\r\n";
    const body = isWhole() ? sent + rest : sent;
    return `200 OK\r\nContent-Type: text/html\r\nContent-Length: ${(sent + rest).length}\r\n\r\n${body}`;
  };
  const site = await startRawSite((socket) =>
    socket.once("data", (asked) => socket.end(`HTTP/1.1 ${answer(String(asked))}`)),
  );
  stops.push(site.stop);
  return `${site.url}${PATH}`;
}

describe("A page that is cut by its server", () => {
  eachRow([
    ["before the text", FILLER, WANTED, UNREAD],
    ["after the text", `${FILLER}Handbook`, WANTED, "active ok_truncated"],
    ["after a forbidden text", `${FILLER}Access denied`, FORBIDDEN, UNWANTED],
    [
      "after a forbidden text and before the other",
      `${FILLER}Access denied`,
      { ...WANTED, ...FORBIDDEN },
      UNWANTED,
    ],
    ["at once", "<p>Access denied", FORBIDDEN, "unknown body_incomplete"],
  ])("is judged by what came", async (_, body, wants, seen) => {
    expect(shown(await check(await startCutting(body), wants))).toBe(seen);
  });
});

describe("The evidence names", () => {
  test("each text that is missing, shortened", async () => {
    const endless = "x".repeat(200);
    const conclusion = await checkPage(story("A book"), contains("Handbook", "A book", endless));

    expect(signalsOf(conclusion)).toEqual([
      "The page does not contain “Handbook”.",
      `The page does not contain “${"x".repeat(79)}…”.`,
    ]);
    expect(conclusion.evidence.excerpt).toStartWith("A story A book Many words");
  });

  test("what is around a forbidden text, without control characters", async () => {
    const around = `${"a ".repeat(40)}\u202e\u0007Access\n<b>denied</b> ${"z ".repeat(40)}`;
    const [text] = signalsOf(await checkPage(story(around), FORBIDDEN));

    const quoted = `${"a ".repeat(19)}Access denied${" z".repeat(20)}`;
    expect(text).toBe(`The page must not contain “Access denied”, but does: “${quoted}”.`);
  });

  test("the final URL, and the part that is expected", async () => {
    const site = startSite({ "/": HOME, [PATH]: story("") });
    stops.push(site.stop);
    const url = `${site.url}${PATH}`;

    expect(signalsOf(await check(url, endsAt("/handbook")))).toEqual([
      `The final URL, “${url}”, does not contain “/handbook”.`,
    ]);
  });

  test("the status, and those that are accepted", async () => {
    expect(signalsOf(await checkPage(story(""), accepts("404", "410-420")))).toEqual([
      "The server returned 200; the link accepts 404, 410-420.",
    ]);
  });

  test("what could not be read", async () => {
    expect(signalsOf(await checkPage(long("", ""), WANTED))).toEqual([
      "The part of the page that was read does not contain “Handbook”.",
    ]);
    expect(signalsOf(await checkPage(of("application/pdf", "%PDF-1.7"), WANTED))).toEqual([
      "The response is not text (“application/pdf”), so “Handbook” was not searched for.",
    ]);
  });
});

describe("A link that expects something", () => {
  test("is active as soon as one attempt shows it", async () => {
    const site = startSite({ "/": HOME, [PATH]: [story("A book"), story("Handbook")] });
    stops.push(site.stop);

    const { status, reason, evidence } = await check(`${site.url}${PATH}`, WANTED);

    expect({ status, reason, attempts: evidence.attempts.map((one) => one.reason) }).toEqual({
      status: "active",
      reason: "ok",
      attempts: ["text_missing", "ok"],
    });
  });

  test("is requested again if its page was cut", async () => {
    const { checker, clock } = labChecker();
    const isWhole = () => clock.slept.length > 0;
    const url = await startCutting(FILLER, { rest: "Handbook", isWhole });

    const { evidence } = await checkUrl(checker, { ...NEVER_CHECKED, url, expect: WANTED });

    expect(evidence.attempts.map(({ reason }) => reason)).toEqual(["text_unread", "ok"]);
  });

  test("is requested again if its page was not sent, because it has not changed", async () => {
    const site = startSite({ "/": HOME, [PATH]: [304, story("Handbook")] });
    stops.push(site.stop);

    const { evidence } = await check(`${site.url}${PATH}`, WANTED);

    expect(evidence.attempts.map(({ reason }) => reason)).toEqual(["text_unread", "ok"]);
  });

  test("keeps the fragment of its own URL", async () => {
    const site = startSite({ "/": HOME, [PATH]: to("/b/2"), "/b/2": story("") });
    stops.push(site.stop);

    expect(shown(await check(`${site.url}${PATH}#part`, endsAt("/b/2#part")))).toBe(
      "active ok_redirected",
    );
  });

  test("is not dead by what is behind a bad certificate", async () => {
    const site = startSite({ "/": HOME, [PATH]: story("A book") }, { certificate: "self" });
    stops.push(site.stop);

    const conclusion = await check(`${site.url}${PATH}`, { ...WANTED, ...accepts("404") });

    expect(shown(conclusion)).toBe("unknown tls_self_signed");
    expect(site.requests.length).toBeGreaterThan(0);
  });
});

describe("A link of a known service that expects something", () => {
  const URL_AT_SERVICE = "https://vimeo.com/76979871";
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    web = await startPlayedWeb(["vimeo.com"]);
  });
  afterAll(() => web.stop());

  const PLAYED = {
    "vimeo.com/api/oembed.json": json({ title: "A video" }),
    "vimeo.com/76979871": page(`<title>A video</title><h1>A video</h1>${FILLER}`),
    "vimeo.com/robots.txt": page("", 404),
    "vimeo.com/": page("", 404),
  };
  const checked = async (known: Partial<KnownLink>) => {
    web.play(PLAYED);
    const { reason } = await checkThrough(web, URL_AT_SERVICE, undefined, known);
    return { reason, first: web.requests()[0]?.line };
  };

  test("is requested as a page", async () => {
    expect((await checked({})).reason).toBe("ok_service");
    expect(await checked({ expect: WANTED })).toEqual({
      reason: "text_missing",
      first: `GET ${URL_AT_SERVICE}`,
    });
    expect((await checked({ expect: contains("A video") })).reason).toBe("ok");
  });
});

describe("In the API", () => {
  const problems = (expect: unknown) => {
    const read = ExpectBody.safeParse(expect);
    return read.success ? null : problemsOf(read.error);
  };

  eachRow<[string, Expect]>([
    ["a text", { must_contain: ["Handbook"] }],
    [
      "five of 200 characters",
      { must_not_contain: Array.from({ length: 5 }, () => "ü".repeat(200)) },
    ],
    ["a part of a URL", { final_url_contains: "x".repeat(500) }],
    [
      "ten codes and ranges",
      { accepted_status_codes: ["200-299", "200-200", ...Array.from({ length: 8 }, () => "599")] },
    ],
  ])("takes what can be expected", (_, body) => {
    expect(ExpectBody.parse(body)).toEqual(body);
  });

  const CODE = "must be a status code such as 404, or a range such as 200-299, from 200 to 599";
  eachRow<[string, unknown, Record<string, string[]>]>([
    [
      "nothing",
      {},
      {
        body: [
          "must have at least one of: must_contain, must_not_contain, final_url_contains, accepted_status_codes",
        ],
      },
    ],
    ["a text in place of it", "Handbook", { body: ["must be an object"] }],
    [
      "an unknown name",
      { must_contain: ["x"], must_match: ["x"] },
      { body: ["has an unknown field: must_match"] },
    ],
    ["an empty list", { must_contain: [] }, { must_contain: ["must have at least 1 item"] }],
    [
      "an empty text",
      { must_not_contain: ["a", " "] },
      { "must_not_contain[1]": ["must not be empty"] },
    ],
    [
      "an invisible text",
      { must_not_contain: ["\u00ad\u200b"] },
      { "must_not_contain[0]": ["must have a visible character"] },
    ],
    [
      "a long text",
      { must_contain: ["x".repeat(201)] },
      { "must_contain[0]": ["must be at most 200 characters"] },
    ],
    [
      "six texts",
      { must_contain: Array.from({ length: 6 }, () => "x") },
      { must_contain: ["must have at most 5 items"] },
    ],
    [
      "a long part of a URL",
      { final_url_contains: "x".repeat(501) },
      { final_url_contains: ["must be at most 500 characters"] },
    ],
    [
      "eleven codes",
      { accepted_status_codes: Array.from({ length: 11 }, () => "200") },
      { accepted_status_codes: ["must have at most 10 items"] },
    ],
    ["600", { accepted_status_codes: ["600"] }, { "accepted_status_codes[0]": [CODE] }],
    ["199", { accepted_status_codes: ["200", "199"] }, { "accepted_status_codes[1]": [CODE] }],
    ["200-600", { accepted_status_codes: ["200-600"] }, { "accepted_status_codes[0]": [CODE] }],
    ["a number", { accepted_status_codes: [404] }, { "accepted_status_codes[0]": [CODE] }],
    [
      "404-200",
      { accepted_status_codes: ["404-200"] },
      { "accepted_status_codes[0]": ["must have the smaller status code first, as in 200-299"] },
    ],
  ])("refuses what cannot, and says why", (_, body, seen) => {
    expect(problems(body)).toEqual(seen);
  });
});

describe("What someone overruled", () => {
  test("is said with what the check saw, and failed at no stage", () => {
    expect(messageOf("ok_overridden", 403, "http_403")).toBe(
      "Someone looked and said that it works; the check saw: The server returned 403 (forbidden).",
    );
    expect(stageOf("ok_overridden", "http_403")).toBeNull();
  });
});
