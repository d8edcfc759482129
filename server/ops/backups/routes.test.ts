import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq, like } from "drizzle-orm";
import { onBothEngines, type TestServer } from "../../../tests/harness.ts";
import { type Browser, newOwner, openBrowser } from "../../../tests/session/browser.ts";
import { createSession } from "../../accounts/sessions.ts";
import { backupFolder } from "../../ground/config/config.ts";
import { audit, users } from "../../ground/db/tables.ts";

/** Someone signed in. */
async function enter(
  server: TestServer,
  isAdmin: boolean,
): Promise<{ browser: Browser; email: string }> {
  const { store, clock } = server.deps;
  const { owner } = await newOwner(server);
  await store.update(users).set({ isAdmin }).where(eq(users.id, owner.id));
  const token = await createSession(store, owner.id, clock.now());
  return { browser: openBrowser(server, `session=${token}`), email: owner.email };
}

onBothEngines("Backups", (server) => {
  test.each([
    ["GET", "/admin/backups"],
    ["POST", "/admin/backups"],
    ["GET", "/admin/backups/stillup-20300101T000000Z.db"],
    ["DELETE", "/admin/backups/stillup-20300101T000000Z.db"],
  ])("%s %s is for administrators only", async (method, path) => {
    await enter(server(), true);
    const { browser } = await enter(server(), false);

    expect((await browser.ask(method, path)).status).toBe(403);
    expect((await openBrowser(server()).ask(method, path)).status).toBe(401);
  });

  test("of PostgreSQL are made by its own program, as it says", async () => {
    if (server().deps.store.engine.name === "sqlite") return;
    const { browser } = await enter(server(), true);

    const state = await browser.get("/admin/backups");
    const refused = await browser.post("/admin/backups");

    expect(state.body.data).toMatchObject({
      folder: null,
      next_at: null,
      problem: null,
      items: [],
    });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain("pg_dump --format=custom");
  });

  test("are made, listed, downloaded and deleted, and it is recorded who did it", async () => {
    if (server().deps.store.engine.name === "postgres") return;
    const { browser, email } = await enter(server(), true);
    const name = "stillup-20300101T000000Z.db";

    const asked = () => browser.post("/admin/backups");
    const [begun, again] = (await Promise.all([asked(), asked()])).toSorted(
      (a, b) => a.status - b.status,
    );
    const state = await settled(browser);
    const copy = await download(server(), browser, name);
    const deleted = await browser.delete(`/admin/backups/${name}`);

    expect([begun!.status, begun!.body.data.is_under_way, again!.status]).toEqual([202, true, 409]);
    expect(state).toMatchObject({ problem: null, items: [{ name, kind: "daily" }] });
    expect(copy).toEqual(["ok"]);
    expect(deleted.status).toBe(204);
    expect((await browser.delete(`/admin/backups/${name}`)).status).toBe(404);
    const { store } = server().deps;
    const entries = await store.select().from(audit).where(like(audit.action, "backup.%"));
    expect(
      entries.map(({ action, actorName, targetName }) => [action, actorName, targetName]),
    ).toEqual(
      ["backup.made", "backup.downloaded", "backup.deleted"].map((action) => [action, email, name]),
    );
  });

  test.each(["..%2Fstillup.db", "..%2Fsecret.key", "mine.db", "stillup-20300101T000000Z.db%00"])(
    "that are none of ours are not given out: %s",
    async (name) => {
      const { browser } = await enter(server(), true);

      expect((await browser.get(`/admin/backups/${name}`)).status).toBe(404);
      expect((await browser.delete(`/admin/backups/${name}`)).status).toBe(404);
      expect(existsSync(server().config.secretKeyFile)).toBe(true);
    },
  );

  test("that fail tell why", async () => {
    if (server().deps.store.engine.name === "postgres") return;
    const { browser } = await enter(server(), true);
    server().clock.moveBy(1000);
    rmSync(backupFolder(server().config), { recursive: true, force: true });
    writeFileSync(backupFolder(server().config), "");

    await browser.post("/admin/backups");
    const state = await settled(browser);

    expect(state.problem).toStartWith("The last backup failed. ");
    expect(state.last_failure_at).toBe("2030-01-01T00:00:01.000Z");
  });
});

async function settled(browser: Browser) {
  for (;;) {
    const { body } = await browser.get("/admin/backups");
    if (!body.data.is_under_way) return body.data;
  }
}

/** Takes the file as a browser does, and says what SQLite thinks of it. */
async function download({ url, config }: TestServer, browser: Browser, name: string) {
  const reply = await fetch(`${url}/dashboard/api/admin/backups/${name}`, {
    headers: { cookie: browser.cookie()! },
  });
  expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
  const file = join(config.dataDir, "downloaded.db");
  writeFileSync(file, await reply.bytes());
  const database = new Database(file, { readonly: true });
  const [verdict] = database.query("pragma integrity_check").values();
  database.close(true);
  return verdict;
}
