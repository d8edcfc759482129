import { afterEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import {
  migrate,
  NewerDatabase,
  oldestAllowed,
  refuseNewer,
  refuseOlderNodes,
} from "../../server/ground/db/migrate.ts";
import { openEngine, ownMigrations } from "../../server/ground/db/open.ts";
import { type Engine, isUnavailable } from "../../server/ground/db/store.ts";
import { VERSION } from "../../server/ground/lib/runtime.ts";
import { whenOlderAreGone } from "../../server/ops/start/prepare-database.ts";
import { freshPostgres } from "../postgres.ts";

const OURS = ownMigrations();
const MORE = "create table more (id text)";
const FIRST = "0001";

const later = (header: string) => ({ name: "9001_more.sql", statements: `${header}\n${MORE};` });
const ALLOWED = later(`-- Runs next to ${VERSION}`);

const opened: Engine[] = [];
const open = (url: string) => {
  const engine = openEngine(url);
  opened.push(engine);
  return engine;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
});

test("each migration after the first says which versions may run next to it", () => {
  const since = OURS.filter(({ name }) => name.slice(0, 4) > FIRST);

  for (const { name, statements } of since) {
    const oldest = oldestAllowed(statements) ?? "none";
    expect([name, oldest]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    expect([name, Bun.semver.order(VERSION, oldest)]).not.toEqual([name, -1]);
  }
});

describe("A program that finds newer migrations", () => {
  test("goes on next to those that allow its version", async () => {
    const engine = open(await freshPostgres());
    await migrate(engine, [...OURS, ALLOWED], 1);

    expect(await migrate(engine, OURS, 2)).toEqual([]);
    await refuseNewer(engine, OURS, 2);
  });

  test.each(["-- More.", "-- Runs next to 99.0.0"])(
    "does not go on next to one that says %p",
    async (header) => {
      const engine = open(await freshPostgres());
      await migrate(engine, [...OURS, later(header)], 1);

      const starting = migrate(engine, OURS, 2);

      await expect(starting).rejects.toThrow("newer version (9001_more.sql)");
    },
  );

  test("knows them also where they were applied while it was joining", async () => {
    const url = await freshPostgres();
    const [newer, older] = [open(url), open(url)];
    const holder = new SQL(url, { max: 1 });
    await holder.unsafe("begin; lock table facts").simple();
    const held = later(`-- Runs next to 99.0.0\ninsert into facts values ('more', '1');`);
    const begun = Promise.withResolvers<void>();
    const upgrading = newer.upgrade({ at: 1, choose: () => [held], onStep: () => begun.resolve() });
    await begun.promise;
    // What it sees of a transaction that is under way.
    expect(await migrate(older, OURS, 2)).toEqual([]);

    const joined = refuseNewer(older, OURS, 2).catch((error) => error);
    await holder.unsafe("rollback").simple();

    expect(await joined).toBeInstanceOf(NewerDatabase);
    await Promise.all([upgrading, holder.close()]);
  });
});

/** @param agoMs since when nothing was heard of it */
async function node(engine: Engine, name: string, version: string, agoMs = 0) {
  const seenAt = (await engine.now()) - agoMs;
  const sql = "insert into nodes values (?, ?, 'api', ?, ?, ?, '{}')";
  await engine.run({ sql, params: [name, name, version, seenAt, seenAt] });
}

describe("An upgrade", () => {
  test("is refused while a node is alive that could not go on, and nothing is changed", async () => {
    const engine = open(await freshPostgres());
    await node(engine, "checker-1", "0.0.9");
    await node(engine, "checker-2", VERSION);
    const before = await engine.applied();

    const upgrading = migrate(engine, [...OURS, ALLOWED], 1);

    await expect(upgrading).rejects.toThrow(
      `cannot be upgraded while older nodes serve it: checker-1 (0.0.9). Stop them, or upgrade them to ${VERSION} or newer first.`,
    );
    expect(await engine.applied()).toEqual(before);
  });

  test("waits for no dead node, nor for nodes that may go on", async () => {
    const engine = open(await freshPostgres());
    await node(engine, "dead", "0.0.9", 21_000);
    await node(engine, "next", VERSION);

    expect(await migrate(engine, [...OURS, ALLOWED], 1)).toEqual(["9001_more.sql"]);
  });

  test("does not hold up nodes that serve while a reader holds a table that it needs", async () => {
    const url = await freshPostgres();
    const engine = open(url);
    await node(engine, "next", VERSION);
    const reader = new SQL(url, { max: 1 });
    await reader.unsafe("begin; select 1 from links").simple();
    const statements = `-- Runs next to ${VERSION}\nalter table links add column more text;`;
    const files = [...OURS, { name: "9001_more.sql", statements }];

    // With what waits behind it.
    expect(await migrate(engine, files, 1).catch(isUnavailable)).toBe(true);

    await reader.unsafe("rollback").simple();
    await reader.close();
    expect(await migrate(engine, files, 1)).toEqual(["9001_more.sql"]);
  });

  test("is made by a server as soon as the older nodes are gone, and it says that it waits", async () => {
    const engine = open(await freshPostgres());
    await node(engine, "old", "0.0.9");
    const steps: string[] = [];
    const gone = { sql: "delete from nodes where id = 'old'", params: [] };
    let slept = 0;
    const sleep = async () => {
      if (++slept === 2) await engine.run(gone);
    };

    const tell = (doing: string) => void steps.push(doing);
    const upgrade = () => migrate(engine, [...OURS, ALLOWED], 1);
    const applied = await whenOlderAreGone({ sleep }, tell, upgrade);

    expect(applied).toEqual(["9001_more.sql"]);
    // Anyone may read it, so it names no node.
    expect(steps).toEqual(["waiting until older nodes are stopped or upgraded"]);
  });

  test.each([
    ["0.3.0", "0.1.9", "0.1.0", "0.2.0"],
    ["0.3.0", "0.2.0", "0.1.0", null],
    ["0.3.0", "0.2.4", "0.2.5", "0.2.5"],
    ["0.3.1", "0.3.0", "", "0.3.1"],
    ["0.3.1", "0.3.1", "", null],
    ["1.0.0", "0.9.0", "0.9.0", null],
    ["2.0.0", "0.9.0", "0.9.0", "1.0.0"],
    ["0.10.0", "0.9.0", "0.9.0", null],
  ])("to %s next to %s, where the migration allows %p, wants %p", (version, of, allows, wants) => {
    const upgrade = () =>
      refuseOlderNodes(
        [later(allows && `-- Runs next to ${allows}`)],
        [{ name: "n", version: of }],
        version,
      );

    if (wants === null) expect(upgrade).not.toThrow();
    else expect(upgrade).toThrow(`n (${of}). Stop them, or upgrade them to ${wants} or newer`);
  });
});
