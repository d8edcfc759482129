import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { seed } from "../../bench/seed.ts";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";
import { METRICS_TOKEN } from "../metrics/reading.ts";
import { until } from "../until.ts";
import { createSmallDisk } from "./small-disk.ts";

const MIB = 1024 * 1024;
const SIZE_MIB = 64;

const disk = createSmallDisk(SIZE_MIB);
if (!disk)
  console.warn("no disk of our own can be mounted here: what a full disk does is not tried");

const json = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

/** The program on the small disk. */
const programOn = (folder: string, settings: Record<string, string> = {}) =>
  createProgram({
    STILLUP_DATA_DIR: folder,
    STILLUP_PORT: "0",
    STILLUP_RATE_LIMIT_PER_MINUTE: "0",
    STILLUP_RATE_LIMIT_PER_HOUR: "0",
    STILLUP_METRICS_TOKEN: METRICS_TOKEN,
    ...settings,
  });

/** Asks with the key, and notes every name that the server said it has taken. */
function writerTo(url: string, key: string) {
  const taken: string[] = [];
  let n = 0;
  const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${key}` },
    });
  async function write(): Promise<Response> {
    const name = `group ${process.pid}-${n++}-${"x".repeat(60)}`;
    const reply = await ask("/groups", { method: "POST", ...json({ name }) });
    if (reply.status === 201) taken.push(name);
    return reply;
  }
  /** Writes until the server answers so. */
  const writeUntil = (status: number): Promise<Response> =>
    until(`a write that is answered ${status}`, async () => {
      const reply = await write();
      return reply.status === status && reply;
    });
  return { taken, ask, write, writeUntil };
}

type Writer = ReturnType<typeof writerTo>;

/** The reply to a refused writer, and that all else goes on. */
async function expectReadOnly(writer: Writer, refused: Response) {
  expect(refused.headers.get("retry-after")).toBe("10");
  const { error } = (await refused.json()) as { error: { code: string; details?: object } };
  expect(error).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect((await writer.ask("/links?limit=5")).status).toBe(200);
  expect((await writer.ask("/groups")).status).toBe(200);
}

/** Deletes the first of a list and says which it was. */
async function deleteOne({ ask }: Writer, list: "/links" | "/groups") {
  const reply = (await (await ask(`${list}?limit=1`)).json()) as Listed;
  const [item] = reply.data.items;
  expect((await ask(`${list}/${item!.id}`, { method: "DELETE" })).status).toBe(204);
  return item!;
}

type Listed = { data: { items: { id: string; name?: string }[] } };

function namesIn(folder: string): Set<string> {
  const database = new Database(join(folder, "stillup.db"), { readonly: true });
  expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
  const names = database.query("select name from groups").values() as [string][];
  database.close();
  return new Set(names.map(([name]) => name));
}

describe.skipIf(!disk)("A disk without room", () => {
  test("stops all writing but deletions, loses nothing, and recovers automatically", async () => {
    const { folder, fill, clear } = disk!;
    const { key } = await seed({ STILLUP_DATA_DIR: folder }, { links: 500 });
    const server = programOn(folder).begin(["serve"]);
    const url = await server.output.url();
    const writer = writerTo(url, key);
    await writer.writeUntil(201);

    fill(4 * MIB);
    await expectReadOnly(writer, await writer.writeUntil(503));
    const ready = await fetch(`${url}/ready`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(await ready.json()).toMatchObject({ writes_stopped: "disk_full" });
    await deleteOne(writer, "/links");
    clear();
    await writer.writeUntil(201);

    expect(await server.stop()).toBe(0);
    const lines = server.output
      .text()
      .split("\n")
      .filter((line) => line.includes("disk full"));
    expect(lines).toHaveLength(1);
    const kept = namesIn(folder);
    expect(writer.taken.filter((name) => !kept.has(name))).toEqual([]);
  });

  test("lets commands read and delete, and nothing else", async () => {
    const { folder, fill, clear } = disk!;
    const email = "commands@example.org";
    const { run } = createProgram({ STILLUP_DATA_DIR: join(folder, "commands") });
    await run(["user", "create", "--email", email]);
    const writes = [
      ["user", "create", "--email", "other@example.org"],
      ["user", "reset-password", "--email", email],
      ["key", "create", "--email", email, "--name", "x"],
      ["import", "-"],
      ["apply", "-f", "-", "--yes"],
      ["backup", join(folder, "commands", "copy.db")],
    ];

    fill(5 * MIB);
    const refused = [];
    for (const args of writes) refused.push(await run(args, {}, "links: [https://example.org/]"));
    const read = await run(["user", "list"]);
    const deleted = await run(["user", "delete", "--email", email]);
    clear();

    for (const { code, err } of refused) {
      expect(code).toBe(1);
      expect(err).toMatch(/The disk has \d MiB left, and 6 must stay free|The copy needs .* free/);
    }
    expect(read.out).toContain(email);
    expect(deleted.code).toBe(0);
  });

  test("that is full to the last byte lets us delete, heals, and lets us stop in order", async () => {
    const { folder, fill, clear } = disk!;
    const settings = { STILLUP_DISK_FLOOR_MB: "0" };
    const { run } = createProgram({ STILLUP_DATA_DIR: folder });
    await run(["user", "create", "--email", "full@example.org"]);
    const made = await run(["key", "create", "--email", "full@example.org", "--name", "full"]);
    const key = made.out.trim();
    const first = programOn(folder, settings).begin(["serve"]);
    const writer = writerTo(await first.output.url(), key);
    await writer.writeUntil(201);
    const reserved = statSync(join(folder, "reserve")).size;
    expect(reserved).toBeWithin((SIZE_MIB * MIB) / 128, (SIZE_MIB * MIB) / 64 + 1);

    fill();
    await expectReadOnly(writer, await writer.writeUntil(503));
    expect(existsSync(join(folder, "reserve"))).toBe(false);
    const { name: deleted } = await deleteOne(writer, "/groups");
    clear();
    await writer.writeUntil(201);
    expect(existsSync(join(folder, "reserve"))).toBe(true);
    fill();
    await writer.writeUntil(503);
    expect(await first.stop()).toBe(0);
    const kept = namesIn(folder);
    const lost = writer.taken.filter((name) => !kept.has(name));
    expect(lost).toEqual(lost.filter((name) => name === deleted));
    clear();
  });

  test("that was found full after a power cut opens by what was kept back", async () => {
    const { folder, fill, clear } = disk!;
    const settings = { STILLUP_DISK_FLOOR_MB: "0" };
    const { start, begin } = programOn(folder, settings);
    const first = start(["serve"]);
    await listeningUrl(first.stdout);
    await until("the reserve", () => existsSync(join(folder, "reserve")), { everyMs: 20 });
    first.kill("SIGKILL");
    await first.exited;

    fill();
    const second = begin(["serve"]);
    expect((await fetch(`${await second.output.url()}/ready`)).status).toBe(200);
    expect(await second.stop()).toBe(0);
    clear();
  });
});
