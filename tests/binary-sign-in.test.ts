import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable, SETTINGS } from "./installed.ts";
import { listeningUrl } from "./listening.ts";
import { CLIENT, oidcSettings, openSurfer, startOidcHost } from "./oidc.ts";
import { GOOD_TLS, mailSettings, startMailHost } from "./smtp.ts";

const CA = new URL("./certs/ca.pem", import.meta.url).pathname;
const PASSWORD = "pass word/of the relay";

const provider = await startOidcHost();
const relay = await startMailHost({
  ...GOOD_TLS,
  authMethods: ["PLAIN"],
  onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
});

/** The program as it is shipped, between a provider and a mail server. */
describe("the executable with single sign-on and mail", () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-binary-"));
  const env = {
    ...SETTINGS,
    ...mailSettings(relay.port, {
      STILLUP_SMTP_HOST: "localhost",
      STILLUP_SMTP_SECURITY: "starttls",
      STILLUP_SMTP_USER: "stillup",
      STILLUP_SMTP_PASSWORD: PASSWORD,
    }),
    ...oidcSettings(provider.issuer),
    STILLUP_PORT: "0",
    STILLUP_EXTRA_CA_FILE: CA,
    STILLUP_LOG_LEVEL: "debug",
  } as Record<string, string>;
  let program = "";
  const said: string[] = [];

  async function serve(more: Record<string, string> = {}) {
    const options = {
      cwd: folder,
      env: { ...env, ...more },
      stdout: "pipe",
      stderr: "pipe",
    } as const;
    const server = Bun.spawn([program], options);
    void new Response(server.stderr).text().then((log) => said.push(log));
    return { server, url: await listeningUrl(server.stdout) };
  }

  async function stop({ server }: Awaited<ReturnType<typeof serve>>) {
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  }

  const run = async (...args: string[]) => {
    const child = Bun.spawn([program, ...args], {
      cwd: folder,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    return (await new Response(child.stdout).text()).trim();
  };

  beforeAll(async () => {
    program = await executable();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is set up at the provider, sends a password link, and has a way in when the provider is gone", async () => {
    provider.people.set("ann", { email: "ann@example.org", email_verified: true });
    provider.signsIn("ann");
    const first = await serve();
    const token = readFileSync(join(folder, "stillup-data", "setup-token"), "utf8").trim();
    const ann = openSurfer(first);

    expect(await ann.signIn({ purpose: "setup", token })).toBe("/");
    const { user } = (await ann.ask("GET", "/session")).body.data;
    expect(user).toMatchObject({ email: "ann@example.org", role: "owner", is_admin: true });
    expect(await ann.signIn({ purpose: "sign-in", to: "/sites" })).toBe("/sites");
    expect((await ann.ask("POST", "/admin/oidc/check")).body.data.problem).toBeNull();
    expect((await ann.ask("POST", "/admin/mail/test")).body.data.ok).toBe(true);
    await openSurfer(first).ask("POST", "/people", {});
    expect(
      (await ann.ask("POST", "/people", { email: "bob@example.org", role: "viewer" })).body.data,
    ).toMatchObject({
      token: null,
      mailed: true,
    });
    await relay.seen(2);
    const link = /\/invitation#token=(\S+)/.exec(relay.letters[1]!.text!)![1]!;
    provider.people.set("bob", { email: "bob@id.example" });
    provider.signsIn("bob");
    const bob = openSurfer(first);
    expect(await bob.signIn({ purpose: "invite", token: link })).toBe("/");
    await stop(first);

    await provider.stop();
    const second = await serve({ STILLUP_OIDC_ONLY: "true" });
    const stranger = openSurfer(second);
    const refused = await stranger.start();
    expect([
      refused.status,
      (refused.body as never as { error: { details: object } }).error.details,
    ]).toEqual([503, { reason: "unreachable" }]);
    const way = await run("user", "reset-password", "--email", "ann@example.org");
    const entered = await stranger.ask("POST", "/password", {
      token: new URL(way).hash.replace("#token=", ""),
      password: "",
    });
    expect(entered.body.data.user).toMatchObject({ email: "ann@example.org", has_password: false });
    await stop(second);
  });

  test("has written no secret anywhere", () => {
    const files = readdirSync(join(folder, "stillup-data"), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name)).toString("latin1"));
    const invitation = /\/invitation#token=(\S+)/.exec(relay.letters[1]!.text!)![1]!;
    const basic = Buffer.from(`stillup:${CLIENT.secret}`).toString("base64");

    for (const secret of [CLIENT.secret, basic, PASSWORD, invitation, "code=", "eyJhbGciOi"]) {
      for (const text of [...said, ...files]) expect(text.includes(secret)).toBe(false);
    }
    expect(said.join("")).toContain("mail sent");
  });
});
