import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { ENGINES, startServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { makeNews, startReceiver } from "../../tests/receiver.ts";
import { checkDueLinks, deliverDue } from "../../tests/rounds.ts";
import { BEHIND_PROXY, openBrowser } from "../../tests/session/browser.ts";
import { startSite } from "../../tests/site.ts";
import { createSetup } from "../accounts/users.ts";
import { newRecoveryCode, newSessionToken, newSetupToken } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { keepHeartbeat } from "../ops/upkeep/heartbeat.ts";

const CANARY = "Canary77";
const SETTINGS = {
  ...BEHIND_PROXY,
  STILLUP_METRICS_TOKEN: `${CANARY}-metrics-token`,
  STILLUP_HEARTBEAT_URL: `http://127.0.0.1:1025/${CANARY}/beat?${CANARY}=${CANARY}`,
  STILLUP_CHECK_USER_AGENT: `Agent ${CANARY}`,
};

describe.each(ENGINES)("Whatever is sent to a server on %s", (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, SETTINGS);
  });
  afterAll(() => server.stop());

  test("no secret of it is ever logged", async () => {
    const lines = await logLines("debug", "json");
    const secrets = [...(await liveALife(server)), CANARY];

    const all = lines.join("\n");
    expect(lines.length).toBeGreaterThan(15);
    expect(all).toContain("heartbeat failed");
    expect(secrets.filter((secret) => secret && all.includes(secret))).toEqual([]);
  });
});

/** Signs up, signs in, makes keys and webhooks, checks and delivers. Gives the secrets that it came by. */
async function liveALife(server: TestServer): Promise<string[]> {
  const password = `${CANARY} is a long password`;
  const setup = (await createSetup(server.deps))!;
  const browser = openBrowser(server);
  const email = "first@example.org";
  const wrong = { token: `${CANARY}-wrong`, email, password };
  await browser.post("/setup", wrong);
  const { key } = (await browser.post("/setup", { token: setup, email, password })).body.data;
  await browser.signIn(email, `${CANARY} wrong`);
  await browser.signIn(email, password);
  const secondFactor = (await browser.post("/session/two-factor", { password })).body;
  await browser.post("/session/two-factor/confirm", { code: `${CANARY}`, password });
  const me = server.asker(key);
  const receiver = startReceiver(500);
  const hook = await me.post("/api/v1/webhooks", {
    url: `${receiver.url}?token=${CANARY}`,
    events: ["link.created", "check.complete"],
  });
  const site = startSite({ "/": "hello" });
  await me.post("/api/v1/links", { url: `${site.url}/?session=${CANARY}` });
  await makeNews(me);
  await checkDueLinks({ ...server.deps, check: server.check });
  await deliverDue(server.deps);
  await strangeRequests(server, key);
  await beatOnce(server);
  return [
    setup,
    key,
    browser.cookie()?.split("=")[1] ?? "",
    hook.body.data.secret,
    secondFactor?.data?.secret,
  ];
}

/** With a secret at every place of a request that there is. */
async function strangeRequests(server: TestServer, key: string) {
  const me = server.asker(key);
  await server.asker(`${key}x`).get("/api/v1/links");
  await server.asker(`su_${CANARY}`).get("/api/v1/links");
  await me.get(`/api/v1/links/${key}`);
  await me.get(`/api/v1/links?api_key=${key}&search=${CANARY}`);
  await me.post("/api/v1/links", `{"password":"${CANARY}`);
  await me.post("/api/v1/links", { url: `https://user:${CANARY}@example.org/` });
  for (const path of ["/metrics", "/", "/dashboard/api/session", "/api/v1/links"]) {
    const headers = {
      authorization: `Bearer ${CANARY}`,
      cookie: `session=${CANARY}; other=${CANARY}`,
      "x-request-id": `${CANARY} is not an id`,
      "idempotency-key": CANARY,
      "user-agent": CANARY,
      referer: `https://${CANARY}.example/`,
    };
    await fetch(server.url + path, {
      headers,
      method: path === "/" ? "GET" : "POST",
      ...(path !== "/" && { body: CANARY }),
    });
  }
}

/** No one listens there: the line about that has no URL. */
async function beatOnce({ deps, clock }: TestServer) {
  const ended = new AbortController();
  let slept = 0;
  const sleep = async () => {
    if (++slept > 1) ended.abort();
  };
  const now = clock.elapsed();
  const loops = { ...deps.loops, lookedAt: () => now };
  const asking = { ...deps, clock: { ...clock, sleep }, loops, outbound: deps.webhookOutbound };
  await keepHeartbeat(asking, ended.signal);
}

const KEY = `su_${"a".repeat(38)}`;
const TOKEN = newSessionToken();

eachRow([
  ["an API key", KEY, KEY.slice(10)],
  ["a signing secret", "whsec_Q2FuYXJ5Nzc=", "Q2FuYXJ5"],
  ["a password in a URL", "postgres://stillup:Canary77@db/stillup", CANARY],
  ["a bearer token", "Authorization: Bearer Canary77", CANARY],
  ["a header of basic authentication", "basic Q2FuYXJ5Nzc6eA==", "Q2FuYXJ5"],
  ["a cookie", `cookie: __Host-session=${CANARY}`, CANARY],
  ["the value of a cookie", `found ${TOKEN} twice`, TOKEN],
  ["a setup token", newSetupToken(), "-"],
  ["a recovery code", newRecoveryCode(), "-"],
  ["a password in a body", JSON.stringify({ password: `a "Canary77" b` }), CANARY],
  ["a code of the second factor", JSON.stringify({ code: "123456" }), "123456"],
  ["a form", `email=x&new_password=${CANARY}`, CANARY],
  [
    "the end of a long value in a query",
    `https://x.test/?q=${"a".repeat(200)}${CANARY}&b=1`,
    CANARY,
  ],
])("%s is masked wherever it came from", async (_, text, secret) => {
  for (const format of ["json", "text"] as const) {
    const lines = await logLines("debug", format);

    log.error("something failed", { detail: text, ...describeError(new Error(text)) });
    log.info(text);

    const written = lines.map((line) =>
      line.replace(/\d{4}-\d\d-\d\dT/g, "").replace(/stack.*/, ""),
    );
    expect(written.filter((line) => line.includes(secret))).toEqual([]);
  }
});

test("what only looks like a secret stays readable", async () => {
  const lines = await logLines("debug", "json");
  const facts = {
    link: "01976b2e-0000-7000-8000-000000000000",
    status_code: 404,
    url: "https://x.test/?a=1",
  };

  log.info("the database takes results again", facts);

  expect(JSON.parse(lines[0]!)).toMatchObject(facts);
});
