import { describe, expect, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";
import { oidcSettings, startOidcHost } from "../../tests/oidc.ts";
import { GOOD_TLS, mailSettings, startMailHost } from "../../tests/smtp.ts";
import { readConfig } from "../ground/config/config.ts";

const CA = new URL("../../tests/certs/ca.pem", import.meta.url).pathname;
const PASSWORD = "pass word/of the relay";

const asStrings = (settings: object) => settings as Record<string, string>;

describe("stillup mail test", () => {
  test("sends a message and prints the dialogue, without the password", async () => {
    const host = await startMailHost({
      ...GOOD_TLS,
      authMethods: ["PLAIN"],
      onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    });
    const { run } = createProgram(
      asStrings({
        ...mailSettings(host.port, {
          STILLUP_SMTP_HOST: "localhost",
          STILLUP_SMTP_SECURITY: "starttls",
          STILLUP_SMTP_USER: "stillup",
          STILLUP_SMTP_PASSWORD: PASSWORD,
          STILLUP_EXTRA_CA_FILE: CA,
        }),
      }),
    );

    const sent = await run(["mail", "test", "--to", "ann@example.org"]);

    expect([sent.code, sent.err]).toEqual([0, ""]);
    expect(sent.out).toContain("C: STARTTLS\n");
    expect(sent.out).toContain("C: RCPT TO:<ann@example.org>\n");
    expect(sent.out).toEndWith("The mail server accepted the message: 250 OK: message queued\n");
    expect(sent.out).not.toContain(PASSWORD);
    expect(sent.out).not.toContain(Buffer.from(`\0stillup\0${PASSWORD}`).toString("base64"));
    expect(host.letters[0]).toMatchObject({ subject: "Test message from Stillup" });
    const json = await run(["mail", "test", "--to", "ann@example.org", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({
      ok: true,
      dialogue: expect.arrayContaining(["C: STARTTLS"]),
    });
  });

  test("succeeds when its output goes into a pipe", async () => {
    const host = await startMailHost();
    const { env, command } = createProgram(asStrings(mailSettings(host.port)));
    const words = [...command, "mail", "test", "--to", "ann@example.org"];

    const child = Bun.spawn(["bash", "-o", "pipefail", "-c", '"$@" | cat', "bash", ...words], {
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);

    expect([code, err]).toEqual([0, ""]);
    expect(out).toEndWith("The mail server accepted the message: 250 OK: message queued\n");
  });

  test("exits with 1 and the reason", async () => {
    const host = await startMailHost();
    host.answers({ rcpt: "550 5.1.1 No such user" });
    const { run } = createProgram(asStrings(mailSettings(host.port)));

    const refused = await run(["mail", "test", "--to", "eve@example.org"]);
    expect([refused.code, refused.err]).toEqual([
      1,
      "The mail server refused the message: 550 5.1.1 No such user.\n",
    ]);
    const json = await run(["mail", "test", "--to", "eve@example.org", "--json"]);
    expect([json.code, JSON.parse(json.out).ok]).toEqual([1, false]);
    const two = await run(["mail", "test", "--to", "a@example.org, b@example.org"]);
    expect(two.code).toBe(64);
    const off = await createProgram().run(["mail", "test", "--to", "a@example.org"]);
    expect([off.code, off.err]).toEqual([
      1,
      "E-mail is off. Set STILLUP_SMTP_HOST, STILLUP_SMTP_FROM and STILLUP_PUBLIC_URL.\n",
    ]);
  });
});

describe("stillup oidc", () => {
  test("checks the provider, and says what is wrong with it", async () => {
    const host = await startOidcHost();
    const settings = asStrings(oidcSettings(host.issuer));
    const { run } = createProgram(settings);

    const checked = await run(["oidc", "check"]);
    expect([checked.code, checked.err]).toEqual([0, ""]);
    expect(checked.out).toBe(
      [
        `Issuer: ${host.issuer}`,
        "Client: stillup",
        "Redirect URI to register: http://127.0.0.1:8484/oidc/callback",
        "Client ID and secret: accepted",
        "Keys: 1; algorithms: RS256",
        "PKCE (S256): yes",
        "Issuer in its response (RFC 9207): yes",
        "Sign-out page: yes\n",
      ].join("\n"),
    );
    const wrong = { STILLUP_OIDC_ISSUER: `${host.issuer}/other` };
    const failed = await run(["oidc", "check"], wrong);
    expect(failed.code).toBe(1);
    expect(failed.err).toStartWith("Single sign-on cannot be used (misconfigured): ");
    const secret = await run(["oidc", "check"], { STILLUP_OIDC_CLIENT_SECRET: "another one" });
    expect(secret.code).toBe(1);
    expect(secret.err).toContain("does not accept the client stillup with this secret");
    expect(secret.err).not.toContain("another one");
    const off = await createProgram().run(["oidc", "check"]);
    expect(off.err).toBe(
      "Single sign-on is off. Set STILLUP_OIDC_ISSUER and STILLUP_OIDC_CLIENT_ID.\n",
    );
  });

  test("links, unlinks and moves people", async () => {
    const settings = asStrings(oidcSettings("https://old.example.org"));
    const { run } = createProgram(settings);
    for (const email of ["ann@example.org", "bob@example.org"]) {
      expect((await run(["user", "create", "--email", email])).code).toBe(0);
    }
    const link = (email: string) => run(["user", "link", "--email", email, "--subject", "s1"]);

    expect((await link("ann@example.org")).out).toBe(
      "ann@example.org can now sign in with single sign-on.\n",
    );
    expect((await link("ann@example.org")).code).toBe(0);
    expect(await link("bob@example.org")).toMatchObject({
      code: 1,
      err: "This subject is linked to another user. Unlink it there first.\n",
    });
    expect(await link("eve@example.org")).toMatchObject({
      code: 1,
      err: "No such user: eve@example.org.\n",
    });
    expect((await run(["user", "list"])).out).toMatch(/ann@example\.org .* yes {2,}\d{4}-/);
    const move = (...more: string[]) =>
      run([
        "oidc",
        "move",
        "--from",
        "https://old.example.org",
        "--to",
        "https://new.example.org",
        ...more,
      ]);
    expect((await move("--dry-run")).out).toBe("Would move 1 of https://old.example.org.\n");
    expect((await move()).out).toBe("Moved 1 to https://new.example.org.\n");
    expect((await move()).out).toBe("Moved 0 to https://new.example.org.\n");
    expect(
      (await run(["oidc", "move", "--from", "ftp://x", "--to", "https://a.example"])).code,
    ).toBe(64);
    const unlink = () => run(["user", "unlink", "--email", "ann@example.org"]);
    expect((await unlink()).out).toBe("ann@example.org is no longer linked.\n");
    expect((await unlink()).out).toBe("ann@example.org was not linked.\n");
  });
});

describe("settings of single sign-on", () => {
  const ISSUER = { STILLUP_OIDC_ISSUER: "https://id.example.org" };
  const BOTH = {
    ...ISSUER,
    STILLUP_OIDC_CLIENT_ID: "stillup",
    STILLUP_PUBLIC_URL: "https://links.example.org",
  };

  test.each<[settings: Record<string, string>, begins: string]>([
    [ISSUER, "STILLUP_OIDC_ISSUER needs STILLUP_PUBLIC_URL"],
    [
      { ...BOTH, STILLUP_PUBLIC_URL: "http://links.example.org" },
      "STILLUP_OIDC_ISSUER needs STILLUP_PUBLIC_URL with https",
    ],
    [
      { ...ISSUER, STILLUP_PUBLIC_URL: "https://links.example.org" },
      "STILLUP_OIDC_ISSUER needs STILLUP_OIDC_CLIENT_ID",
    ],
    [{ STILLUP_OIDC_ONLY: "true" }, "STILLUP_OIDC_ONLY needs STILLUP_OIDC_ISSUER"],
    [
      { ...BOTH, STILLUP_OIDC_ISSUER: "http://id.example.org" },
      "STILLUP_OIDC_ISSUER (http://id.example.org): must be https",
    ],
    [
      { ...BOTH, STILLUP_OIDC_ISSUER: "id.example.org" },
      "STILLUP_OIDC_ISSUER (id.example.org): must be the provider's issuer URL",
    ],
    [
      { ...BOTH, STILLUP_OIDC_ISSUER: "https://login.microsoftonline.com/common/v2.0" },
      "STILLUP_OIDC_ISSUER (https://login.microsoftonline.com/common/v2.0): must name one tenant",
    ],
    [
      { ...BOTH, STILLUP_OIDC_CLIENT_SECRET: "a", STILLUP_OIDC_CLIENT_SECRET_FILE: CA },
      "Set STILLUP_OIDC_CLIENT_SECRET or STILLUP_OIDC_CLIENT_SECRET_FILE, not both.",
    ],
    [
      { ...BOTH, STILLUP_OIDC_SCOPES: "email" },
      "STILLUP_OIDC_SCOPES must be scopes between spaces",
    ],
    [
      { ...BOTH, STILLUP_OIDC_SCOPES: "openid offline_access" },
      "STILLUP_OIDC_SCOPES must be scopes",
    ],
    [{ ...BOTH, STILLUP_OIDC_ROLES: '{"boss":["x"]}' }, "STILLUP_OIDC_ROLES must be JSON"],
    [{ ...BOTH, STILLUP_OIDC_ROLES: "viewer" }, "STILLUP_OIDC_ROLES must be JSON"],
    [
      { ...BOTH, STILLUP_OIDC_ALLOWED_DOMAINS: "@example.org" },
      "STILLUP_OIDC_ALLOWED_DOMAINS must be a list of domains",
    ],
    [
      { ...BOTH, STILLUP_OIDC_SESSION_HOURS: "0" },
      "STILLUP_OIDC_SESSION_HOURS must be a whole number from 1",
    ],
    [
      { ...BOTH, STILLUP_OIDC_ISSUER: "https://accounts.google.com", STILLUP_OIDC_SIGN_UP: "true" },
      "STILLUP_OIDC_SIGN_UP needs STILLUP_OIDC_ALLOWED_DOMAINS or STILLUP_OIDC_ROLES",
    ],
  ])("%o", (settings, begins) => {
    expect(() => readConfig(settings)).toThrow(begins);
  });

  test("name the provider by its issuer, and show no secret", async () => {
    const settings = { ...BOTH, STILLUP_OIDC_CLIENT_SECRET: "a secret of the client" };
    const shown = await createProgram(settings).run(["serve", "--print-config"]);
    expect(shown.out).toContain("STILLUP_OIDC_CLIENT_SECRET=***");
    expect(shown.out).not.toContain("a secret of the client");
  });
});
