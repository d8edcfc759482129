import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chownSync, existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { createProgram, folderWith } from "../../../tests/commands/program.ts";
import { freePort } from "../../../tests/free-port.ts";
import { newScratchFolder } from "../../../tests/scratch.ts";
import { LOAD_HINT } from "./backups.ts";

const PROGRAMS = ["pg_dump", "pg_restore", "psql", "postgres", "initdb", "pg_ctl"];
/** Where Debian and Fedora have them. */
const FOLDERS = [
  ...[18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`),
  "/usr/bin",
];
const bin = FOLDERS.find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name))));

/** PostgreSQL refuses to run as root: 65534 is the unprivileged user. */
const NOT_ROOT = 65534;
const isRoot = process.getuid?.() === 0;

const [dump, restore, dumpInstalled, restoreInstalled] = documentedCommands();

describe.skipIf(!bin)("PostgreSQL (needs its programs of one version on this machine)", () => {
  const folder = newScratchFolder("stillup-restore-");
  const port = freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const work = folderWith({ env: `STILLUP_DATABASE_URL="${url}"\n` });
  const program = createProgram({ STILLUP_DATABASE_URL: url });

  async function run(cwd: string, ...command: string[]) {
    const env = { PATH: `${bin}:${process.env.PATH}`, STILLUP_DATABASE_URL: url };
    const child = Bun.spawn(command, { cwd, env, stderr: "pipe", stdout: "ignore" });
    return { err: await new Response(child.stderr).text(), code: await child.exited };
  }
  const shell = (command: string) => run(work, "sh", "-c", command);
  /** What root does with the settings of the service. */
  const shellOfRoot = (command: string) =>
    shell(command.replaceAll("sudo ", "").replaceAll("/etc/stillup/env", "./env"));
  const change = ["setpriv", `--reuid=${NOT_ROOT}`, `--regid=${NOT_ROOT}`, "--clear-groups"];
  const asServer = (...command: string[]) => run(folder, ...(isRoot ? change : []), ...command);
  const addUser = (name: string) =>
    program.run(
      ["user", "create", "--email", `${name}@example.org`, "--password-file", "-"],
      {},
      "correct horse battery staple",
    );
  async function names() {
    await using sql = new SQL(url, { max: 1 });
    const rows = await sql.unsafe("select email from users order by email").values();
    return rows.map(([email]: [string]) => email.split("@")[0]);
  }

  beforeAll(async () => {
    if (isRoot) chownSync(folder, NOT_ROOT, NOT_ROOT);
    const data = join(folder, "data");
    const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    await asServer("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync");
    const log = join(folder, "log");
    const started = await asServer("pg_ctl", "-D", data, "-l", log, "-o", flags, "-w", "start");
    expect(started).toEqual({ err: "", code: 0 });
    await addUser("old");
  }, 60_000);

  afterAll(async () => {
    await asServer("pg_ctl", "-D", join(folder, "data"), "-m", "immediate", "stop");
    rmSync(folder, { recursive: true, force: true });
  });

  test("is restored over a database in use as the documentation says, twice in a row", async () => {
    for (const round of [1, 2]) {
      expect(await shell(dump!)).toEqual({ err: "", code: 0 });
      await addUser(`young${round}`);
      expect(await names()).toEqual(["old", `young${round}`]);

      expect((await shell(restore!)).code).toBe(0);

      expect(await names()).toEqual(["old"]);
    }
    expect(LOAD_HINT).toContain(restore!.replace("&&\n", "&& "));
  }, 60_000);

  test("is restored with the settings of the service", async () => {
    expect(await shellOfRoot(dumpInstalled!)).toEqual({ err: "", code: 0 });
    await addUser("young");

    expect((await shellOfRoot(restoreInstalled!)).code).toBe(0);

    expect(await names()).toEqual(["old"]);
  }, 60_000);

  test("keeps what it has if the dump is incomplete", async () => {
    expect(await shell(dump!)).toEqual({ err: "", code: 0 });
    await addUser("young");
    const file = join(work, "stillup.dump");
    truncateSync(file, Math.floor(readFileSync(file).length * 0.9));

    expect((await shell(restore!)).code).not.toBe(0);

    expect(await names()).toEqual(["old", "young"]);
  }, 60_000);
});

/** To dump and to restore, then the same with the settings of the service. */
function documentedCommands(): string[] {
  const text = readFileSync(join(import.meta.dir, "../../../docs/backup.md"), "utf8");
  const blocks = text.slice(text.indexOf("## PostgreSQL")).matchAll(/```sh\n(.*?)\n```/gs);
  const [plainDump, plainRestore, installed] = Array.from(blocks, ([, commands]) => commands!);
  const [installedDump, ...installedRestore] = installed!.split("\n");
  return [plainDump!, plainRestore!, installedDump!, installedRestore.join("\n")];
}
