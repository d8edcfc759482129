import { createServer } from "node:http";
import Provider, { type Configuration } from "oidc-provider";
import type { Env } from "../server/ground/config/config.ts";
import type { Parsed, TestServer } from "./harness.ts";
import { closeAtEnd } from "./shared.ts";

/** The claims of a person at the provider, except for their subject. */
export type Person = Record<string, unknown>;

export type OidcHost = {
  issuer: string;
  /** Requests by path, such as `/token`. */
  requests: string[];
  people: Map<string, Person>;
  /** Who signs in there from now on; null refuses. */
  signsIn(subject: string | null): void;
  /** From now on this answers instead, for paths that it returns a response for. */
  answers(
    instead:
      | ((path: string, next: () => Promise<Response>) => Response | Promise<Response> | null)
      | null,
  ): void;
  stop(): Promise<void>;
};

export const CLIENT = { id: "stillup", secret: "a secret of the client, long enough" };

/** Where the browser thinks the server is. */
export const PUBLIC_URL = "http://127.0.0.1:8484";

/** The settings of a server whose people sign in there. */
export const oidcSettings = (issuer: string): Env => ({
  STILLUP_PUBLIC_URL: PUBLIC_URL,
  STILLUP_OIDC_ISSUER: issuer,
  STILLUP_OIDC_CLIENT_ID: CLIENT.id,
  STILLUP_OIDC_CLIENT_SECRET: CLIENT.secret,
  STILLUP_TRUSTED_PROXIES: "127.0.0.1",
});

/** A real OpenID provider, at which signing in takes no click. */
export async function startOidcHost(more: Configuration = {}, onPort = 0): Promise<OidcHost> {
  const people = new Map<string, Person>();
  const requests: string[] = [];
  let subject: string | null = null;
  let instead: Parameters<OidcHost["answers"]>[0] = null;
  let handle: (request: Request) => Promise<Response> = async () => new Response(null);
  const server = Bun.serve({
    port: onPort,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const path = new URL(request.url).pathname;
      requests.push(path);
      return instead?.(path, () => handle(request)) ?? handle(request);
    },
  });
  const issuer = `http://127.0.0.1:${server.port}`;
  const inner = createProvider(issuer, people, () => subject, more);
  await new Promise<void>((resolve) => inner.listening.listen(0, "127.0.0.1", resolve));
  const { port } = inner.listening.address() as { port: number };
  handle = (request) => {
    const url = new URL(request.url);
    url.port = String(port);
    const headers = new Headers(request.headers);
    headers.set("x-forwarded-host", `127.0.0.1:${server.port}`);
    headers.set("x-forwarded-proto", "http");
    const hasBody = request.method === "POST";
    return fetch(url, {
      method: request.method,
      headers,
      redirect: "manual",
      decompress: false,
      ...(hasBody && { body: request.body }),
    } as RequestInit);
  };
  const stop = async () => {
    inner.listening.closeAllConnections();
    inner.listening.close();
    await server.stop(true);
  };
  closeAtEnd(stop);
  return {
    issuer,
    requests,
    people,
    stop,
    signsIn: (next) => {
      subject = next;
    },
    answers: (next) => {
      instead = next;
    },
  };
}

function createProvider(
  issuer: string,
  people: Map<string, Person>,
  subject: () => string | null,
  more: Configuration,
) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${PUBLIC_URL}/oidc/callback`],
        post_logout_redirect_uris: [`${PUBLIC_URL}/sign-in?signed-out`],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups", "name"] },
    cookies: { keys: ["one key of the tests"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => ({ sub, ...person }) };
    },
    ...more,
  });
  provider.proxy = true;
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) return next();
    const { prompt, params, grantId } = await provider.interactionDetails(context.req, context.res);
    const who = subject();
    if (who === null) {
      const refusal = { error: "access_denied", error_description: "<b>Not today</b>" };
      return provider.interactionFinished(context.req, context.res, refusal);
    }
    if (prompt.name === "login") {
      return provider.interactionFinished(context.req, context.res, { login: { accountId: who } });
    }
    const grant = grantId
      ? await provider.Grant.find(grantId)
      : new provider.Grant({ accountId: who, clientId: String(params.client_id) });
    grant!.addOIDCScope(String(params.scope));
    const result = { consent: { grantId: await grant!.save() } };
    return provider.interactionFinished(context.req, context.res, result);
  });
  return { listening: createServer(provider.callback()) };
}

/** A browser that keeps cookies of both and follows redirects between them. */
export type Surfer = {
  /** Follows redirects from the URL, and returns the last path of the server, with its query. */
  visit(url: string): Promise<string>;
  /** The same, up to the URL of the callback, which it returns. */
  upToCallback(url: string): Promise<string>;
  /** Begins a sign-in and returns where the provider's page is. */
  start(body?: object): Promise<{ status: number; url: string; body: unknown }>;
  /** The whole sign-in. */
  signIn(body?: object): Promise<string>;
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Parsed; headers: Headers }>;
  cookies: Map<string, string>;
  /** Forgets the provider's cookies, as a new session there. */
  forget(): void;
};

let surfers = 0;

export function openSurfer(server: Pick<TestServer, "url">): Surfer {
  const jars = { ours: new Map<string, string>(), theirs: new Map<string, string>() };
  surfers++;
  const address = `10.9.${surfers >> 8}.${surfers & 255}`;

  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const isOurs = url.startsWith(PUBLIC_URL);
    const jar = isOurs ? jars.ours : jars.theirs;
    const headers = new Headers(init.headers);
    if (jar.size > 0)
      headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    if (isOurs) headers.set("x-forwarded-for", address);
    const real = isOurs ? server.url + url.slice(PUBLIC_URL.length) : url;
    const response = await fetch(real, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      const isGone = value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set);
      if (isGone) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }

  async function follow(url: string, isEnd: (url: string) => boolean): Promise<string> {
    for (let n = 0, next = url; n < 12; n++) {
      if (isEnd(next)) return next;
      const response = await send(next);
      const location = response.headers.get("location");
      if (location === null)
        throw new Error(`${response.status} at ${next}: ${await response.text()}`);
      next = new URL(location, next).href;
    }
    throw new Error("too many redirects");
  }

  const isCallback = (url: string) => url.startsWith(`${PUBLIC_URL}/oidc/callback`);
  const isPage = (url: string) =>
    url.startsWith(PUBLIC_URL) && !url.startsWith(`${PUBLIC_URL}/oidc/`);
  const pathOf = (url: string) => url.slice(PUBLIC_URL.length);

  const surfer: Surfer = {
    cookies: jars.ours,
    forget: () => jars.theirs.clear(),
    visit: async (url) => pathOf(await follow(url, isPage)),
    upToCallback: (url) => follow(url, isCallback),
    async start(body = { purpose: "sign-in" }) {
      const { status, body: answered } = await surfer.ask("POST", "/session/oidc", body);
      return { status, url: answered?.data?.url, body: answered };
    },
    async signIn(body) {
      const { url, body: answered } = await surfer.start(body);
      if (!url) throw new Error(JSON.stringify(answered));
      return surfer.visit(url);
    },
    async ask(method, path, body) {
      const response = await send(`${PUBLIC_URL}/dashboard/api${path}`, {
        method,
        headers: {
          "sec-fetch-site": "same-origin",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text && JSON.parse(text), headers: response.headers };
    },
  };
  return surfer;
}
