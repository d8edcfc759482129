import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import {
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
  streamDecode,
  streamEncode,
} from "dns-packet";

/** A name server: address and port. */
export type NameServer = { address: string; port: number };

export type DnsAnswer = { rcode: string; addresses: string[]; ttlSeconds: number };

/** `null` when the server said nothing in time, `"malformed"` when what it said makes no sense. */
type Reply = Packet | "malformed" | null;

/** Asks one server for the addresses of one family, over UDP and, when cut short, again over TCP. */
export async function queryServer(
  server: NameServer,
  name: string,
  type: "A" | "AAAA",
  timeoutMs: number,
): Promise<DnsAnswer | "malformed" | null> {
  const query = createQuery(name, type);
  const first = await askByUdp(server, query, timeoutMs);
  const reply = isCutShort(first) ? await askByTcp(server, query, timeoutMs) : first;
  if (reply === null || reply === "malformed") return reply;
  const matching = (reply.answers ?? []).filter((answer) => answer.type === type);
  return {
    rcode: reply.rcode ?? "",
    addresses: matching.map((answer) => String(answer.data)),
    ttlSeconds: Math.min(...(reply.answers ?? []).map((answer) => answer.ttl ?? 0)),
  };
}

const isCutShort = (reply: Reply) =>
  reply !== null && reply !== "malformed" && reply.flag_tc === true;

const createQuery = (name: string, type: string): Packet => ({
  type: "query",
  id: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0,
  flags: RECURSION_DESIRED,
  questions: [{ type, name: name.replace(/\.$/, "") }],
});

function askByUdp(server: NameServer, query: Packet, timeoutMs: number): Promise<Reply> {
  const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
  return new Promise<Reply>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, null);
    const resend = setTimeout(() => socket.send(encode(query)), timeoutMs / 2);
    const settle = (reply: Reply) => {
      clearTimeout(timer);
      clearTimeout(resend);
      resolve(reply);
    };
    socket.on("error", () => settle(null));
    socket.on("message", (bytes) => {
      const reply = readReply(bytes, query, decode);
      // An answer to something else may be forged or late: keep listening for ours.
      if (reply !== null) settle(reply);
    });
    // A connected socket takes datagrams from this server only.
    socket.connect(server.port, server.address, () => socket.send(encode(query)));
  }).finally(() => socket.close());
}

function askByTcp(server: NameServer, query: Packet, timeoutMs: number): Promise<Reply> {
  const socket = connect({ host: server.address, port: server.port });
  return new Promise<Reply>((resolve) => {
    const chunks: Buffer[] = [];
    socket.setTimeout(timeoutMs, () => resolve(null));
    socket.on("error", () => resolve(null));
    socket.on("close", () => resolve(null));
    socket.on("connect", () => socket.write(streamEncode(query)));
    socket.on("data", (chunk) => {
      chunks.push(Buffer.from(chunk));
      const all = Buffer.concat(chunks);
      if (isWholeMessage(all)) resolve(readReply(all, query, streamDecode));
    });
  }).finally(() => socket.destroy());
}

/** RFC 1035 §4.2.2: two octets of length come first. */
const isWholeMessage = (bytes: Buffer) =>
  bytes.length >= 2 && bytes.length >= bytes.readUInt16BE(0) + 2;

function readReply(bytes: Uint8Array, query: Packet, read: (bytes: Uint8Array) => Packet): Reply {
  try {
    const reply = read(bytes);
    return reply.type === "response" && reply.id === query.id ? reply : null;
  } catch {
    return "malformed";
  }
}
