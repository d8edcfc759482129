import { connect } from "node:net";

/** `SSLRequest` of the protocol (PostgreSQL 18, 54.7 "Message Formats"): every server answers one byte to it. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const DEFAULT_PORT = 5432;
const LONGEST_MS = 4000;

/**
 * Whether a new connection is accepted and closed without a byte: a proxy then stands before a server that is gone.
 * The driver retries such a connection for as long as one may take. False for sockets of the file system and for several
 * hosts, which are not asked, and if nothing happens within four seconds.
 */
export async function isTurnedAway(databaseUrl: string): Promise<boolean> {
  const address = addressIn(databaseUrl);
  // A single closed connection may be an accident.
  return address !== null && (await closesAtOnce(address)) && (await closesAtOnce(address));
}

type Address = { host: string; port: number };

function addressIn(databaseUrl: string): Address | null {
  if (!URL.canParse(databaseUrl)) return null;
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const isElsewhere = ["host", "hostaddr", "path"].some((name) => searchParams.has(name));
  if (hostname === "" || isElsewhere || /,|%2[cf]/i.test(hostname)) return null;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || DEFAULT_PORT };
}

function closesAtOnce(address: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isAccepted = false;
  const socket = connect(address, () => {
    isAccepted = true;
    socket.write(SSL_REQUEST);
  });
  socket.unref();
  const timer = setTimeout(() => resolve(false), LONGEST_MS);
  timer.unref();
  socket.on("data", () => resolve(false));
  socket.on("error", () => {});
  socket.on("close", () => resolve(isAccepted));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
