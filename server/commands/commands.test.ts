import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { Secret, TOTP } from "otpauth";
import { createProgram } from "../../tests/commands/program.ts";
import { readConfig } from "../ground/config/config.ts";
import { isLocked } from "../ground/db/folder.ts";
import { checksWithin, VERSION } from "../ground/lib/runtime.ts";

const EMAIL = "me@example.org";
const PASSWORD = "correct horse battery staple";
const HISTORY_TIME =
  "--from must be an RFC 3339 date and time with offset, or a date (YYYY-MM-DD)\n";
const TEXT = { STILLUP_LOG_FORMAT: "text" };
const ID = /^[0-9a-f-]{36}$/;

describe("the command line", () => {
  const { run, dataDir } = createProgram();

  test("tells its version", async () => {
    expect(await run(["version"])).toEqual({ code: 0, out: `stillup ${VERSION}\n`, err: "" });
    expect(await run(["--version"])).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
  });

  test.each([
    [["--help"]],
    [["help"]],
    [["help", "user"]],
    [["help", "user", "create"]],
    [["user", "help", "create"]],
    [["check", "--help"]],
    [["key", "create", "--help"]],
    [["import", "--help"]],
    [["export", "links", "--help"]],
    [["apply", "--help"]],
    [["completion", "--help"]],
  ])("explains itself: %p", async (args) => {
    const { code, out, err } = await run(args);

    expect(code).toBe(0);
    expect(out).toStartWith("Usage: stillup");
    expect(err).toBe("");
  });

  test.each([
    [["nonsense"], 'There is no command "nonsense".\n'],
    [["help", "nonsense"], 'There is no command "nonsense".\n'],
    [["help", "user", "nonsense"], 'There is no command "user nonsense".\n'],
    [["user", "nonsense"], "Unknown command 'nonsense'.\n"],
    [["user"], "Name a command; `stillup help` lists them.\n"],
    [["user", "create"], "Required option '--email <email>' not specified.\n"],
    [["user", "create", "--email", "not-an-email"], "Email must be an e-mail address.\n"],
    [["migrate", "--fast"], "Unknown option '--fast'.\n"],
    [["check"], "Say which URLs or documents to check, or give a list with --file.\n"],
    [["import"], "Missing required argument 'file'.\n"],
    [["import", "-", "--group", " "], "--group must not be empty.\n"],
    [["export"], "Name a command; `stillup help` lists them.\n"],
    [["export", "history", "--from", "soon"], HISTORY_TIME],
    [
      ["export", "history", "--from", "2031-01-02", "--to", "2031-01-01"],
      "--from must not be after --to.\n",
    ],
    [["apply"], "Required option '-f, --file <file>' not specified.\n"],
    [
      ["check", "example.org"],
      '"example.org" is not a URL with a scheme, nor a document in a format that is read.\n',
    ],
    [["key", "create", "--email", EMAIL, "--name", ""], "Name must not be empty.\n"],
  ])("is used wrongly: %p", async (args, sentence) => {
    expect(await run(args)).toEqual({ code: 64, out: "", err: sentence });
  });

  test("stops at a setting that makes no sense, and names it", async () => {
    const { code, err } = await run(["migrate"], { STILLUP_PORT: "many" });

    expect(code).toBe(1);
    expect(err).toBe('STILLUP_PORT must be a whole number from 0 to 65535; got "many".\n');
  });

  test("explains a command of a command, not the whole of it", async () => {
    const { out } = await run(["help", "key", "revoke"]);

    expect(out).toStartWith("Usage: stillup key revoke ");
  });

  test.each([
    [["check", "-f", "/none"], "The list cannot be read: no such file or directory (/none).\n"],
    [
      ["--env-file", "/none", "health"],
      "The file of --env-file cannot be read: no such file or directory (/none).\n",
    ],
  ])("says in words what the system answered: %p", async (args, sentence) => {
    expect(await run(args)).toEqual({ code: 1, out: "", err: sentence });
  });

  test("says when its port is taken, and leaves its data folder to others", async () => {
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { port } = taken;
    const settings = { ...TEXT, STILLUP_HOST: "127.0.0.1", STILLUP_PORT: String(port) };

    const { code, err } = await run(["serve"], settings);
    await taken.stop();

    expect(code).toBe(1);
    expect(err).toBe(
      `The server cannot listen: Failed to start server. Is port ${port} in use? Check STILLUP_HOST and STILLUP_PORT.\n`,
    );
    expect(isLocked(dataDir)).toBeNull();
  });

  test("stops at a service of the operator's that makes no sense, and names it", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "stillup-test-")), "services.json");
    writeFileSync(
      file,
      '[{"id":"wiki","name":"Wiki","hosts":["wiki.test"],"kinds":[{"kind":"a","path":"(" }]}]',
    );

    const { code, err } = await run(["serve"], { ...TEXT, STILLUP_SERVICES_FILE: file });

    expect(code).toBe(1);
    expect(err).toBe(
      `STILLUP_SERVICES_FILE (${file}): Service "wiki", kinds[0].path: must be a regular expression.\n`,
    );
  });
});

test.each([
  ["STILLUP_DATABASE_URL", "sqlite:/none/x.db", "The database cannot be opened"],
  ["STILLUP_DATA_DIR", "/dev/null/x", "The data folder cannot be made"],
  [
    "STILLUP_HOST",
    "192.0.2.1",
    "The server cannot listen: 192.0.2.1 is not an address of this machine",
  ],
  [
    "STILLUP_HOST",
    "no.invalid",
    'The server cannot listen: The name "no.invalid" cannot be resolved',
  ],
])("a start that %s=%s spoils says so, and names the setting", async (name, value, what) => {
  const { run } = createProgram();

  const { code, err } = await run(["serve"], { ...TEXT, [name]: value });

  expect(code).toBe(1);
  const message = err.trim().split("\n").at(-1)!;
  expect(message).toStartWith(what);
  expect(message).toEndWith(".");
  expect(message).toContain(`Check ${name}`);
});

test("a command does not wait for a database that is not there", async () => {
  const { run } = createProgram();

  const { code, err } = await run(["migrate"], {
    STILLUP_DATABASE_URL: "postgres://a:b@127.0.0.1:1/x",
  });

  expect(code).toBe(1);
  expect(err).toContain(
    "The database cannot be opened: Failed to connect. Check STILLUP_DATABASE_URL",
  );
});

const OTHER_FILES = "The data folder is open to other users and holds other files";

test.skipIf(process.platform !== "linux").each([
  ["serve", "/proc", OTHER_FILES],
  ["serve", "/proc/links", "The data folder cannot be made"],
  ["migrate", "/proc", OTHER_FILES],
  ["restore x.db --force", "/proc", OTHER_FILES],
])(
  "%s on %s, which is read-only, names the user it runs as, whatever USER says",
  async (typed, folder, what) => {
    const { run } = createProgram();
    const user = (await $`id -un`.text()).trim();

    const settings = { ...TEXT, STILLUP_DATA_DIR: folder, USER: "someone" };
    const { err } = await run(typed.split(" "), settings);

    const message = err.trim().split("\n").at(-1)!;
    expect(message).toStartWith(`${what}: `);
    expect(message).toMatch(/Check (STILLUP_DATABASE_URL and )?STILLUP_DATA_DIR/);
    expect(message).toEndWith(`This runs as the user ${user}.`);
  },
);

test.skipIf(process.platform !== "linux")(
  "a secret key that cannot be created is reported with its path and the user",
  async () => {
    const { run } = createProgram();

    const { code, err } = await run(["migrate"], { STILLUP_SECRET_KEY_FILE: "/proc/secret.key" });

    expect(code).toBe(1);
    const message = err.trim().split("\n").at(-1)!;
    expect(message).toStartWith("The secret key cannot be read or made: ");
    expect(message).toContain("/proc/secret.key");
    expect(message).toMatch(/Check STILLUP_SECRET_KEY_FILE\. This runs as the user \S+\.$/);
  },
);

test("several that start at once share one new database", async () => {
  const { runProcess } = createProgram();

  const outcomes = await Promise.all([1, 2, 3, 4].map(() => runProcess(["migrate"])));

  expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(
    outcomes.map(() => ({ code: 0, err: "" })),
  );
  const applied = outcomes.flatMap(({ out }) => out.match(/^applied .+$/gm) ?? []);
  expect(new Set(applied).size).toBe(applied.length);
});

test("settings come from a file too, and the environment wins", async () => {
  const { run, dataDir } = createProgram({ STILLUP_HOST: "127.0.0.2" });
  await run(["migrate"]);
  const file = join(dataDir, "settings.env");
  writeFileSync(
    file,
    "# mine\nSTILLUP_PORT=9999\nSTILLUP_HOST='127.0.0.3'\nSTILLUP_DATABASE_URL=sqlite:x\n",
  );

  const { code, out } = await run(["--env-file", file, "serve", "--print-config"]);

  expect(code).toBe(0);
  expect(out).toContain("STILLUP_PORT=9999 (env file)\n");
  expect(out).toContain('STILLUP_HOST="127.0.0.2" (environment)\n');
  expect(out).toContain("STILLUP_DATABASE_URL=*** (env file)\n");
  expect(out).toContain('STILLUP_CHECK_ALLOWED_HOSTS="external" (default)\n');
  expect((await run(["migrate", "--env-file", "/none"])).code).toBe(1);
});

test("fewer checks run at once where the limit of open files has no room for more", async () => {
  const { command, env } = createProgram();
  const limited = ["sh", "-c", 'ulimit -n 600; exec "$@"', "sh", ...command];

  const printed = Bun.spawnSync([...limited, "serve", "--print-config"], { env });

  expect(printed.stdout.toString()).toContain(
    "# The limit of open files (ulimit -n) is 600: at most 172 instead of 500 checks run at once. Raise it to 1256.\n",
  );
  expect(checksWithin(500, 200)).toBe(1);
  expect(checksWithin(500, 1256)).toBe(500);
  expect(checksWithin(500, null)).toBe(500);
});

test("an empty list of hosts opens nothing, and is not the default", async () => {
  const { run } = createProgram({ STILLUP_CHECK_ALLOWED_HOSTS: "" });

  const { out } = await run(["serve", "--print-config"]);

  expect(out).toContain('STILLUP_CHECK_ALLOWED_HOSTS="" (environment)\n');
  const { checkAllowedHosts } = readConfig({ STILLUP_CHECK_ALLOWED_HOSTS: "" });
  expect(checkAllowedHosts.ranges.size).toBe(0);
});

test("proxy variables are dropped, and one line says so", async () => {
  const { run } = createProgram();

  const { code, err } = await run(["migrate"], { HTTP_PROXY: "http://x", https_proxy: "http://y" });

  expect(code).toBe(0);
  const [line, ...rest] = err.trim().split("\n");
  expect(rest).toEqual([]);
  expect(JSON.parse(line!).message).toStartWith("HTTP_PROXY, https_proxy in the environment");
});

test("migrating says what was done, and everything written is ours alone", async () => {
  const { run, dataDir } = createProgram();

  const first = await run(["migrate"]);
  const second = await run(["migrate"]);

  expect(first.out).toStartWith("applied 0001_init.sql\n");
  expect(second.out).toBe("The database is up to date.\n");
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(dataDir)) {
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
});

test("users and keys are made, listed and removed from a script", async () => {
  const { run } = createProgram();
  const create = ["user", "create", "--email", EMAIL];

  const made = await run([...create, "--password-file", "-", "--tier", "pro"], {}, `${PASSWORD}\n`);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out.trim()).toMatch(ID);
  const again = await run(create);
  expect(again).toEqual({ code: 1, out: "", err: `The user ${EMAIL} already exists.\n` });
  const listed = (await run(["user", "list"])).out.split("\n")[1]!;
  expect(listed.split(/ {2,}/).slice(0, 4)).toEqual([EMAIL, "owner, admin", "pro", "yes"]);

  const key = await run(["key", "create", "--email", EMAIL, "--name", "ci", "--read-only"]);
  expect(key).toMatchObject({ code: 0, err: "" });
  expect(key.out).toMatch(/^su_[0-9A-Za-z]{38}\n$/);
  const keys = (await run(["key", "list", "--email", EMAIL])).out.split("\n")[1]!;
  const [id, prefix, name, permissions] = keys.split(/ {2,}/);
  expect([prefix, name, permissions]).toEqual([`${key.out.slice(0, 9)}…`, "ci", "read"]);
  expect((await run(["key", "revoke", id!])).code).toBe(0);
  expect(await run(["key", "revoke", id!])).toMatchObject({ code: 1, err: "No such API key.\n" });

  expect((await run(["user", "delete", "--email", EMAIL])).code).toBe(0);
  const gone = await run(["user", "delete", "--email", EMAIL]);
  expect(gone).toMatchObject({ code: 1, err: `No such user: ${EMAIL}.\n` });
});

test("with a running server, users, keys and resets take effect at once", async () => {
  const { run, begin, dataDir } = createProgram({ STILLUP_PORT: "0", STILLUP_HOST: "127.0.0.1" });
  const server = begin(["serve"]);
  const base = await server.output.url();
  const ask = (path: string, init: RequestInit = {}) => fetch(base + path, init);
  const post = (path: string, body: object, cookie = "") =>
    ask(`/dashboard/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      body: JSON.stringify(body),
    });

  const made = await run(["user", "create", "--email", EMAIL]);
  const [id, link] = made.out.trim().split("\n");
  expect(id).toMatch(ID);
  const token = new URL(link!).hash.replace("#token=", "");
  const set = await post("/password", { token, password: PASSWORD });
  expect(set.status).toBe(200);
  const cookie = set.headers.get("set-cookie")!.split(";")[0]!;
  expect((await ask("/dashboard/api/links", { headers: { cookie } })).status).toBe(200);
  expect(readdirSync(dataDir)).not.toContain("setup-token");

  const viewer = { email: "viewer@example.com", role: "viewer" };
  expect((await post("/people", viewer, cookie)).status).toBe(201);
  const ofViewer = await run(["key", "create", "--email", viewer.email, "--name", "x"]);
  const asViewer = { authorization: `Bearer ${ofViewer.out.trim()}` };
  expect((await ask("/api/v1/links", { headers: asViewer })).status).toBe(200);
  expect((await ask("/api/v1/groups", { method: "POST", headers: asViewer })).status).toBe(403);
  const key = (await run(["key", "create", "--email", EMAIL, "--name", "x"])).out.trim();
  const authorization = `Bearer ${key}`;
  expect((await ask("/api/v1/links", { headers: { authorization } })).status).toBe(200);

  expect((await run(["user", "reset-password", "--email", EMAIL])).code).toBe(0);
  expect((await ask("/dashboard/api/links", { headers: { cookie } })).status).toBe(401);

  const port = { STILLUP_PORT: new URL(base).port };
  expect(await run(["health"], port)).toEqual({
    code: 0,
    out: "The server is healthy.\n",
    err: "",
  });
  expect(await server.stop()).toBe(0);
  const err = `The server at ${base} does not answer.\n`;
  expect(await run(["health"], port)).toEqual({ code: 1, out: "", err });
});

test("a lost second factor is removed while a server runs, and from no one by mistake", async () => {
  const { run, begin } = createProgram({ STILLUP_PORT: "0", STILLUP_HOST: "127.0.0.1" });
  await run(["user", "create", "--email", EMAIL, "--password-file", "-"], {}, PASSWORD);
  const server = begin(["serve"], { STILLUP_LOG_LEVEL: "debug" });
  const base = await server.output.url();
  const post = async (path: string, body: object, cookie = "") => {
    const response = await fetch(`${base}/dashboard/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      body: JSON.stringify(body),
    });
    const next = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    return { status: response.status, cookie: next, ...(await response.json()) };
  };
  const signIn = () => post("/session", { email: EMAIL, password: PASSWORD });
  const { cookie } = await signIn();
  const { secret } = (await post("/session/two-factor", { password: PASSWORD }, cookie)).data;
  const code = TOTP.generate({ secret: Secret.fromBase32(secret) });
  expect((await post("/session/two-factor/confirm", { code }, cookie)).status).toBe(200);
  expect((await signIn()).error.details).toEqual({ reason: "two_factor_required" });

  const unknown = await run(["user", "remove-2fa", "unknown@example.org"]);
  const removed = await run(["user", "remove-2fa", EMAIL]);

  expect(unknown).toEqual({ code: 1, out: "", err: "No such user: unknown@example.org.\n" });
  expect(removed).toMatchObject({ code: 0, err: "" });
  expect(removed.out).toBe(`${EMAIL} now signs in with only the password.\n`);
  expect((await signIn()).status).toBe(200);
  expect(await server.stop()).toBe(0);
  for (const each of [secret, code, PASSWORD]) expect(server.output.text()).not.toContain(each);
});
