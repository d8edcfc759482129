import { afterAll, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { failingDeps } from "../../tests/events/failing-store.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { sendRaw } from "../../tests/http/raw.ts";
import { logLines } from "../../tests/log.ts";
import { METRICS_TOKEN } from "../../tests/metrics/reading.ts";
import { startSentinel } from "../../tests/sentinel.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";
import { createService } from "../app/app.ts";
import { VERSION } from "../ground/lib/runtime.ts";
import { healthAtStart, readinessAtStart } from "./health.ts";

const sentinel = await startSentinel();

afterAll(() => sentinel.stop());

onServer(
  "A server",
  (server) => {
    const stranger = (): Asker => server().asker("");
    const operator = (): Asker => server().asker(METRICS_TOKEN);
    const confirm = () => server().deps.online.confirm(server().clock.elapsed());

    test("is well while it runs and its database answers", async () => {
      const { status, body } = await stranger().get("/health");

      expect([status, body]).toEqual([200, { status: "ok" }]);
    });

    test("says by name what is wrong, and is well again when that is over", async () => {
      const { troubles } = server().deps;
      troubles.set("disk_full", "The disk is full. Make room.");
      troubles.set("backup_failed", "There is no room for it.");
      const during = await stranger().get("/health");
      troubles.set("disk_full", null);
      const after = await stranger().get("/health");
      troubles.set("backup_failed", null);

      const names = ["disk_full", "backup_failed"];
      expect([during.status, during.body]).toEqual([503, { status: "failing", troubles: names }]);
      expect([after.status, after.body]).toEqual([200, { status: "ok" }]);
    });

    eachRow(["/health", "/ready"])("answers at %s to who names no host", async (path) => {
      server().deps.loops.setChecking(true);
      const { status, head } = await sendRaw(server().url, `GET ${path} HTTP/1.0\r\n\r\n`);

      server().deps.loops.setChecking(false);
      expect(status).toBe(200);
      expect(head.toLowerCase()).toContain("content-type: application/json");
    });

    test("is not well while its database does not answer", async () => {
      const lines = await logLines("error");
      const deps = failingDeps(server().deps, () => new Error("gone"));
      const { front } = await createService(deps);

      const reply = await front(new Request("http://localhost/health"));

      expect(reply.status).toBe(503);
      expect(await reply.json()).toEqual({
        status: "failing",
        troubles: ["database_unreachable"],
      });
      expect(lines.join()).toContain('database not responding error="gone"');
    });

    test("is ready once it checks", async () => {
      const starting = await stranger().get("/ready");
      server().deps.loops.setChecking(true);
      const ready = await stranger().get("/ready");
      server().deps.loops.setChecking(false);

      expect(starting.status).toBe(503);
      expect(starting.body).toMatchObject({ status: "starting", database: true, checker: false });
      expect([ready.status, ready.body]).toEqual([
        200,
        { status: "ready", database: true, checker: true },
      ]);
    });

    test("tells its version and the names of nodes to the operator and to who has signed in", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const cookie = { cookie: `${browser.cookie()}`, authorization: "" };

      const ready = await operator().get("/ready");
      const shown = await stranger().get("/ready", cookie);

      expect(ready.body).toEqual({
        status: "starting",
        database: true,
        checker: false,
        online: "unknown",
        online_since: null,
        clock: "ok",
        writes_stopped: null,
        nodes: [
          {
            name: server().config.nodeName,
            roles: ["api", "checker", "delivery"],
            version: VERSION,
            seen_at: new Date(server().clock.now()).toISOString(),
            live: true,
            lag: { checks: null, deliveries: null },
            buckets: { checks: 1024, deliveries: 1024 },
          },
        ],
      });
      expect(shown.body).toEqual(ready.body);
    });

    test("tells neither to anyone else", async () => {
      const { key } = await server().account();
      const strangers = ["", key, `${METRICS_TOKEN}x`].map((each) => server().asker(each));
      const asked = strangers.map((each) => each.get("/ready", { cookie: "session=su_none" }));

      for (const { body } of await Promise.all(asked)) {
        expect(Object.keys(body).sort()).toEqual(["checker", "database", "status"]);
      }
    });

    test("serves while it is offline, and says since when it is", async () => {
      server().deps.loops.setChecking(true);
      await confirm();
      expect((await operator().get("/ready")).body).toMatchObject({ online: "online" });
      await sentinel.stop();
      server().clock.moveBy(60_000);
      const cutAt = new Date(server().clock.now()).toISOString();
      await confirm();
      server().clock.moveBy(60_000);

      const { status, body } = await operator().get("/ready");

      expect(status).toBe(200);
      expect(body).toMatchObject({ status: "ready", online: "offline", online_since: cutAt });
      await sentinel.start();
    });

    test("serves while its clock is wrong, and says so", async () => {
      server().deps.loops.setChecking(true);
      const headers = new Headers({ date: "Sat, 01 Jan 2000 00:00:00 GMT" });
      for (const site of ["a", "b", "c"]) {
        server().deps.online.noteAnswer({ finalUrl: `https://${site}.test/`, headers });
      }

      const { status, body } = await operator().get("/ready");

      expect([status, body.clock]).toEqual([200, "off"]);
    });
  },
  { STILLUP_SENTINELS: sentinel.address, STILLUP_METRICS_TOKEN: METRICS_TOKEN },
);

test("Before there is a database a server is alive, not ready, and says what it does", () => {
  expect(healthAtStart).toEqual({ status: "starting" });
  expect(readinessAtStart("upgrading the database")).toMatchObject({
    status: "starting",
    database: false,
    doing: "upgrading the database",
  });
});
