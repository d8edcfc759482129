import { beforeEach, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { START } from "../../tests/harness.ts";
import { CLIENT, oidcSettings, PUBLIC_URL, startOidcHost } from "../../tests/oidc.ts";
import { closeAtEnd } from "../../tests/shared.ts";
import { type Env, readConfig } from "../ground/config/config.ts";
import { oidcOf } from "../ground/config/oidc.ts";
import type { Problem, SignInProblem } from "./oidc/problems.ts";
import { createProvider, newChecks } from "./oidc/provider.ts";

const MINUTE = 60_000;

/** A client of the issuer, with a clock that the test moves. */
function clientOf(issuer: string, settings: Env = {}) {
  const config = readConfig({ ...oidcSettings(issuer), ...settings });
  const clock = movableClock(START);
  return { ...createProvider({ config, clock }, oidcOf(config)!), clock };
}

const problemOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: SignInProblem) => error.problem ?? String(error),
  );

const other = await generateKeyPair("RS256");

describe("A provider that", () => {
  /** Answers like a provider, by hand: no real one signs wrong tokens. */
  let answers: Record<string, (issuer: string) => Response | Promise<Response>>;
  const asked: string[] = [];
  let issuer = "";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return answers[pathname]?.(issuer) ?? new Response("none", { status: 404 });
    },
  });
  issuer = `http://127.0.0.1:${server.port}`;
  closeAtEnd(() => server.stop(true));
  const DOCUMENT = "/.well-known/openid-configuration";

  const document = (more: object = {}) => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    ...more,
  });
  beforeEach(() => {
    asked.length = 0;
    answers = { [DOCUMENT]: () => Response.json(document()) };
  });

  eachRow<[what: string, answer: () => Response, problem: string]>([
    ["answers 500", () => new Response("oh", { status: 500 }), "unreachable"],
    [
      "answers with a page",
      () => new Response("<p>Hello", { headers: { "content-type": "text/html" } }),
      "misconfigured",
    ],
    ["answers 404", () => new Response("", { status: 404 }), "misconfigured"],
    ["sends 10 MB", () => new Response("x".repeat(10_000_000)), "unreachable"],
    ["leads elsewhere", () => Response.redirect("http://169.254.169.254/latest"), "misconfigured"],
    [
      "is another issuer",
      () => Response.json(document({ issuer: "https://evil.example" })),
      "misconfigured",
    ],
    [
      "adds a slash to its name",
      () => Response.json(document({ issuer: `${issuer}/` })),
      "misconfigured",
    ],
  ])("%s is refused", async (_, answer, problem) => {
    answers[DOCUMENT] = answer;
    expect(await problemOf(clientOf(issuer).authorizationUrl(newChecks(), false))).toBe(problem);
  });

  test("cannot be reached is asked again after ten seconds only, and then its document lasts for a day", async () => {
    const client = clientOf(issuer);
    answers[DOCUMENT] = () => new Response("", { status: 503 });
    const begin = () => problemOf(client.authorizationUrl(newChecks(), false));
    expect([await begin(), await begin()]).toEqual(["unreachable", "unreachable"]);
    expect(asked).toHaveLength(1);
    client.clock.moveBy(10_000);
    answers[DOCUMENT] = () => Response.json(document());
    expect(await Promise.all([begin(), begin(), begin()])).toEqual(["none", "none", "none"]);
    expect(asked).toHaveLength(2);

    answers[DOCUMENT] = () => new Response("", { status: 503 });
    client.clock.moveBy(59 * MINUTE);
    expect([await begin(), asked.length]).toEqual(["none", 2]);
    client.clock.moveBy(MINUTE);
    expect([await begin(), asked.length]).toEqual(["none", 3]);
    client.clock.moveBy(23 * 60 * MINUTE);
    expect(await begin()).toBe("unreachable");
  });

  describe("signs an ID token", () => {
    const RIGHT = { aud: CLIENT.id, sub: "s1" };
    type Sign = (payload: JWTPayload) => Promise<string>;

    /** `more` is added to the provider's document; `userinfo` is what it says about the person. */
    async function redeemed(
      payload: JWTPayload,
      sign?: Sign,
      more: object = {},
      userinfo: object = { sub: "another", email: "eve@example.org" },
      settings: Env = {},
    ) {
      const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
      const checks = newChecks();
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        iat: now,
        exp: now + 300,
        nonce: checks.nonce,
        ...RIGHT,
        ...payload,
      };
      const usual: Sign = (each) =>
        new SignJWT(each).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(privateKey);
      const token = await (sign ?? usual)(claims);
      answers = {
        [DOCUMENT]: () => Response.json(document(more)),
        "/jwks": async () =>
          Response.json({
            keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" }],
          }),
        "/token": () =>
          Response.json({
            access_token: "a",
            token_type: "bearer",
            id_token: token,
            expires_in: 60,
          }),
        "/me": () => Response.json(userinfo),
      };
      const client = clientOf(issuer, settings);
      const query = new URLSearchParams({ code: "c", state: checks.state });
      return client.redeem(String(query), checks);
    }

    test("that is right", async () => {
      expect((await redeemed({})).claims).toMatchObject({ iss: issuer, sub: "s1" });
    });

    eachRow<[what: string, token: JWTPayload, userinfo: object, claims: object]>([
      [
        "in both is that of the token",
        { email: "Ann@example.org" },
        { email: "other@example.org", email_verified: true, groups: ["a"] },
        { email: "ann@example.org", email_verified: undefined },
      ],
      [
        "only in userinfo is verified only there",
        { email_verified: true },
        { email: "ann@example.org" },
        { email: "ann@example.org", email_verified: undefined },
      ],
      [
        "can be verified in words",
        { email: "ann@example.org", email_verified: "False" },
        {},
        { email: "ann@example.org", email_verified: false },
      ],
      [
        "that is none counts as missing",
        { email: ["ann@example.org"], email_verified: "maybe", hd: 5 },
        {},
        { email: undefined, email_verified: undefined, hd: undefined },
      ],
    ])("whose address %s", async (_, token, userinfo, claims) => {
      const document = { userinfo_endpoint: `${issuer}/me` };
      const subject = { sub: RIGHT.sub, ...userinfo };
      const settings = { STILLUP_OIDC_ROLES: '{"viewer":["*"]}' };
      const read = await redeemed(token, undefined, document, subject, settings);
      expect({ ...read.claims }).toMatchObject(claims);
    });

    type Case = [what: string, payload: () => JWTPayload, sign?: Sign | undefined, more?: object];
    const now = () => Math.floor(Date.now() / 1000);
    const CASES: Case[] = [
      ["for another client", () => ({ aud: "another" })],
      ["for two clients without naming us", () => ({ aud: [CLIENT.id, "another"] })],
      ["for another party", () => ({ aud: [CLIENT.id, "another"], azp: "another" })],
      ["for us, made for another party", () => ({ azp: "another" })],
      ["of another issuer", () => ({ iss: "https://evil.example" })],
      ["with another nonce", () => ({ nonce: "x" })],
      ["without a nonce", () => ({ nonce: undefined as never })],
      ["that has expired", () => ({ exp: now() - 400 })],
      ["from the future", () => ({ nbf: now() + 400 })],
      ["without a subject", () => ({ sub: undefined as never })],
      ["with an empty subject", () => ({ sub: "" })],
      ["with a subject of 256 bytes", () => ({ sub: "ü".repeat(128) })],
      [
        "without a signature",
        () => ({}),
        async (payload) => {
          const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
          return `${part({ alg: "none" })}.${part(payload)}.`;
        },
      ],
      [
        "with a shared key",
        () => ({}),
        (payload) =>
          new SignJWT(payload)
            .setProtectedHeader({ alg: "HS256", kid: "k1" })
            .sign(Buffer.from(CLIENT.secret.padEnd(32, "."))),
        { id_token_signing_alg_values_supported: ["RS256", "HS256"] },
      ],
      [
        "with another key",
        () => ({}),
        (payload) =>
          new SignJWT(payload)
            .setProtectedHeader({ alg: "RS256", kid: "k1" })
            .sign(other.privateKey),
      ],
      [
        "and userinfo of someone else",
        () => ({}),
        undefined,
        { userinfo_endpoint: `${issuer}/me` },
      ],
    ];
    // As objects: a function of more parameters than a row has gets a callback.
    eachRow(CASES.map(([what, payload, sign, more]) => ({ what, payload, sign, more })))(
      "$what is refused",
      async ({ payload, sign, more }) => {
        expect(await problemOf(redeemed(payload(), sign, more))).toBe("misconfigured");
      },
    );

    test("with a key that it has not published yet", async () => {
      const sign: Sign = (payload) =>
        new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "k2" }).sign(other.privateKey);
      expect(await problemOf(redeemed({}, sign))).toBe("keys_changed");
    });
  });
});

/** How a client with the secret shows it to a provider with these methods: decoded as the provider might. */
describe("A secret", () => {
  const ALL = ["client_secret_basic", "client_secret_post"];
  const BASIC = ["client_secret_basic"];

  eachRow<[secret: string, methods: string[] | undefined, sent: string]>([
    ["aB3-._~x!*'()", BASIC, "basic aB3-._~x!*'()"],
    ["aB3-._~x!*'()", ALL, "basic aB3-._~x!*'()"],
    ["aB3-._~x!*'()", undefined, "basic aB3-._~x!*'()"],
    ["a+b/c=", ALL, "post a+b/c="],
    ["a+b/c= d:é", BASIC, "basic a%2Bb%2Fc%3D+d%3A%C3%A9"],
    ["a+b/c=", ["client_secret_post"], "post a+b/c="],
  ])("%s goes to a provider with %j as %s", async (secret, methods, sent) => {
    const seen: string[] = [];
    const host = await startPlayedProvider({
      token_endpoint_auth_methods_supported: methods,
      token: async (request) => {
        const basic = request.headers.get("authorization")?.slice("Basic ".length);
        const posted = new URLSearchParams(await request.text()).get("client_secret");
        seen.push(basic ? `basic ${atob(basic).slice("stillup:".length)}` : `post ${posted}`);
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      },
    });
    const { client } = await clientOf(host, { STILLUP_OIDC_CLIENT_SECRET: secret }).check();
    expect({ client, seen }).toEqual({ client: true, seen: [sent] });
  });

  eachRow<[answer: () => Response, result: Problem | boolean]>([
    [() => Response.json({ error: "invalid_client" }, { status: 401 }), "misconfigured"],
    [() => Response.json({ error: "invalid_client" }, { status: 400 }), "misconfigured"],
    [
      () => new Response("no", { status: 401, headers: { "www-authenticate": "Basic" } }),
      "misconfigured",
    ],
    [() => Response.json({ error: "invalid_request" }, { status: 400 }), false],
    [() => new Response("oh", { status: 500 }), false],
  ])("that %p answers is judged by its code", async (answer, result) => {
    const host = await startPlayedProvider({ token: async () => answer() });
    const found = await clientOf(host)
      .check()
      .then(
        ({ client }) => client,
        ({ problem }: SignInProblem) => problem,
      );
    expect(found).toBe(result);
  });

  test("that is wrong is refused by a real provider, and the right one is accepted", async () => {
    const { issuer } = await startOidcHost();
    const wrong = clientOf(issuer, { STILLUP_OIDC_CLIENT_SECRET: "another" });
    expect(await problemOf(wrong.check())).toBe("misconfigured");
    expect((await clientOf(issuer).check()).client).toBe(true);
  });
});

/** A provider with a document, one key and the given answer at its token endpoint. Returns its issuer. */
async function startPlayedProvider({
  token,
  ...more
}: {
  token: (request: Request) => Promise<Response>;
  token_endpoint_auth_methods_supported?: string[] | undefined;
}): Promise<string> {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, origin: issuer } = new URL(request.url);
      if (pathname === "/token") return token(request);
      if (pathname === "/jwks") return Response.json({ keys: [{ kty: "RSA" }] });
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        ...more,
      });
    },
  });
  closeAtEnd(() => server.stop(true));
  return server.url.origin;
}

describe("A real provider", () => {
  test("gets the address to send the browser to, with PKCE, state and nonce of this sign-in alone", async () => {
    const host = await startOidcHost();
    const checks = newChecks();

    const url = new URL(await clientOf(host.issuer).authorizationUrl(checks, true));

    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      response_type: "code",
      code_challenge_method: "S256",
      state: checks.state,
      nonce: checks.nonce,
      prompt: "login",
      max_age: "60",
      redirect_uri: `${PUBLIC_URL}/oidc/callback`,
    });
    expect(url.href).not.toContain(checks.verifier);
    const ofTwo = [checks, newChecks()].flatMap((each) => Object.values(each));
    expect(new Set(ofTwo).size).toBe(6);
  });
});
