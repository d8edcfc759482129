import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { finishRelease } from "../../.ci/release.ts";
import { executable, SETTINGS } from "../installed.ts";
import { listeningUrl } from "../listening.ts";
import { IS_LONG } from "../long.ts";

const SCRIPT = join(import.meta.dir, "../../install.sh");

let program = "";
const folder = mkdtempSync(join(tmpdir(), "stillup really "));
beforeAll(async () => {
  program = await executable();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (command: string[], settings: Record<string, string>) =>
  Bun.spawn(command, {
    cwd: folder,
    env: { ...SETTINGS, STILLUP_PORT: "0", ...settings },
    stdout: "pipe",
    stderr: "pipe",
  });

describe("The executable", () => {
  test("is released, installed, started and asked how it is", async () => {
    const release = join(folder, "release");
    const home = join(folder, "a home");
    mkdirSync(release);
    mkdirSync(home);
    const name = `stillup-${process.platform}-${process.arch}`;
    const files = [name, `${name}-musl`];
    for (const file of files) await $`ln -s ${program} ${join(release, file)}`;
    await finishRelease(release, files);

    const env = { ...SETTINGS, HOME: home, STILLUP_RELEASE_URL: `file://${release}` };
    const said = await $`sh ${SCRIPT} --user --no-service`.env(env).text();
    const command = join(home, ".local/bin/stillup");
    const server = start([command], { STILLUP_PORT: "0" });
    const { port } = new URL(await listeningUrl(server.stdout));
    const asked = await $`${command} health`.env({ ...SETTINGS, STILLUP_PORT: port }).text();
    server.kill("SIGTERM");

    expect(said).toMatch(/^stillup \d+\.\d+\.\d+ is installed/);
    expect(asked).toBe("The server is healthy.\n");
    expect(await server.exited).toBe(0);
    expect(readdirSync(join(home, ".local/share/stillup"))).toContain("stillup.db");
  });

  test("keeps its folder and files to its own user, whatever the umask and the folder were", async () => {
    const data = join(folder, "open");
    mkdirSync(data, { mode: 0o755 });

    const server = start(["sh", "-c", `umask 0; exec "${program}"`], { STILLUP_DATA_DIR: data });
    await listeningUrl(server.stdout);
    const open = readdirSync(data, { recursive: true, encoding: "utf8" }).filter(
      (name) => (statSync(join(data, name)).mode & 0o077) !== 0,
    );
    server.kill("SIGTERM");
    await server.exited;

    expect(open).toEqual([]);
  });
});

const CANARY = "canary0bird0in0a0mine";
const SECRETS = {
  STILLUP_OUTBOUND_PROXY: `http://me:${CANARY}@127.0.0.1:9`,
  STILLUP_METRICS_TOKEN: CANARY,
  STILLUP_HEARTBEAT_URL: `http://127.0.0.1:9/${CANARY}`,
};
const POSTGRES = { STILLUP_DATABASE_URL: `postgres://me:${CANARY}@127.0.0.1:9/${CANARY}` };

async function output(args: string[], settings: Record<string, string>): Promise<string> {
  const run = start([program, ...args], { STILLUP_DATA_DIR: join(folder, "data"), ...settings });
  return (await Promise.all([run.stdout, run.stderr].map(textOf))).join("");
}

const textOf = (output: ReadableStream) => new Response(output).text();

describe("A secret of the settings", () => {
  test.each([
    ["help", ["help"], SECRETS],
    ["the help of serve", ["help", "serve"], SECRETS],
    ["--print-config", ["serve", "--print-config"], { ...SECRETS, ...POSTGRES }],
    ["a command without its database", ["user", "list"], POSTGRES],
    ["the refusal of a database", ["serve"], { STILLUP_DATABASE_URL: `mysql://me:${CANARY}@h/` }],
    ["the refusal of a proxy", ["serve"], { STILLUP_OUTBOUND_PROXY: `socks://me:${CANARY}@h/` }],
    ["the refusal of a token", ["serve"], { STILLUP_METRICS_TOKEN: `${CANARY} and more` }],
    ["the refusal of a heartbeat", ["serve"], { STILLUP_HEARTBEAT_URL: `ftp://h/${CANARY}` }],
  ])("is not shown by %s", async (_, args, settings) => {
    const text = await output(args, { ...settings, STILLUP_LOG_LEVEL: "debug" });

    expect(text).not.toBe("");
    expect(text).not.toContain(CANARY);
  });

  test.if(process.platform === "linux")(
    "is not an argument, which all users of a machine can read",
    async () => {
      const server = start([program], { ...SECRETS, STILLUP_DATA_DIR: join(folder, "data") });
      await listeningUrl(server.stdout);

      const command = await Bun.file(`/proc/${server.pid}/cmdline`).text();

      expect(command).toContain("stillup");
      expect(command).not.toContain(CANARY);
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    },
  );
});

const WRITING =
  /\b(?:openat|open|creat)\((?:AT_FDCWD, )?"([^"]+)", [^)]*(?:O_WRONLY|O_RDWR|O_CREAT)|\b(?:mkdir|rename|unlink|link|symlink)(?:at2?)?\((?:AT_FDCWD, )?"([^"]+)"/;

/** In `npm test`, tests/survive/files.test.ts has the same of a machine on which all else is read-only. */
test.if(IS_LONG && Bun.which("strace") !== null)(
  "Nothing is written outside the data folder",
  async () => {
    const data = join(folder, "only here");
    const trace = join(folder, "trace");
    const calls =
      "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat";
    const server = start(["strace", "-f", "-qq", "-o", trace, "-e", `trace=${calls}`, program], {
      STILLUP_DATA_DIR: data,
    });
    const url = await listeningUrl(server.stdout);
    await fetch(url);
    await $`pkill -TERM -P ${server.pid}`.nothrow();
    await server.exited;

    const lines = (await Bun.file(trace).text())
      .split("\n")
      .filter((line) => !line.includes(" = -1 "));
    const written = lines.flatMap((line) => WRITING.exec(line)?.slice(1).filter(Boolean) ?? []);

    expect(written).toContain(join(data, "stillup.db"));
    const elsewhere = written.filter(
      (path) => !path!.startsWith(data) && !path!.startsWith("/dev/"),
    );
    expect([...new Set(elsewhere)]).toEqual([]);
  },
  60_000,
);
