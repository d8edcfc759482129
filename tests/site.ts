import { readFileSync } from "node:fs";
import net, { type AddressInfo, type Socket } from "node:net";
import tls from "node:tls";

/** `nameless` is its own authority, and names its host as common name only. */
export type Certificate = "good" | "other" | "expired" | "early" | "self" | "nameless";

/** What the site says to a request: a status, a page, or whatever a function makes of it. */
export type Says = number | string | ((request: Request) => Response | Promise<Response>);

/** A list is said in turn, its last entry for ever. */
export type Routes = Record<string, Says | Says[]>;

type SeenRequest = { method: string; url: string; headers: Headers; body: string };

export type Site = {
  port: number;
  /** Where the site is, with `127.0.0.1` as its host. */
  url: string;
  /** Every request that came, oldest first. */
  requests: SeenRequest[];
  stop(): Promise<void>;
};

type RawSite = { port: number; url: string; connections: number; stop(): Promise<void> };

const read = (file: string) => readFileSync(new URL(`./certs/${file}`, import.meta.url), "utf8");

/** The authority that signed all certificates but `self` and `nameless`. */
export const TEST_CA = read("ca.pem");
export const NAMELESS_CA = read("nameless.pem");

const pair = (name: Certificate) => ({ cert: read(`${name}.pem`), key: read(`${name}.key`) });

/** A web site that answers as given. Paths it does not know are 404, or as `otherwise` says. */
export function startSite(
  routes: Routes,
  { certificate, otherwise = 404 }: { certificate?: Certificate; otherwise?: Says } = {},
): Site {
  const requests: SeenRequest[] = [];
  const visits = new Map<string, number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(certificate && { tls: pair(certificate) }),
    async fetch(request) {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: await request.clone().text() });
      const { pathname } = new URL(request.url);
      const visit = visits.get(pathname) ?? 0;
      visits.set(pathname, visit + 1);
      return say(pick(routes[pathname] ?? otherwise, visit), request);
    },
  });
  const port = server.port ?? 0;
  const url = `${certificate ? "https" : "http"}://127.0.0.1:${port}`;
  return { port, url, requests, stop: () => server.stop(true) };
}

/** A server below HTTP: handles each connection as given. */
export async function startRawSite(
  onConnection: (socket: Socket) => void,
  options: { certificate?: Certificate; host?: string } & tls.TlsOptions = {},
): Promise<RawSite> {
  const { certificate, host = "127.0.0.1", ...rest } = options;
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    site.connections += 1;
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  };
  const server = certificate
    ? tls.createServer({ ...pair(certificate), ...rest }, accept)
    : net.createServer(accept);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const site: RawSite = {
    port,
    url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`,
    connections: 0,
    stop,
  };
  return site;
}

/** Waits for the request, sends the text as it is, and hangs up. */
export const replies = (text: string | Uint8Array) => (socket: Socket) => {
  socket.once("data", () => socket.end(text));
};

/** Sends the text after the request and keeps the connection open. */
export const repliesAndHolds = (text: string | Uint8Array) => (socket: Socket) => {
  socket.once("data", () => socket.write(text));
};

/** Speaks first, as mail and shell servers do. */
export const greets = (text: string) => (socket: Socket) => {
  socket.write(text);
};

/** Breaks the connection with a reset once the request is there. */
export const resets = (socket: Socket) => {
  socket.once("data", () => socket.resetAndDestroy());
};

export const staysSilent = () => {};

const pick = (says: Says | Says[], visit: number): Says =>
  Array.isArray(says) ? (says[Math.min(visit, says.length - 1)] ?? 404) : says;

function say(says: Says, request: Request): Response | Promise<Response> {
  if (typeof says === "function") return says(request);
  if (typeof says === "string")
    return new Response(says, { headers: { "Content-Type": "text/html" } });
  return new Response(says === 204 || says === 205 || says === 304 ? null : "A page.", {
    status: says,
    headers: { "Content-Type": "text/html" },
  });
}
