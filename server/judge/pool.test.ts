import { afterAll, beforeAll, expect, onTestFinished, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { movableClock } from "../../tests/clock.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { ROOT } from "../../tests/imports.ts";
import { IS_LONG } from "../../tests/long.ts";
import { type Routes, type Site, startSite } from "../../tests/site.ts";
import { waitFor } from "../../tests/waits.ts";
import type { Config } from "../ground/config/config.ts";
import { CHECKER_COMMAND } from "../ground/lib/runtime.ts";
import { siteOf } from "../ground/lib/site.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { watchPings } from "../work/processes/child.ts";
import { ownerOf } from "../work/processes/messages.ts";
import { createCheckerPool } from "../work/processes/pool.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { createOnline } from "./online/online.ts";
import { createCanaries } from "./services/canaries.ts";

const MINUTE_MS = 60_000;
const SECRET = "nothing that checks links has to know";

let server: TestServer;
let site: Site;
beforeAll(async () => {
  process.env.STILLUP_METRICS_TOKEN = SECRET;
  server = await startServer("sqlite", { STILLUP_CHECK_PROCESSES: "1" });
  site = startSite({}, { otherwise: () => new Response("A page.") });
});
afterAll(async () => {
  delete process.env.STILLUP_METRICS_TOKEN;
  await Promise.all([server.stop(), site.stop()]);
});

/** The processes of a server, and its clock, which stands. */
function startPool(settings: Partial<Config> = {}) {
  const clock = movableClock(Date.now());
  const pool = createCheckerPool({
    config: { ...server.config, ...settings },
    clock,
    online: createOnline({ clock, sentinels: [], ask: async () => true }),
    profiles: { find: async () => null, keep() {} },
    canaries: createCanaries(clock, null),
    command: [process.execPath, join(ROOT, "server/main.ts"), CHECKER_COMMAND],
  });
  onTestFinished(() => pool.stop());
  const check = (url = `${site.url}/page`, { signal } = new AbortController()) =>
    pool.check({ ...NEVER_CHECKED, url }, signal);
  return { clock, pool, check };
}

test("A process that checks links starts for the first check, ends after 15 minutes without one, and starts again", async () => {
  const { clock, pool, check } = startPool();
  const pid = () => pool.processes()[0]!.pid;
  expect(pid()).toBeNull();

  expect((await check()).reason).toBe("ok");
  const first = pid();
  clock.moveBy(14 * MINUTE_MS);
  await yieldToEventLoop();
  await check();
  expect(pid()).toBe(first);
  clock.moveBy(16 * MINUTE_MS);
  await yieldToEventLoop();
  expect((await check()).reason).toBe("ok");

  expect(first).toBeNumber();
  expect(pid()).not.toBe(first);
  expect(pool.processes()[0]).toMatchObject({ checks: 3, restarts: 0 });
});

/** A site whose links the process of this number checks, until the test ends. */
function siteOfProcess(index: number, routes: Routes = {}): Site {
  for (;;) {
    const own = startSite(routes, { otherwise: () => new Response("A page.") });
    onTestFinished(own.stop);
    if (ownerOf(siteOf(new URL(own.url).host), 2) === index) return own;
  }
}

test("Two requests to a site have the gap between them also when two processes send them", async () => {
  const { check } = startPool({ checkProcesses: 2, hostGapMs: 60 * MINUTE_MS });
  const target = siteOfProcess(0);
  const redirected = Promise.withResolvers<void>();
  const leading = siteOfProcess(1, {
    "/leads": () => {
      redirected.resolve();
      return Response.redirect(`${target.url}/target`);
    },
  });
  const ending = new AbortController();
  expect((await check(`${target.url}/page`)).reason).toBe("ok");

  const following = check(`${leading.url}/leads`, ending);
  await waitFor(redirected.promise, () => "a request to the link that leads there");
  // The process that follows the redirect checks other links meanwhile.
  for (const other of [1, 1, 1].map((index) => siteOfProcess(index)))
    expect((await check(`${other.url}/page`)).reason).toBe("ok");

  expect(target.requests.map(({ url }) => url)).toEqual([`${target.url}/page`]);
  ending.abort();
  expect((await following).reason).toBe("check_aborted");
});

test.if(process.platform === "linux")(
  "A process that checks links has neither the database nor a setting that is not for checks",
  async () => {
    const { pool, check } = startPool();
    await check();
    const at = `/proc/${pool.processes()[0]!.pid}`;
    const files = readdirSync(`${at}/fd`).map((name) => readlinkSync(`${at}/fd/${name}`));
    const [environment, command] = ["environ", "cmdline"].map((name) =>
      readFileSync(`${at}/${name}`, "utf8"),
    );

    expect(command).toContain(CHECKER_COMMAND);
    expect(files.filter((path) => path.startsWith(server.config.dataDir))).toEqual([]);
    expect(environment).toContain("PATH=");
    expect(environment).not.toContain("STILLUP_");
    expect(environment).not.toContain(SECRET);
  },
);

test.if(IS_LONG)(
  "A process that checks links and that waits for the processor is replaced after half a minute",
  async () => {
    const { pool, check } = startPool();
    await check();
    const { pid } = pool.processes()[0]!;
    process.kill(pid!, "SIGSTOP");

    expect((await check()).reason).toBe("ok");

    expect(pool.processes()[0]!.pid).not.toBe(pid);
    expect(pool.processes()[0]).toMatchObject({ restarts: 1 });
  },
  120_000,
);

test("A process is late for as long as it owes an answer, and for some seconds after a late one", () => {
  let now = 0;
  const pings = watchPings(() => now);
  const lateAfter = (ms: number) => {
    now += ms;
    return pings.areLate();
  };
  expect([lateAfter(3999), lateAfter(1)]).toEqual([true, false]);

  pings.sent();
  expect([lateAfter(250), lateAfter(1), lateAfter(10_000)]).toEqual([false, true, true]);
  pings.answered();
  expect([lateAfter(3999), lateAfter(1)]).toEqual([true, false]);

  pings.sent();
  now += 250;
  pings.answered();
  expect(lateAfter(0)).toBe(false);
});
