import net, { type AddressInfo, type Socket } from "node:net";
import { generate } from "selfsigned";
import type { OutboundOptions } from "../../../server/ground/net/exchange.ts";
import type { Outbound } from "../../../server/ground/net/request.ts";
import { labOutbound } from "../../outbound/lab.ts";

/** What a played server answers: a status, a page, or anything else that a response can be. */
export type Answers =
  | number
  | string
  | Response
  | ((request: Request) => Response | Promise<Response>);

/** Answers by `host/path`, with `?query` where that matters; the longest key that fits is used. */
export type Web = Record<string, Answers>;

/** A request as received: method, URL and body in one line, and its headers. */
export type SeenRequest = { line: string; headers: Headers };

/** What plays the world: a checker reaches nothing else through its outbound. */
export type PlayedWeb = {
  outboundWith(options: Pick<OutboundOptions, "clock" | "resolver">): Outbound;
  /** Replaces the web, and forgets the requests. */
  play(web: Web): void;
  requests(): SeenRequest[];
  stop(): Promise<void>;
};

/**
 * Starts a server that plays every host under its real name, with a certificate for it, behind a proxy that
 * connects every tunnel to it.
 */
export async function startPlayedWeb(hosts: string[]) {
  const { cert, private: key } = await generate([{ name: "commonName", value: "The played web" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: hosts.map((value) => ({ type: 2, value })) },
    ],
  });
  const { answer, ...played } = createWeb();
  const tls = { cert, key };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch: answer });
  const tunnels = await startProxy(server.port ?? 0);
  const proxy = `http://127.0.0.1:${tunnels.port}`;
  return {
    ...played,
    ca: cert,
    proxy,
    outboundWith: (options) => labOutbound({ ...options, proxy, extraCa: cert }),
    async stop() {
      tunnels.stop();
      await server.stop(true);
    },
  } satisfies PlayedWeb & { ca: string; proxy: string };
}

/**
 * Plays every host without TLS, which would take most of the time of thousands of checks. A request for https arrives
 * over http, with the port of https.
 */
export function startPlainWeb(): PlayedWeb {
  const { answer, ...played } = createWeb();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => answer(new Request(askedFor(request.url), request)),
  });
  const proxy = `http://127.0.0.1:${server.port}`;
  return {
    ...played,
    outboundWith(options) {
      const outbound = labOutbound({ ...options, proxy, extraCa: undefined });
      return { ...outbound, request: (url, input) => outbound.request(withoutTls(url), input) };
    },
    stop: () => server.stop(true),
  };
}

const withoutTls = (url: string | URL) =>
  `${url}`.replace(/^https:\/\/([^/?#:]+)/, "http://$1:443");
const askedFor = (url: string) => url.replace(/^http:\/\/([^/?#:]+):443/, "https://$1");

function createWeb() {
  let web: Web = {};
  let requests: SeenRequest[] = [];
  return {
    async answer(request: Request): Promise<Response> {
      const body = await request.clone().text();
      const line = `${request.method} ${request.url}${body === "" ? "" : ` ${body}`}`;
      requests.push({ line, headers: request.headers });
      return say(answerOf(web, request.url), request);
    },
    play(next: Web) {
      web = next;
      requests = [];
    },
    requests: () => requests,
  };
}

function answerOf(web: Web, address: string): Answers | undefined {
  const { host, pathname, search } = new URL(address);
  const [first] = Object.keys(web)
    .filter((key) => isFor(key, `${host}${pathname}`, search))
    .sort((a, b) => b.length - a.length);
  return first === undefined ? undefined : web[first];
}

function isFor(key: string, place: string, search: string): boolean {
  const [wanted, query] = key.split("?");
  return wanted === place && (query === undefined || `?${query}` === search);
}

/** Means that no test plays it: a status that no rule knows, so that the test fails. */
const UNPLAYED = 599;

/** Makes a response of an answer, of which others may be made later. */
export function say(answer: Answers | undefined, request: Request): Response | Promise<Response> {
  if (answer === undefined)
    return new Response(`No test plays ${request.url}`, { status: UNPLAYED });
  if (typeof answer === "function") return answer(request);
  if (answer instanceof Response) return answer.clone();
  return typeof answer === "number" ? page(`Status ${answer}.`, answer) : page(answer);
}

export const page = (html: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(html, {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", ...headers },
  });

export const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });

export const text = (body: string, status = 200) =>
  new Response(body, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });

export const file = (type: string, status = 200) =>
  new Response("some bytes", { status, headers: { "Content-Type": type } });

export const to = (location: string, status = 302) =>
  new Response(null, { status, headers: { Location: location } });

/** Bot protection as Cloudflare answers it. */
export const challenge = () =>
  page("<title>Just a moment...</title><h1>Checking</h1>", 403, { "cf-mitigated": "challenge" });

/** Connects every tunnel to one port. */
async function startProxy(target: number) {
  const sockets = new Set<Socket>();
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on("error", () => {});
    client.once("data", () => {
      const onward = net.connect(target, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(onward).pipe(client);
      });
      onward.on("error", () => client.destroy());
      client.on("close", () => onward.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
