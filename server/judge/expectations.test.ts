import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { labChecker } from "../../tests/checker/prober.ts";
import { json, page, startPlayedWeb } from "../../tests/checker/services/played-web.ts";
import { checkThrough } from "../../tests/checker/services/prove.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { type Routes, type Says, startRawSite, startSite } from "../../tests/site.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import { type KnownLink, NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl } from "./confirm.ts";
import { type Expect, ExpectBody } from "./expectations.ts";
import type { Conclusion } from "./probe/conclusion.ts";
import { messageOf, stageOf } from "./reasons/reasons.ts";

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
  (location: string): Says =>
  () =>
    new Response(null, { status: 302, headers: { Location: location } });
const long = (before: string, after: string) =>
  story(`${before}${"word ".repeat(MIB / 4)}${after}`);
const challenge =
  (status: number): Says =>
  () =>
    new Response(WALL, {
      status,
      headers: { "Content-Type": "text/html", "cf-mitigated": "challenge" },
    });
const WALL =
  "<title>Just a moment...</title><p>Checking your browser before accessing site.test.</p>";

/** What a page says: a status, a page by one of these names, or a body of some type, which may be written as its bytes. */
type Said =
  | number
  | { to: string }
  | { challenge: number }
  | { long: [before: string, after: string] }
  | { html: string; status?: number }
  | { story: string; status?: number }
  | { type: string; body: string }
  | { type: string; latin1: string }
  | { type: string; utf16: string };

function saysOf(said: Said): Says {
  if (typeof said === "number") return said;
  if ("to" in said) return to(said.to);
  if ("challenge" in said) return challenge(said.challenge);
  if ("long" in said) return long(...said.long);
  if ("html" in said) return html(filled(said.html), said.status);
  if ("story" in said) return story(filled(said.story), said.status);
  if ("body" in said) return of(said.type, said.body);
  const bytes =
    "utf16" in said ? Buffer.from(said.utf16, "utf16le") : Buffer.from(said.latin1, "latin1");
  return of(said.type, new Uint8Array(bytes));
}

const filled = (text: string) =>
  text.replace(/\{filler(?: (\d+))?\}/, (_, times = "1") => FILLER.repeat(Number(times)));

const WANTED: Expect = { must_contain: ["Handbook"] };
const FORBIDDEN: Expect = { must_not_contain: ["Access denied"] };
const contains = (...must_contain: string[]): Expect => ({ must_contain });
const endsAt = (final_url_contains: string): Expect => ({ final_url_contains });
const accepts = (...accepted_status_codes: string[]): Expect => ({ accepted_status_codes });

const UNREAD = "unknown text_unread";

type Row = { what: string; says: Said; wants: Expect; seen: string; others?: Record<string, Said> };

eachRow(Object.values(yamlIn<Record<string, Row[]>>(import.meta.dir, "expectations.yaml")).flat())(
  "A page is judged by what its link expects",
  async ({ says, wants, seen, others = {} }) => {
    const routes = Object.entries(others).map(([path, said]) => [path, saysOf(said)] as const);

    expect(shown(await checkPage(saysOf(says), wants, Object.fromEntries(routes)))).toBe(seen);
  },
);

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
    ["after a forbidden text", `${FILLER}Access denied`, FORBIDDEN, "dead text_forbidden C2"],
    [
      "after a forbidden text and before the other",
      `${FILLER}Access denied`,
      { ...WANTED, ...FORBIDDEN },
      "dead text_forbidden C2",
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
