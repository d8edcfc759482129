import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { seed } from "../../bench/seed.ts";
import { checkersOf, isChecker } from "../../tests/checkers.ts";
import { openKept } from "../../tests/events/killed-program.ts";
import { executable } from "../../tests/installed.ts";
import { IS_LONG } from "../../tests/long.ts";
import { outputOf } from "../../tests/output.ts";
import { newScratchFolder } from "../../tests/scratch.ts";
import { waitFor } from "../../tests/waits.ts";
import { siteOf } from "../ground/lib/site.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { ownerOf } from "../work/processes/messages.ts";

const PAGE = { headers: { "content-type": "text/html" } };
const html = (text: string) =>
  `<title>${text}</title><p>${`All is well here, ${text}. `.repeat(20)}`;

function startSites() {
  const pages = new Map<string, (request: Request) => Response | Promise<Response>>();
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const page = pages.get(pathname) ?? pages.get("*");
      const isMadeUp = /^\/(robots\.txt|[a-z]{16})$/.test(pathname);
      return page && !isMadeUp ? page(request) : new Response("Not found", { status: 404 });
    },
  });
  return {
    pages,
    urlOf: (n: number, path = `/page-${n}`) =>
      `http://127.1.${n >> 8}.${n & 255}:${server.port}${path}`,
    stop: () => server.stop(true),
  };
}

type Program = Awaited<ReturnType<typeof startProgram>>;

async function startProgram(
  urls: string[],
  settings: Record<string, string> = {},
  dueAt: (n: number) => number = Date.now,
) {
  const folder = newScratchFolder("stillup-processes-");
  const home = { STILLUP_DATA_DIR: folder };
  const { key } = await seed(home, {
    links: urls.length,
    urlOf: (n) => urls[n]!,
    dueAt,
    frequency: "hourly",
  });
  const database = new Database(join(folder, "stillup.db"));
  database.exec("pragma busy_timeout = 10000");
  database.exec("update links set last_checked_at = null, status = 'unknown', reason = null");
  const server = Bun.spawn([await executable(), "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      ...home,
      STILLUP_PORT: "0",
      STILLUP_SENTINELS: "",
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_CHECK_PROCESSES: "2",
      STILLUP_CONFIRM_DELAYS_MS: "0,10,10",
      STILLUP_HOST_GAP_MS: "0",
      ...settings,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = outputOf(server);
  const url = await output.url();
  const read = (sql: string, ...params: string[]) => database.query(sql).values(...params);
  const count = (sql: string) => read(sql)[0]![0] as number;
  /** Looks after each write until there are as many. */
  async function when(what: string, seen: () => number, wanted: number) {
    const inWords = () => `${wanted} ${what}; seen: ${seen()}\n${output.text()}`;
    await openKept(home).when(() => seen() === wanted, inWords);
  }
  const reasons = (url: string) =>
    read(
      `select check_kinds.reason from checks join links on link_no = links.no
       join check_kinds on kind_no = check_kinds.no where url = ? order by checks.checked_at`,
      url,
    ).flat();
  return {
    server,
    output,
    post: (path: string, body: object) =>
      fetch(`${url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    /** Status and reason of each link. */
    verdicts: () => read("select url, status, reason from links order by no"),
    when,
    /** Resolves once the source was read. */
    read: () => when("runs of sources", () => count("select count(ended_at) from source_runs"), 1),
    /** Resolves once so many links were checked. */
    checked: (links: number) =>
      when("checked links", () => count("select count(last_checked_at) from links"), links),
    notes: (url: string) => {
      const [[evidence]] = read("select evidence from links where url = ?", url) as [[string]];
      return (JSON.parse(evidence) as { notes: string[] }).notes;
    },
    reasons,
    dueAt: (url: string) =>
      read("select next_check_at from links where url = ?", url)[0]![0] as number,
    /** Checks the link once more. */
    async check(url: string, times: number) {
      database.query("update links set next_check_at = 0 where url = ?").run(url);
      await when("checks", () => reasons(url).length, times);
    },
    async stop() {
      server.kill("SIGKILL");
      await server.exited;
      database.close();
    },
  };
}

describe("Links are checked in processes of their own", () => {
  const LINKS = 20;
  let sites: ReturnType<typeof startSites>;
  let program: Program;
  const open = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const urls: string[] = [];
  beforeAll(async () => {
    sites = startSites();
    sites.pages.set("*", async () => {
      asked.resolve();
      await open.promise;
      return new Response(html("a page"), PAGE);
    });
    sites.pages.set("/gone", () => new Response("Gone", { status: 410 }));
    for (let n = 0; n < LINKS; n++) urls.push(sites.urlOf(n, n % 10 === 9 ? "/gone" : undefined));
    program = await startProgram(urls);
  });
  afterAll(async () => {
    await program.stop();
    await sites.stop();
  });

  /** Adds links to those that were checked so far, and waits until they are checked too. */
  async function addAndCheck(more: string[]) {
    urls.push(...more);
    await program.post("/links/batch", { links: more.map((url) => ({ url })) });
    await program.checked(urls.length);
  }

  test("and one that is killed is replaced, and its links are checked", async () => {
    await asked.promise;

    for (const pid of checkersOf(program.server.pid)) process.kill(pid, "SIGKILL");
    open.resolve();
    await program.checked(LINKS);

    const dead = program.verdicts().filter(([, status]) => status === "dead");
    expect(dead.map(([url]) => url)).toEqual(urls.filter((url) => url.endsWith("/gone")));
    for (const url of urls)
      expect(program.reasons(url)).toEqual([url.endsWith("/gone") ? "http_410" : "ok"]);
    expect(checkersOf(program.server.pid)).toHaveLength(2);
  });

  test("and sources are read in one more, and requests from all of them to one site keep its limits", async () => {
    const busy = { now: 0, most: 0, requests: 0 };
    const open = Promise.withResolvers<void>();
    const pages = Array.from({ length: 6 }, (_, n) => sites.urlOf(100, `/target/${n}`));
    const anchors = pages.map((url) => `<a href="${url}">page</a>`).join(" ");
    for (const path of ["/", ...pages.map((url) => new URL(url).pathname)])
      sites.pages.set(path, async () => {
        busy.requests++;
        busy.most = Math.max(busy.most, ++busy.now);
        await open.promise;
        await yieldToEventLoop();
        busy.now--;
        return new Response(html(anchors), PAGE);
      });
    sites.pages.set("/leads", () => Response.redirect(pages[0]!));
    const leading = Array.from({ length: 12 }, (_, n) => sites.urlOf(101 + n, "/leads"));

    const settings = { sitemaps: false };
    const source = { kind: "site", name: "Site", url: sites.urlOf(100, "/"), settings };
    await program.post("/sources", source);
    await program.post("/links/batch", { links: leading.map((url) => ({ url })) });
    // Others are checked meanwhile, while the site answers nothing.
    await addAndCheck(Array.from({ length: 4 }, (_, n) => sites.urlOf(120 + n)));
    open.resolve();
    urls.push(...leading);
    await program.checked(urls.length);
    await program.read();

    expect(busy.requests).toBeGreaterThanOrEqual(leading.length + pages.length);
    expect(busy.most).toBe(2);
    expect(checkersOf(program.server.pid)).toHaveLength(3);
  });

  test("and a cooldown of a site of another process lengthens the rest of a link", async () => {
    const [hour, day] = [3_600_000, 86_400];
    const processOf = (url: string) => ownerOf(siteOf(new URL(url).host), 2);
    const link = sites.urlOf(200, "/link");
    const others = Array.from({ length: 20 }, (_, n) => sites.urlOf(201 + n, "/held"));
    const held = others.find((url) => processOf(url) !== processOf(link))!;
    const requested = Promise.withResolvers<void>();
    sites.pages.set("/link", () => Response.redirect(new URL("/busy", held).href));
    const heldIsChecked = () => program.when("checks of it", () => program.reasons(held).length, 1);
    sites.pages.set("/busy", async () => {
      requested.resolve();
      await heldIsChecked();
      return new Response("Later", { status: 429 });
    });
    sites.pages.set("/held", async () => {
      await requested.promise;
      return new Response("Later", { status: 429, headers: { "Retry-After": String(day) } });
    });

    await addAndCheck([link, held]);

    expect(program.reasons(link)).toEqual(["http_429"]);
    expect(program.dueAt(link)).toBeGreaterThan(Date.now() + 23 * hour);
  });

  test("and all end with the server, also when it is killed", async () => {
    const checkers = checkersOf(program.server.pid);
    expect(checkers.length).toBeGreaterThan(1);
    // As one that a page keeps busy: it cannot notice that the server is gone.
    process.kill(checkers[0]!, "SIGSTOP");

    program.server.kill("SIGKILL");

    // They print to where the server did.
    await waitFor(program.output.ended, () => `the end of ${checkers.filter(isChecker)}`);
    expect(checkers.filter(isChecker)).toEqual([]);
  });
});

/** Both are gone when the test is. */
async function startAlone(...given: Parameters<typeof startProgram>) {
  const program = await startProgram(...given);
  onTestFinished(program.stop);
  return program;
}

function startOwnSites() {
  const sites = startSites();
  onTestFinished(sites.stop);
  return sites;
}

describe("A page that ends the process that reads it", () => {
  /** Each takes about a second for a run of its letter. */
  const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
  const SLOW = LETTERS.map((letter) => ({
    matches: `(${letter}+)+!`,
    means: "service_deleted",
    class: "C2",
  }));
  const SERVICE = {
    id: "slow",
    name: "Slow",
    hosts: ["127.1.0.1"],
    kinds: [{ kind: "page", path: "^/hostile$", page: { rules: SLOW } }],
  };
  const RUNS = LETTERS.map((letter) => letter.repeat(40)).join(" ");

  test("is unknown and says why, is read with a limit, and delays no other link", async () => {
    const sites = startOwnSites();
    const services = join(newScratchFolder("stillup-services-"), "services.json");
    await Bun.write(services, JSON.stringify([SERVICE]));
    const hostile = sites.urlOf(1, "/hostile");
    const page = { version: "1", isSlow: true };
    const body = () => html("hostile").padEnd(100_000, "x") + (page.isSlow ? RUNS : "");
    sites.pages.set("*", () => new Response(html("a page"), PAGE));
    sites.pages.set("/hostile", () => {
      return new Response(body(), { headers: { ...PAGE.headers, ETag: page.version } });
    });
    const others = Array.from({ length: 10 }, (_, n) => sites.urlOf(n + 2));
    const program = await startAlone([hostile, ...others], {
      STILLUP_CHECK_PROCESSES: "1",
      STILLUP_SERVICES_FILE: services,
    });
    const { reasons, check, checked, notes } = program;

    await check(hostile, 1);
    expect(notes(hostile).join()).toContain("longer than five seconds");
    await check(hostile, 2);
    expect(reasons(hostile)).toEqual(["internal_error", "ok_truncated"]);
    await checked(others.length + 1);
    for (const url of others) expect(reasons(url)).toEqual(["ok"]);
    if (!IS_LONG) return;

    // It is tried in full again, and then not until it is another page.
    for (const times of [3, 4, 5]) await check(hostile, times);
    Object.assign(page, { version: "2", isSlow: false });
    for (const times of [6, 7]) await check(hostile, times);

    expect(reasons(hostile)).toEqual([
      ...["internal_error", "ok_truncated", "internal_error"],
      ...["ok_truncated", "ok_truncated", "ok_truncated", "ok"],
    ]);
  });
});

/** A gibibyte has to be filled. */
describe.if(IS_LONG)("Pages that take all memory", () => {
  const PIECE = new Uint8Array(64 * 1024).fill(120);
  const [MANY, FEW] = [16, 3];
  /** A process keeps a MiB of each at least, and ends at 1024 MiB. */
  const PAGES = 1100;
  const SERVICE = {
    id: "large",
    name: "Large",
    hosts: Array.from({ length: PAGES }, (_, n) => `127.1.${n >> 8}.${n & 255}`),
    kinds: [{ kind: "page", path: "^/large$", page: { rules: [] } }],
  };

  /** Its last byte comes later. It is text without markup, since reading that takes longer. */
  function largeText(pieces: number, later: Promise<void>) {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++sent < pieces) return controller.enqueue(PIECE);
        controller.enqueue(PIECE.subarray(1));
        await later;
        controller.enqueue(PIECE.subarray(0, 1));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/plain" } });
  }

  test("end the process, are read again with a limit, and leave no link without a verdict", async () => {
    const sites = startOwnSites();
    const services = join(newScratchFolder("stillup-services-"), "services.json");
    await Bun.write(services, JSON.stringify([SERVICE]));
    const requests = new Map<string, number>();
    const page = { pieces: MANY };
    const ended = Promise.withResolvers<void>();
    sites.pages.set("/large", ({ url }) => {
      requests.set(url, (requests.get(url) ?? 0) + 1);
      return largeText(page.pieces, ended.promise);
    });
    sites.pages.set("*", () => new Response(html("a page"), PAGE));
    const large = Array.from({ length: PAGES }, (_, n) => sites.urlOf(n, "/large"));
    const others = Array.from({ length: 10 }, (_, n) => sites.urlOf(PAGES + n));
    const settings = {
      STILLUP_CHECK_PROCESSES: "1",
      // Slow checks use at most half of the slots.
      STILLUP_CHECK_CONCURRENCY: String(2 * PAGES + 200),
      STILLUP_CHECK_TIMEOUT_MS: "120000",
      STILLUP_SERVICES_FILE: services,
    };
    // After the start, since a backlog would take longer, and some 300 a second, so that the process still answers.
    const startsAt = Date.now() + 1000;
    const program = await startAlone([...large, ...others], settings, (n) => startsAt + 3 * n);
    const { checked, output, notes, verdicts } = program;

    await output.has(/it used too much memory/);
    const underWay = [...requests.keys()];
    page.pieces = FEW;
    ended.resolve();
    await checked(PAGES + others.length);

    const reasons = new Map(verdicts().map(([url, , reason]) => [String(url), String(reason)]));
    const urlsOf = (reason: string) =>
      [...reasons.keys()].filter((url) => reasons.get(url) === reason);
    // On a busy machine also a small page that was under way whenever the process ended.
    const blamed = urlsOf("internal_error");
    const again = underWay.filter((url) => requests.get(url)! > 1 && !blamed.includes(url));
    expect(again.length).toBeGreaterThan(0);
    for (const url of again) expect(reasons.get(url)).toBe("ok_truncated");
    expect(blamed.length).toBeLessThanOrEqual(
      output.text().split("checker process ended").length - 1,
    );
    for (const url of blamed) expect(notes(url).join()).toContain("so Stillup stopped");
    expect(urlsOf("ok").length + urlsOf("ok_truncated").length + blamed.length).toBe(
      PAGES + others.length,
    );
    expect(urlsOf("ok").filter((url) => others.includes(url)).length).toBeGreaterThan(0);
  });
});
