import { afterAll, expect, test } from "bun:test";
import { type Asker, onBothEngines } from "../harness.ts";
import { startSentinel } from "../sentinel.ts";

const sentinel = await startSentinel();

afterAll(() => sentinel.stop());

onBothEngines(
  "A server",
  (server) => {
    const stranger = (): Asker => server().asker("");
    const confirm = () => server().deps.online.confirm(server().clock.elapsed());

    test("is well while it runs and its database answers", async () => {
      const { status, body } = await stranger().get("/health");

      expect([status, body]).toEqual([200, { status: "ok" }]);
    });

    test("is ready once it checks, and knows nothing of its line before anything failed", async () => {
      const starting = await stranger().get("/ready");
      server().deps.loops.checking = true;
      const ready = await stranger().get("/ready");

      expect(starting.status).toBe(503);
      expect(starting.body).toMatchObject({ status: "starting", database: true, checker: false });
      expect(ready.status).toBe(200);
      expect(ready.body).toEqual({
        status: "ready",
        database: true,
        checker: true,
        online: "unknown",
        online_since: null,
        clock: "ok",
      });
    });

    test("serves while it is offline, and says since when it is", async () => {
      await confirm();
      expect((await stranger().get("/ready")).body).toMatchObject({ online: "online" });
      await sentinel.stop();
      server().clock.moveBy(60_000);
      const cutAt = new Date(server().clock.now()).toISOString();
      await confirm();
      server().clock.moveBy(60_000);

      const { status, body } = await stranger().get("/ready");

      expect(status).toBe(200);
      expect(body).toMatchObject({ status: "ready", online: "offline", online_since: cutAt });
      await sentinel.start();
    });

    test("serves while its clock is wrong, and says so", async () => {
      const headers = new Headers({ date: "Sat, 01 Jan 2000 00:00:00 GMT" });
      for (const site of ["a", "b", "c"]) {
        server().deps.online.noteAnswer({ finalUrl: `https://${site}.test/`, headers });
      }

      const { status, body } = await stranger().get("/ready");

      expect([status, body.clock]).toEqual([200, "off"]);
    });
  },
  { STILLUP_SENTINELS: sentinel.address },
);
