import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { labChecker } from "../../tests/checker/prober.ts";
import { json, startPlayedWeb, type Web } from "../../tests/checker/services/played-web.ts";
import { checkerThrough } from "../../tests/checker/services/prove.ts";
import { startSite } from "../../tests/site.ts";
import { createWatch, hasCome } from "../../tests/waits.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl } from "./confirm.ts";
import { createCatalogue } from "./services/catalogue.ts";
import type { Ask, Kind, Service } from "./services/record.ts";

/** An answer that comes on request. */
function slowAnswer(says: () => Response) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answer = async () => {
    asked.resolve();
    await released.promise;
    return says();
  };
  return { answer, asked: asked.promise, tell: released.resolve };
}

/** Checks of links that were alive, and one that is cut short on request. */
function checking(checker: Checker) {
  const ending = new AbortController();
  const of = (by: Checker, url: string) =>
    checkUrl(by, { ...NEVER_CHECKED, id: url, lastDecided: "active", url });
  return {
    check: (url: string) => of(checker, url),
    checkThatIsCut: (url: string) => of({ ...checker, signal: ending.signal }, url),
    cut: () => ending.abort(),
  };
}

/** The same function; `called` resolves once it was called so often. */
function counted<A extends unknown[], R>(work: (...all: A) => R) {
  const watch = createWatch();
  const calls: A[] = [];
  const counting = (...all: A): R => {
    calls.push(all);
    watch.changed();
    return work(...all);
  };
  return { called: (times: number) => hasCome(watch, calls, times, "calls"), counting };
}

const WELCOME = `<h1>Our shop</h1><p>${"Welcome to our shop of many things. ".repeat(8)}</p>`;
const SAME_FOR_ALL = `<title>Our shop</title>${WELCOME}`;
const MISSING = `<title>Not found - Our shop</title>${WELCOME}`;

describe("A check that is cut short while it asks around a page", () => {
  /** A site that shows one page below its home page, and takes its time to say what is welcome. */
  const siteOf = (page: string) => {
    const rules = slowAnswer(() => new Response("User-agent: *\nAllow: /"));
    const site = startSite({ "/robots.txt": rules.answer, "/": SAME_FOR_ALL }, { otherwise: page });
    return { site, rules };
  };

  test("leaves others what is being learned of how the host answers", async () => {
    const { site, rules } = siteOf(SAME_FOR_ALL);
    const { checker } = labChecker();
    const { called, counting: learn } = counted(checker.hostProfiles.learn);
    const hostProfiles = { ...checker.hostProfiles, learn };
    const { check, checkThatIsCut, cut } = checking({ ...checker, hostProfiles });

    const cutShort = checkThatIsCut(`${site.url}/a`);
    const other = check(`${site.url}/b`);
    await rules.asked;
    await called(2);
    cut();

    expect(await cutShort).toMatchObject({ reason: "check_aborted" });
    rules.tell();
    expect(await other).toMatchObject({ status: "unknown", reason: "soft404_suspected" });
    await site.stop();
  });

  test("leaves others the robots.txt that is being read", async () => {
    const { site, rules } = siteOf(MISSING);
    const { checker } = labChecker();
    const { called, counting: robots } = counted(checker.robots);
    const { check, checkThatIsCut, cut } = checking({ ...checker, robots });

    const cutShort = checkThatIsCut(`${site.url}/a`);
    const other = check(`${site.url}/b`);
    await rules.asked;
    await called(2);
    cut();

    expect(await cutShort).toMatchObject({ reason: "check_aborted" });
    rules.tell();
    expect(await other).toMatchObject({ status: "dead", reason: "soft404_probe" });
    await site.stop();
  });
});

const HOST = "files.example.org";

const kindOf = (kind: string, ask: Ask | Ask[], more: Partial<Kind> = {}): Kind => ({
  kind,
  path: `^/${kind}/(?<id>\\w+)$`,
  ask,
  page: "never",
  ...more,
});

const RULES: Ask["rules"] = [
  { json: { name: { exists: true } }, means: "ok_service" },
  { means: "service_not_found", class: "C1" },
];

const FILES: Service = {
  id: "files",
  name: "Files",
  hosts: [HOST],
  confidence: "M",
  kinds: [
    kindOf("file", { url: `https://${HOST}/api/file/{id}`, rules: RULES }),
    kindOf("many", {
      url: `https://${HOST}/api/many?ids={id}`,
      batch: { most: 50, join: ",", answers: { by: "key", key: "{id}" } },
      rules: RULES,
    }),
    kindOf("guest", [
      {
        url: `https://${HOST}/api/token`,
        take: { token: "token" },
        keepMinutes: 30,
        rules: [{ json: { token: { exists: true } }, means: "next" }],
      },
      { url: `https://${HOST}/api/guest/{id}?token={token}`, rules: RULES },
    ]),
  ],
  canary: [`https://${HOST}/file/old`],
};

const A_FILE = { name: "A file" };

describe("A check that is cut short while it asks a service", () => {
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    web = await startPlayedWeb([HOST]);
  });
  afterAll(() => web.stop());

  const checkerOf = (played: Web) => {
    web.play(played);
    return checkerThrough(web, createCatalogue([FILES])).checker;
  };
  const asked = () => web.requests().map(({ line }) => line.replace(`GET https://${HOST}/api`, ""));

  test("for a link that has been there for years leaves others its answer", async () => {
    const old = slowAnswer(() => json(A_FILE));
    const gone = ["a", "b", "c"].map((id) => [`${HOST}/api/file/${id}`, json({})]);
    const checker = checkerOf({
      [`${HOST}/api/file/old`]: old.answer,
      ...Object.fromEntries(gone),
    });
    const { canaries } = checker.services;
    const { called, counting: isReliable } = counted(canaries.isReliable);
    const services = { ...checker.services, canaries: { ...canaries, isReliable } };
    const { check, checkThatIsCut, cut } = checking({ ...checker, services });

    const cutShort = checkThatIsCut(`https://${HOST}/file/a`);
    const other = check(`https://${HOST}/file/b`);
    await old.asked;
    await called(2);
    cut();

    expect(await cutShort).toMatchObject({ reason: "check_aborted" });
    old.tell();
    const dead = { status: "dead", reason: "service_not_found" };
    expect(await other).toMatchObject(dead);
    expect(await check(`https://${HOST}/file/c`)).toMatchObject(dead);
    expect(asked().filter((path) => path === "/file/old")).toHaveLength(1);
  });

  test("about many links at once leaves the others their answers", async () => {
    const many = slowAnswer(() => json({ a: A_FILE, b: A_FILE }));
    const { check, checkThatIsCut, cut } = checking(
      checkerOf({ [`${HOST}/api/many`]: many.answer }),
    );

    const cutShort = checkThatIsCut(`https://${HOST}/many/a`);
    const other = check(`https://${HOST}/many/b`);
    await many.asked;
    cut();

    expect(await cutShort).toMatchObject({ reason: "check_aborted" });
    many.tell();
    expect(await other).toMatchObject({ status: "active", reason: "ok_service" });
    expect(asked()).toEqual(["/many?ids=a%2Cb"]);
  });

  test("for what serves every link leaves it to them", async () => {
    const token = slowAnswer(() => json({ token: "t" }));
    const { check, checkThatIsCut, cut } = checking(
      checkerOf({ [`${HOST}/api/token`]: token.answer, [`${HOST}/api/guest/b`]: json(A_FILE) }),
    );

    const cutShort = checkThatIsCut(`https://${HOST}/guest/a`);
    const other = check(`https://${HOST}/guest/b`);
    await token.asked;
    cut();

    expect(await cutShort).toMatchObject({ reason: "check_aborted" });
    token.tell();
    expect(await other).toMatchObject({ status: "active", reason: "ok_service" });
    expect(asked()).toEqual(["/token", "/guest/b?token=t"]);
  });
});
