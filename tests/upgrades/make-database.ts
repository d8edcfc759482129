/**
 * Makes a database as a release leaves it with its users, for the test that brings every one of them to
 * head. At each release that adds a migration:
 *
 *   bun tests/upgrades/make-database.ts            by the program in this checkout
 *   bun tests/upgrades/make-database.ts FOLDER     by that in another checkout
 *
 * It goes into tests/upgrades/databases under the name of its last migration, and is never made again.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "bun";
import type { Parsed } from "../harness.ts";
import { SETTINGS } from "../installed.ts";
import { listeningUrl } from "../listening.ts";
import { startSite } from "../site.ts";
import { EMAIL, PASSWORD, type Released, SECRET_KEY } from "./released.ts";

const OUT = join(import.meta.dir, "databases");
const checkout = resolve(process.argv[2] ?? join(import.meta.dir, "../.."));
const folder = mkdtempSync(join(tmpdir(), "stillup-release-"));
const dataDir = join(folder, "data");
const file = join(dataDir, "stillup.db");
const site = startSite({ "/here": "A page.", "/turns": ["A page.", 404], "/moved": moved });
const receivers = startSite({ "/hook": 204, "/broken": 500 });

let released: Released;
const children: Bun.Subprocess[] = [];

try {
  await fill();
  console.log(`made ${await keep()}`);
} finally {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([site.stop(), receivers.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

/** Does with the program what people do with it. */
async function fill() {
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, "secret.key"), SECRET_KEY, { mode: 0o600 });
  await command(["user", "create", "--email", EMAIL, "--password-file", "-"], PASSWORD);
  const key = (await command(["key", "create", "--email", EMAIL, "--name", "scripts"])).trim();
  const server = start(["serve"]);
  const url = await listeningUrl(server.stdout);
  await use(url, key);
  server.kill("SIGTERM");
  if ((await server.exited) !== 0) throw new Error("The program did not end in order.");
  released = { key };
}

async function use(url: string, key: string) {
  const ask = asker(url, { authorization: `Bearer ${key}` });
  await asker(url, { origin: url, "sec-fetch-site": "same-origin" })("/dashboard/api/session", {
    email: EMAIL,
    password: PASSWORD,
  });
  for (const path of ["/hook", "/broken"])
    await ask("/api/v1/webhooks", {
      url: receivers.url + path,
      events: ["link.dead", "link.created", "check.complete"],
    });
  const group = await ask("/api/v1/groups", { name: "Docs", color: "#336699" });
  await ask("/api/v1/groups", { name: "Empty", description: "None yet" });
  for (const path of ["/here", "/turns", "/gone"])
    await ask("/api/v1/links", { url: site.url + path, group_id: group.id });
  const many = ["/moved", "/gone?twice", "/here?ü=%20"].map((path) => ({ url: site.url + path }));
  await ask("/api/v1/links/batch", { links: many });
  const settled = () => until(ask, (links) => links.every((link) => link.last_check));
  const [turning] = (await settled()).filter((link) => link.url.endsWith("/turns"));
  await ask(`/api/v1/links/${turning.id}/check`, {});
  await until(ask, (links) =>
    links.some(({ id, status }) => id === turning.id && status === "dead"),
  );
  // As many deliveries as the program makes of it, and their outcomes.
  await Bun.sleep(3000);
}

async function until(ask: Ask, isSo: (links: Parsed[]) => boolean): Promise<Parsed[]> {
  for (let tries = 0; tries < 300; tries++) {
    const { items } = await ask("/api/v1/links");
    if (isSo(items)) return items;
    await Bun.sleep(100);
  }
  throw new Error("The links did not come to what was expected.");
}

type Ask = (path: string, body?: object) => Promise<Parsed>;

function asker(url: string, headers: Record<string, string>): Ask {
  return async (path, body) => {
    const reply = await fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: { ...headers, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { data: Parsed }).data;
  };
}

/** @returns the name under which it was put away */
async function keep(): Promise<string> {
  const database = new Database(file);
  const applied = database.query("select name from migrations order by name desc").values();
  database.run("VACUUM");
  database.run("PRAGMA journal_mode = DELETE");
  database.close(true);
  const name = String(applied[0]![0]).slice(0, 4);
  const bytes = gzipSync(await Bun.file(file).bytes(), { level: 9 });
  await Bun.write(join(OUT, `${name}.db.gz`), bytes);
  await Bun.write(join(OUT, `${name}.json`), `${JSON.stringify(released, null, 2)}\n`);
  return name;
}

function start(args: string[], input = "") {
  const child = Bun.spawn([process.execPath, join(checkout, "server/main.ts"), ...args], {
    cwd: checkout,
    env: { ...SETTINGS, STILLUP_DATA_DIR: dataDir, STILLUP_PORT: "0" },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "inherit",
  });
  children.push(child);
  return child;
}

async function command(args: string[], input?: string): Promise<string> {
  const child = start(args, input);
  const out = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")} failed`);
  return out;
}

function moved() {
  return Response.redirect(`${site.url}/here`, 301);
}
