import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  json,
  page,
  startPlayedWeb,
  text,
  to,
  type Web,
} from "../../../tests/checker/services/played-web.ts";
import { type Asker, startServer, type TestServer } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";

/** Links made over the API, checked by the program through the proxy and authority it was given. */
const ZOO = "https://www.youtube.com/watch?v=jNQXAC9IVRw";
const OEMBED = "www.youtube.com/oembed";
const HOSTS = [
  "www.youtube.com",
  "youtu.be",
  "i.ytimg.com",
  "bit.ly",
  "g.api.mega.co.nz",
  "moved.test",
];

let web: Awaited<ReturnType<typeof startPlayedWeb>>;
let server: TestServer;

beforeAll(async () => {
  web = await startPlayedWeb(HOSTS);
  const ca = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "ca.pem");
  writeFileSync(ca, web.ca);
  server = await startServer("sqlite", {
    STILLUP_OUTBOUND_PROXY: web.proxy,
    STILLUP_OUTBOUND_PROXY_RESOLVES: "true",
    STILLUP_EXTRA_CA_FILE: ca,
  });
});
afterAll(async () => {
  await server.stop();
  await web.stop();
});

const testChecks = (name: string, story: (me: Asker, server: TestServer) => Promise<void>) =>
  test(name, async () => story(await server.account(), server));

async function checked(me: Asker, server: TestServer, url: string) {
  const { body } = await me.post("/api/v1/links", { url });
  return checkedAgain(me, server, body.data.id);
}

async function checkedAgain(me: Asker, server: TestServer, id: string) {
  await checkDueLinks({ ...server.deps, check: server.check });
  return (await me.get(`/api/v1/links/${id}`)).body.data;
}

const moveTo = ({ clock }: TestServer, moment: string) =>
  clock.moveBy(Date.parse(moment) - clock.now());

const HOUR_MS = 3_600_000;

/** YouTube as it is: only the video from the zoo is there. */
const youtube = (): Web => ({
  [OEMBED]: ({ url }) =>
    url.includes("jNQXAC9IVRw")
      ? json({ type: "video", title: "Me at the zoo" })
      : text("Not Found", 404),
  "i.ytimg.com/vi/aaaaaaaaaaa/0.jpg": 404,
});

testChecks("a video is asked for, and shows how", async (me, server) => {
  web.play({ [OEMBED]: json({ type: "video", title: "Me at the zoo" }) });

  const link = await checked(me, server, ZOO);

  expect(link).toMatchObject({
    service: "youtube",
    status: "active",
    reason: "ok_service",
    last_check: { status_code: 200, message: "The service says that it exists." },
    evidence: {
      final_url: ZOO,
      redirects: [],
      signals: [{ rule: "service_answer", text: expect.stringContaining("YouTube returned 200") }],
      probes: [{ asked: "service", url: expect.stringContaining("/oembed?"), status: 200 }],
    },
  });
});

testChecks("a video that is gone is dead, once one that is not was found", async (me, server) => {
  web.play(youtube());
  // That the one from the zoo was alive is no longer news.
  server.clock.moveBy(HOUR_MS);

  const link = await checked(me, server, "https://youtu.be/aaaaaaaaaaa");

  expect(link).toMatchObject({ service: "youtube", status: "dead", reason: "service_not_found" });
  const asked = link.evidence.probes.map((probe: { asked: string }) => probe.asked);
  expect(asked).toContain("canary");
});

testChecks(
  "a service that fails says nothing about its video, however long",
  async (me, server) => {
    web.play({ [OEMBED]: text("Not Found", 500), "i.ytimg.com/vi/aaaaaaaaaac/0.jpg": 500 });
    let link = await checked(me, server, "https://youtu.be/aaaaaaaaaac");

    for (let day = 1; day <= 21; day++) {
      expect(link).toMatchObject({ status: "unknown", reason: "service_probe_failed" });
      server.clock.moveBy(24 * HOUR_MS);
      link = await checkedAgain(me, server, link.id);
    }
  },
);

testChecks("when all of them seem gone, none is", async (me, server) => {
  web.play({
    ...youtube(),
    [OEMBED]: text("Not Found", 404),
    "i.ytimg.com/vi/aaaaaaaaaab/0.jpg": 404,
    "i.ytimg.com/vi/jNQXAC9IVRw/0.jpg": 404,
  });
  // What was heard of the canary before is no longer good.
  server.clock.moveBy(HOUR_MS);

  const link = await checked(me, server, "https://youtu.be/aaaaaaaaaab");

  expect(link).toMatchObject({
    status: "unknown",
    reason: "service_unavailable",
    evidence: { cause: "service_not_found" },
  });
  const again = Date.parse(link.next_check_at) - server.clock.now();
  expect(again).toBeWithin(HOUR_MS, 1.1 * HOUR_MS + 1);
});

testChecks("a redirect away does not change whose link it is", async (me, server) => {
  web.play({
    "www.youtube.com/about/": to("https://moved.test/about-us"),
    "moved.test/about-us": page("<title>About</title><h1>About us</h1><p>We moved here.</p>"),
    "moved.test/robots.txt": 404,
  });

  const link = await checked(me, server, "https://www.youtube.com/about/");

  expect(link).toMatchObject({
    service: "youtube",
    status: "active",
    reason: "ok_redirected",
    evidence: { final_url: "https://moved.test/about-us" },
  });
});

testChecks("a short address is what it leads to, and its way is kept", async (me, server) => {
  web.play({
    ...youtube(),
    "bit.ly/zoo": to(ZOO),
    "www.youtube.com/watch": page("<title>YouTube</title>"),
  });

  const link = await checked(me, server, "https://bit.ly/zoo");

  expect(link).toMatchObject({
    service: "shortener",
    status: "active",
    reason: "ok_service",
    evidence: { final_url: ZOO, redirects: [{ url: "https://bit.ly/zoo", status: 302 }] },
  });
});

testChecks("files that only their fragment tells apart are two links", async (me) => {
  const [a, b] = ["https://mega.nz/file/abcdefgh#key", "https://mega.nz/file/abcdefgh#other"];

  expect((await me.post("/api/v1/links", { url: a })).status).toBe(201);
  expect((await me.post("/api/v1/links", { url: b })).status).toBe(201);
  expect((await me.post("/api/v1/links", { url: a })).status).toBe(409);
});

testChecks(
  "what a service must say for an hour is dead after that, for its own reason",
  async (me, server) => {
    web.play({
      "g.api.mega.co.nz/cs": async (request) =>
        json(((await request.json()) as unknown[]).map(() => -6)),
    });
    const first = await checked(me, server, "https://mega.nz/file/ijklmnop#key");
    expect(first).toMatchObject({
      status: "unknown",
      last_check: { reason: "unconfirmed" },
      evidence: { cause: "service_account_gone" },
    });

    moveTo(server, first.next_check_at);
    const second = await checkedAgain(me, server, first.id);
    expect(second.status).toBe("unknown");
    moveTo(server, second.next_check_at);
    const third = await checkedAgain(me, server, first.id);

    expect(third).toMatchObject({
      status: "dead",
      reason: "service_account_gone",
      evidence: { cause: null },
    });
  },
);
