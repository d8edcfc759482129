import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../server/ground/db/migrate.ts";
import { openEngine, ownMigrations } from "../../server/ground/db/open.ts";
import type { Migration } from "../../server/ground/db/store.ts";
import { users } from "../../server/ground/db/tables.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import { type Asker, startServer } from "../harness.ts";
import { deliverAll, subscribe } from "../receiver.ts";
import { addCheck, addGroup, setLink } from "../rows.ts";
import { startSite } from "../site.ts";

/** The webhook secrets in the database are sealed with this key. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

let filled: Promise<{ bytes: Uint8Array; key: string }> | undefined;

/** A data folder with a copy of a database that people have used, and an API key for it. */
export async function usedDatabase() {
  filled ??= fillDatabase();
  const { bytes, key } = await filled;
  const folder = mkdtempSync(join(tmpdir(), "stillup-used-"));
  const path = join(folder, "stillup.db");
  writeFileSync(path, bytes, { mode: 0o600 });
  writeFileSync(join(folder, "secret.key"), SECRET_KEY, { mode: 0o600 });
  return { folder, path, key };
}

/** A data folder with a database of another version: it has the migrations that this picks of ours. */
export async function olderDatabase(pick: (files: Migration[]) => Migration[]) {
  const folder = mkdtempSync(join(tmpdir(), "stillup-older-"));
  const path = join(folder, "stillup.db");
  const engine = openEngine(`sqlite:${path}`);
  await migrate(engine, pick(ownMigrations()), 1);
  const sql = `insert into accounts (id, email, tier, created_at, no, history_since)
    values ('a', 'me@example.org', 'business', 1, 1, 0)`;
  await engine.run({ sql, params: [] });
  await engine.close();
  packed(path);
  writeFileSync(join(folder, "secret.key"), SECRET_KEY, { mode: 0o600 });
  return { folder, path };
}

/** What a server does with that database before it uses it. */
export const preparationOf = (folder: string) => ({
  path: join(folder, "stillup.db"),
  backups: join(folder, "backups"),
  keyFile: join(folder, "secret.key"),
  fresh: false,
  check: true,
  copy: true,
  heldBy: null,
  now: Date.parse("2031-01-01T00:00:00Z"),
});

async function fillDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "stillup-fill-"));
  const path = join(folder, "stillup.db");
  writeFileSync(join(folder, "secret.key"), SECRET_KEY, { mode: 0o600 });
  const server = await startServer("sqlite", {
    STILLUP_DATABASE_URL: `sqlite:${path}`,
    STILLUP_SECRET_KEY_FILE: join(folder, "secret.key"),
  });
  const me = await server.account();
  await server.deps.store.insert(users).values({
    id: newId(),
    accountId: me.accountId,
    email: "me@example.org",
    role: "owner",
    isAdmin: true,
    createdAt: server.clock.now(),
  });
  await use(server, me);
  await server.stop();
  const bytes = packed(path);
  rmSync(folder, { recursive: true });
  return { bytes, key: me.key };
}

async function use(server: Awaited<ReturnType<typeof startServer>>, me: Asker) {
  const receivers = startSite({ "/hook": 204, "/broken": 500 });
  for (const path of ["/hook", "/broken"])
    await subscribe(me, receivers.url + path, ["link.dead", "link.created", "check.complete"]);
  const groupId = await addGroup(me);
  await addGroup(me, "Empty");
  const add = async (path: string, group_id: string | null) => {
    const { body } = await me.post("/api/v1/links", {
      url: `https://example.org${path}`,
      group_id,
    });
    return body.data.id as string;
  };
  const ids = [];
  for (const path of ["/here", "/turns", "/gone"]) ids.push(await add(path, groupId));
  for (const path of ["/moved", "/gone?twice", "/here?ü=%20"]) ids.push(await add(path, null));
  for (const [i, id] of ids.entries())
    await addCheck(server, me, id, { checkedAt: Date.parse("2026-11-01T10:00:00Z") + i });
  await addCheck(server, me, ids[1]!, {
    status: "dead",
    statusChanged: true,
    statusCode: 404,
    reason: "http_404",
    checkedAt: Date.parse("2026-11-02T10:00:00Z"),
    evidence: "{}",
  });
  await setLink(server, ids[1]!, { status: "dead", reason: "http_404", decidedStatus: "dead" });
  await deliverAll(server);
  await receivers.stop();
}

/** One file, as `VACUUM` leaves it, without a journal next to it. */
function packed(path: string): Uint8Array {
  const database = new Database(path);
  database.run("VACUUM");
  database.run("PRAGMA journal_mode = DELETE");
  database.close(true);
  return readFileSync(path);
}

/** Makes the backup folder of a data folder. */
export function makeBackups(folder: string): string {
  const backups = join(folder, "backups");
  mkdirSync(backups, { recursive: true });
  return backups;
}
