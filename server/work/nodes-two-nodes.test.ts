import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { BEHIND_PROXY, newOwner, openBrowser, PASSWORD } from "../../tests/session/browser.ts";
import { createAccount, createSetup, endSetup } from "../accounts/users.ts";
import { accounts, groups, setupTokens } from "../ground/db/tables.ts";

const FIRST = { email: "first@example.org", password: PASSWORD };
const SECOND = { email: "second@example.org", password: PASSWORD };

describe("Two nodes on one database", () => {
  let nodes: [TestServer, TestServer];
  beforeEach(async () => {
    const first = await startServer("postgres", BEHIND_PROXY);
    const second = await startServer("postgres", {
      ...BEHIND_PROXY,
      STILLUP_DATABASE_URL: first.config.databaseUrl,
      STILLUP_SECRET_KEY_FILE: first.config.secretKeyFile,
    });
    nodes = [first, second];
  });
  afterEach(async () => {
    for (const node of nodes) await node.stop();
  });

  const nodeFor = (i: number) => nodes[i % 2]!;
  /** So many requests at once, every other one at the other node. */
  const onBoth = <T>(times: number, work: (node: TestServer, i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: times }, (_, i) => work(nodeFor(i), i)));
  const how = (replies: { status: number }[], status: number) =>
    replies.filter((reply) => reply.status === status).length;
  const isSetUp = async () => (await nodes[0].deps.store.select().from(accounts)).length;

  test("let exactly as many requests of one key through as one would", async () => {
    const me = await nodes[0].account();
    const elsewhere = nodes[1].asker(me.key);

    const replies = await onBoth(200, (_, i) =>
      (i % 2 === 0 ? me : elsewhere).get("/api/v1/nothing"),
    );

    expect([how(replies, 404), how(replies, 429)]).toEqual([120, 80]);
    const left = replies
      .filter(({ status }) => status === 404)
      .map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i));
  });

  test("count on when one of their clocks is a little behind", async () => {
    const me = await nodes[0].account();
    const elsewhere = nodes[1].asker(me.key);
    nodes[0].clock.moveBy(5000);

    const replies = [];
    for (let i = 0; i < 122; i++) {
      replies.push(await (i % 2 === 0 ? me : elsewhere).get("/api/v1/nothing"));
    }

    expect([how(replies, 404), how(replies, 429)]).toEqual([120, 2]);
  });

  test("let an address guess no more often than one would", async () => {
    const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": "203.0.113.9" };
    const body = (i: number) => ({ email: `person${i}@example.org`, password: PASSWORD });

    const replies = await onBoth(30, (node, i) =>
      openBrowser(node).ask("POST", "/session", body(i), headers),
    );

    expect([how(replies, 401), how(replies, 429)]).toEqual([20, 10]);
  });

  test("let one address guess three times at one account, and make the others wait", async () => {
    const { owner } = await newOwner(nodes[0]);

    const replies = await onBoth(20, (node) =>
      openBrowser(node, undefined, "203.0.113.10").signIn(owner.email, "not the right password"),
    );

    expect([how(replies, 401), how(replies, 429)]).toEqual([3, 17]);
  });

  test("take one code of an authenticator app once", async () => {
    const { owner } = await newOwner(nodes[0]);
    const browser = openBrowser(nodes[0]);
    await browser.signIn(owner.email);
    const begun = await browser.post("/session/two-factor", { password: PASSWORD });
    const secret = Secret.fromBase32(begun.body.data.secret);
    const codeNow = () => TOTP.generate({ secret, timestamp: nodes[0].clock.now() });
    const on = await browser.post("/session/two-factor/confirm", { code: codeNow() });
    for (const { clock } of nodes) clock.moveBy(60_000);
    const enter = (code: string) =>
      onBoth(2, (node) =>
        openBrowser(node).post("/session", { email: owner.email, password: PASSWORD, code }),
      );

    const byCode = await enter(codeNow());
    const byRecovery = await enter(on.body.data.recovery_codes[0]);

    expect(byCode.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(byRecovery.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test("know of each other's sessions, and of their end", async () => {
    const { owner } = await newOwner(nodes[0]);
    const here = openBrowser(nodes[0]);
    await here.signIn(owner.email);
    const there = openBrowser(nodes[1], here.cookie());

    const before = await there.get("/sessions");
    await there.delete("/session");
    const after = await here.get("/sessions");

    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test("run what has one idempotency key once", async () => {
    const me = await nodes[0].account();
    const elsewhere = nodes[1].asker(me.key);
    const headers = { "idempotency-key": "once" };

    const replies = await onBoth(20, (_, i) =>
      (i % 2 === 0 ? me : elsewhere).post("/api/v1/groups", { name: "a" }, headers),
    );

    const again = await elsewhere.post("/api/v1/groups", { name: "a" }, headers);
    expect(await nodes[0].deps.store.select().from(groups)).toHaveLength(1);
    expect(how(replies, 201)).toBeGreaterThanOrEqual(1);
    expect(how(replies, 201) + how(replies, 409)).toBe(20);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  });

  test("set a password by a one-time link once", async () => {
    const fresh = await newOwner(nodes[0]);
    const browser = openBrowser(nodes[0]);
    await browser.signIn(fresh.owner.email);
    const { body } = await browser.post("/people", { email: "next@example.org", role: "viewer" });
    const token = body.data.token;

    const replies = await onBoth(2, (node, i) =>
      openBrowser(node).post("/password", { token, password: `${PASSWORD} ${i}` }),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test("open their set-up to the token of either, and make one account of two at once", async () => {
    const tokens = [await createSetup(nodes[0].deps), await createSetup(nodes[1].deps)];
    const kept = JSON.stringify(await nodes[0].deps.store.select().from(setupTokens));

    const replies = await onBoth(2, (node, i) =>
      openBrowser(node).post("/setup", { token: tokens[1 - i], ...(i === 0 ? FIRST : SECOND) }),
    );

    expect(tokens.filter((token) => kept.includes(token!))).toEqual([]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 404]);
    expect(await isSetUp()).toBe(1);
  });

  test("keep each their own set-up token over the start of the other", async () => {
    const token = await createSetup(nodes[0].deps);
    const outdated = await createSetup(nodes[1].deps);
    await createSetup(nodes[1].deps);
    const path = join(nodes[0].config.dataDir, "setup-token");

    const wrong = await openBrowser(nodes[0]).post("/setup", { token: outdated, ...FIRST });
    const right = await openBrowser(nodes[1]).post("/setup", { token, ...FIRST });

    expect([wrong.status, right.status]).toEqual([401, 201]);
    expect(readFileSync(path, "utf8")).toBe(`${token}\n`);
    expect(await createSetup(nodes[0].deps)).toBeNull();
    expect(existsSync(path)).toBe(false);
  });

  test("are set up for good once a command has made an account", async () => {
    const token = await createSetup(nodes[0].deps);
    const owner = { email: FIRST.email, tier: "free", passwordHash: null, isAdmin: true } as const;
    await createAccount(nodes[1].deps, owner);
    await endSetup(nodes[1].deps);

    const { status } = await openBrowser(nodes[0]).post("/setup", { token, ...SECOND });

    expect(status).toBe(404);
    expect(await nodes[0].deps.store.select().from(setupTokens)).toEqual([]);
  });
});
