import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { lookAt } from "../../../tests/move/new.ts";
import { oldInstallation } from "../../../tests/move/old.ts";
import { emptyPostgres, freshPostgres } from "../../../tests/postgres.ts";
import { rowsOf } from "../../../tests/upgrades/dump.ts";
import { lockFolder } from "../../ground/db/folder.ts";

const ACCOUNT = "insert into accounts values ('a', 'a@example.org', 'free', 1, 1, 0)";
const NODE = `insert into nodes values ('n', 'kite', 'api', '1', 1,
  cast(extract(epoch from now()) * 1000 as bigint), '{}')`;
const OTHER = `insert into facts values ('move:in', '{"id":"another"}')`;

describe("A move is refused", () => {
  test.each([
    ["that is in use", freshPostgres, ACCOUNT, "is not empty: there are rows in accounts."],
    [
      "of another program",
      emptyPostgres,
      "create table things (a int)",
      "has tables that do not belong to Stillup (things).",
    ],
    ["that is being served", freshPostgres, NODE, "is being served by kite."],
    ["that another move fills", freshPostgres, OTHER, "is being filled by another move."],
  ])("into a database %s, and neither is touched", async (_, make, sql, why) => {
    const { path, run } = await oldInstallation();
    const [before, url] = [rowsOf(path), await make()];
    await lookAt(url).ask(sql);

    const { code, err } = await run(["migrate", "--to", url]);

    expect({ code, err }).toEqual({
      code: 1,
      err: `${new URL(url).host}${new URL(url).pathname} ${why} Make a new, empty database for the move.\n`,
    });
    expect(rowsOf(path)).toEqual(before);
    if (make === freshPostgres) expect(await lookAt(url).rows("links")).toEqual([]);
  });

  test("while a server runs", async () => {
    const { folder, run } = await oldInstallation();
    const lock = lockFolder(folder);

    const { code, err } = await run(["migrate", "--to", await emptyPostgres()]);

    lock.release();
    expect(code).toBe(1);
    expect(err).toContain(`uses the data folder ${folder}. Stop it first`);
  });

  test.each([
    [
      "that does not say where to",
      ["--to"],
      {},
      64,
      "Set STILLUP_MOVE_TO to the new database: postgres://USER:PASSWORD@HOST/NAME.\n",
    ],
    [
      "to another SQLite database",
      ["--to", "sqlite:x.db"],
      {},
      64,
      "The new database must be postgres://USER:PASSWORD@HOST/NAME.\n",
    ],
    [
      "that is taken back as well",
      ["--to", "--stay"],
      {},
      64,
      "Give only one of --to, --stay and --fresh.\n",
    ],
    [
      "from PostgreSQL",
      ["--to", "postgres://127.0.0.1:1/x"],
      { STILLUP_DATABASE_URL: "postgres://127.0.0.1:1/y" },
      1,
      "STILLUP_DATABASE_URL is a PostgreSQL database. Run the move where the SQLite installation is.\n",
    ],
    [
      "of nothing",
      ["--to", "postgres://127.0.0.1:1/x"],
      { STILLUP_DATABASE_URL: "sqlite:/none/x.db" },
      1,
      "There is no database /none/x.db. Check STILLUP_DATA_DIR.\n",
    ],
  ])("%s", async (_, args, settings, code, err) => {
    const { run } = await oldInstallation();

    const outcome = await run(["migrate", ...args], settings as Record<string, string>);

    expect(outcome).toEqual({ code, out: "", err });
  });

  test("to a server that does not answer, and the old database is served as before", async () => {
    const { path, run } = await oldInstallation();
    const before = rowsOf(path);

    const { code, err } = await run(["migrate", "--to", "postgres://u:hidden@127.0.0.1:1/x"]);

    expect(code).toBe(1);
    expect(err).toStartWith("The new database cannot be reached: ");
    expect(err).not.toContain("hidden");
    expect(rowsOf(path)).toEqual(before);
  });
});

test("an installation that has moved says so wherever it is used, until that is taken back", async () => {
  const { path, run } = await oldInstallation();
  const before = rowsOf(path);
  const url = await emptyPostgres();
  const to = `${new URL(url).host}${new URL(url).pathname}`;
  await run(["migrate", "--to", url]);

  for (const args of [["serve"], ["migrate"], ["user", "list"], ["migrate", "--to", url]]) {
    const { code, err } = await run(args);
    expect([args, code, err]).toEqual([args, 1, expect.stringContaining(`was moved to ${to} on `)]);
  }
  const { out } = await run(["migrate", "--stay"]);

  expect(out).toBe(`This installation stays where it is. Drop ${to}, so that no server uses it.\n`);
  expect(rowsOf(path)).toEqual(before);
  expect((await run(["user", "list"])).code).toBe(0);
  expect((await run(["migrate", "--to", url])).err).toContain("is not empty");
});

test("neither of two is served while one is being moved into the other", async () => {
  const { begin, run } = await oldInstallation();
  const url = await freshPostgres();
  expect(await begin(["migrate", "--to", url]).stop()).toBe(130);

  const old = await run(["serve"]);
  const moved = await run(["serve"], { STILLUP_DATABASE_URL: url });

  expect([old.code, moved.code]).toEqual([1, 1]);
  expect(old.err).toContain("This installation is being moved to ");
  expect(moved.err).toContain("the move is not complete");
});

test("a move that another version began is not gone on with", async () => {
  const { begin, run } = await oldInstallation();
  const url = await freshPostgres();
  expect(await begin(["migrate", "--to", url]).stop()).toBe(130);
  const sql = new SQL(url, { max: 1 });
  const older = `update facts set value = regexp_replace(value, '"head":"[^"]*","version":"[^"]*"',
    '"head":"0001","version":"0.0.9"') where name = 'move:in'`;
  await sql.unsafe(older);
  await sql.close();

  const { err } = await run(["migrate", "--to", url]);

  expect(err).toContain("Version 0.0.9, which had other tables, began the move");
});
