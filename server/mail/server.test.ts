import { describe, expect, test } from "bun:test";
import type { SMTPServerOptions } from "smtp-server";
import { movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { START } from "../../tests/harness.ts";
import { GOOD_TLS, mailSettings, startMailHost } from "../../tests/smtp.ts";
import { type Env, readConfig } from "../ground/config/config.ts";
import { readMailAddress, readMailto } from "../ground/lib/mail-address.ts";
import type { Mail } from "../ground/net/mail.ts";
import { openMailServer } from "./server.ts";

const CA = new URL("../../tests/certs/ca.pem", import.meta.url).pathname;
const PASSWORD = "pass word/of the relay";

const MAIL: Mail = {
  kind: "alert",
  id: "msg_1",
  to: "ann@example.com",
  fromName: "Stillup",
  subject: "Hello",
  at: Date.parse(START),
  text: "Hello\n",
  html: "<p>Hello</p>",
};

/** A client of the host with these settings; `host` may be of another program. */
function clientOf(port: number, settings: Env) {
  const problems: (string | null)[] = [];
  const clock = movableClock(START);
  const config = readConfig(mailSettings(port, settings));
  const server = openMailServer(config, clock, {
    onProblem: (problem) => problems.push(problem),
  })!;
  return { ...server, clock, problems };
}

const withLogin = (isRight = true): SMTPServerOptions => ({
  authMethods: ["PLAIN"],
  onAuth: ({ username, password }, _session, callback) => {
    if (isRight && username === "stillup" && password === PASSWORD) {
      return callback(null, { user: username });
    }
    const line = Buffer.from(`\0${username}\0${password}`).toString("base64");
    callback(new Error(`Rejected AUTH PLAIN ${line} (${password})`));
  },
});

const LOGIN = { STILLUP_SMTP_USER: "stillup", STILLUP_SMTP_PASSWORD: PASSWORD };
const TRUSTED = { STILLUP_EXTRA_CA_FILE: CA };

describe("The connection to the mail server", () => {
  eachRow([
    ["tls", { secure: true }],
    ["starttls", { secure: false }],
  ] as const)("is encrypted and signed in by %s", async (security, options) => {
    const host = await startMailHost({ ...GOOD_TLS, ...options, ...withLogin() });
    const settings = { STILLUP_SMTP_SECURITY: security, ...LOGIN, ...TRUSTED };
    const client = clientOf(host.port, settings);

    const sent = await client.send(MAIL);

    expect(sent).toMatchObject({ kind: "replied", code: 250, what: "sent" });
    expect(host.letters).toMatchObject([{ recipients: ["ann@example.com"] }]);
    expect(client.state()).toMatchObject({ problem: null, lastSuccessAt: Date.parse(START) });
    client.close();
  });

  eachRow(["tls", "starttls"] as const)(
    "is not made by %s to a server whose certificate is not trusted",
    async (security) => {
      const secure = security === "tls";
      const host = await startMailHost({ ...GOOD_TLS, secure, ...withLogin() });
      const client = clientOf(host.port, { STILLUP_SMTP_SECURITY: security, ...LOGIN });

      expect(await client.send(MAIL)).toMatchObject({ kind: "server" });
      expect(host.letters).toEqual([]);
      client.close();
    },
  );

  test("is not made in clear where STARTTLS is not offered", async () => {
    const host = await startMailHost();
    const client = clientOf(host.port, { STILLUP_SMTP_SECURITY: "starttls", ...LOGIN });

    expect(await client.send(MAIL)).toMatchObject({ kind: "server" });
    expect(host.letters).toEqual([]);
    client.close();
  });

  test("reports a refused password in the server's words, without the password", async () => {
    const host = await startMailHost({ ...GOOD_TLS, secure: true, ...withLogin(false) });
    const client = clientOf(host.port, { STILLUP_SMTP_SECURITY: "tls", ...LOGIN, ...TRUSTED });

    const sent = await client.send(MAIL);

    expect(sent).toMatchObject({ kind: "server", reply: expect.stringContaining("535") });
    const shown = JSON.stringify([sent, client.state(), client.problems]);
    expect(shown).toContain("Rejected AUTH PLAIN … (…)");
    client.close();
  });

  test("rests once for messages that fail together, longer after each further failure", async () => {
    const host = await startMailHost();
    const client = clientOf(host.port, {});
    host.answers({ mail: "452 4.3.1 Out of storage" });

    await Promise.all([client.send(MAIL), client.send({ ...MAIL, id: "msg_2" })]);
    expect([client.waitMs(), client.places()]).toEqual([30_000, 0]);
    client.clock.moveBy(30_000);
    expect(client.places()).toBe(1);
    await client.send(MAIL);
    expect(client.waitMs()).toBe(60_000);
    client.clock.moveBy(60_000);
    host.answers({});
    await client.send(MAIL);

    expect([client.waitMs(), client.places()]).toEqual([0, 2]);
    expect(client.problems.at(-1)).toBeNull();
    client.close();
  });

  test("sends no more in a minute than the rate allows", async () => {
    const host = await startMailHost();
    const client = clientOf(host.port, { STILLUP_SMTP_RATE: "2" });
    await client.send(MAIL);
    await client.send({ ...MAIL, id: "msg_2" });

    expect(client.free()).toBe(0);
    client.clock.moveBy(60_000);
    expect(client.free()).toBe(2);
    client.close();
  });
});

describe("The settings of the mail server", () => {
  const GOOD = mailSettings(25);

  eachRow([
    [{ STILLUP_PUBLIC_URL: "" }, "STILLUP_PUBLIC_URL"],
    [{ STILLUP_SMTP_FROM: "" }, "STILLUP_SMTP_FROM"],
    [{ STILLUP_SMTP_FROM: "Ann <ann@example.com>" }, "STILLUP_SMTP_FROM"],
    [{ STILLUP_SMTP_USER: "ann" }, "STILLUP_SMTP_PASSWORD"],
    [{ STILLUP_SMTP_PASSWORD: "secret" }, "STILLUP_SMTP_USER"],
    [{ STILLUP_SMTP_HOST: "mail.example.org", ...LOGIN }, "STILLUP_SMTP_SECURITY"],
    [{ ...LOGIN, STILLUP_SMTP_PASSWORD_FILE: CA }, "not both"],
    [{ STILLUP_SMTP_SECURITY: "ssl" }, "STILLUP_SMTP_SECURITY must be one of tls, starttls, none"],
    [{ STILLUP_SMTP_RECIPIENTS: "@example.com" }, "STILLUP_SMTP_RECIPIENTS"],
  ])("are refused with %j", (wrong, named) => {
    expect(() => readConfig({ ...GOOD, ...wrong })).toThrow(named);
    expect(() => readConfig(GOOD)).not.toThrow();
  });
});

describe("An address", () => {
  eachRow([
    ["ann@example.com", "ann@example.com"],
    ["ann.b+c_d@sub.example.com", "ann.b+c_d@sub.example.com"],
    ["o'neil@EXAMPLE.com", "o'neil@example.com"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    ["me@localhost", "me@localhost"],
  ])("%s is read", (text, address) => {
    expect(readMailAddress(text)).toEqual({ ok: true, address });
  });

  eachRow([
    ...["", "ann", "@example.com", "ann@", "ann@@example.com", "ann@example..com", "ann@-x.com"],
    ...["a@x\r\nRCPT TO:<eve@y>", "a@x\nb", "a\0@x", "a@x,eve@y", "a@x;eve@y", "a@x, eve@y"],
    ...['"ann b"@x.com', '"a@b"@x.com', "ann(comment)@x.com", "ann@x.com (c)", "<ann@x.com>"],
    ...["Ann <ann@x.com>", "ann b@x.com", "ann@[127.0.0.1]", "ann@127.0.0.1", "ann@1.2"],
    ...["änn@x.com", ".ann@x.com", "ann.@x.com", "a..b@x.com", `${"a".repeat(65)}@x.com`],
    ...[`a@${"b".repeat(64)}.com`, `a@${"bcd.".repeat(65)}com`, "ann@x.com/path", "ann@x.com?x"],
    ...["ann@x.com#x", "ann@x%2ey.com", "ann@x\\y.com", "ann@x:25", "group:a@x.com;"],
    ...["ann@x_y.com", "ann\u202e@x.com", "ann@x.com\t", "a@x\u2028eve@y", "\u007fann@x.com"],
  ])("%j is refused", (text) => {
    expect(readMailAddress(text)).toMatchObject({ ok: false, problem: expect.any(String) });
  });

  eachRow([
    ["mailto:ann@example.com", true],
    ["MAILTO:ann%2Bx@example.com", true],
    ["mailto:ann+x@example.com", true],
    ["mailto://ann@example.com", false],
    ["mailto:%2F%2Fann@example.com", true],
    ["ann@example.com", false],
    ["https://example.com/", false],
    ["mailto:", false],
    ["mailto:ann@example.com?subject=x", false],
    ["mailto:ann@example.com?bcc=eve@y.com", false],
    ["mailto:ann@example.com,eve@y.com", false],
    ["mailto:ann@example.com%2Ceve@y.com", false],
    ["mailto:ann@example.com%0d%0aRCPT%20TO:<eve@y.com>", false],
    ["mailto:ann%00@example.com", false],
    ["mailto:ann%@example.com", false],
    ["mailto:ann@example.com#x", false],
  ])("%s as a URL: %p", (url, isRead) => {
    expect(readMailto(url).ok).toBe(isRead);
  });
});
