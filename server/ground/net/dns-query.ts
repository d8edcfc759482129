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
import { getDomain } from "tldts";
import { isExhausted } from "../lib/errors.ts";

export type NameServer = { address: string; port: number };

type RecordType = "A" | "AAAA" | "NS";

/** The values of the requested type, and the aliases that lead to them. */
export type DnsAnswer = { rcode: string; values: string[]; aliases: string[]; ttlSeconds: number };

/** Why there is no answer. `internal_error`: this machine has no free sockets. */
export type NoAnswer = "timeout" | "malformed" | "internal_error";

type Reply = Packet | NoAnswer;

/** Queries one server for the records of one type, over UDP and, if truncated, again over TCP. */
async function queryServer(
  server: NameServer,
  name: string,
  type: RecordType,
  timeoutMs: number,
): Promise<DnsAnswer | NoAnswer> {
  const [answer] = await queryTypes(server, name, [type], timeoutMs);
  return answer ?? "timeout";
}

/** Queries one server for the addresses of both families. */
export const queryAddresses = (server: NameServer, name: string, timeoutMs: number) =>
  queryTypes(server, name, ["A", "AAAA"], timeoutMs);

async function queryTypes(
  server: NameServer,
  name: string,
  types: RecordType[],
  timeoutMs: number,
): Promise<(DnsAnswer | NoAnswer)[]> {
  const queries = createQueries(name, types);
  const replies = await askByUdp(server, queries, timeoutMs);
  const answer = async (first: Reply, at: number) => {
    const [query, type] = [queries[at], types[at]];
    if (!query || !type) return "timeout";
    const reply = isTruncated(first) ? await askByTcp(server, query, timeoutMs) : first;
    return typeof reply === "string" ? reply : answerIn(reply, type);
  };
  return Promise.all(replies.map(answer));
}

function answerIn({ rcode = "", answers = [] }: Packet, type: RecordType): DnsAnswer {
  const valuesOf = (wanted: string) =>
    answers.filter((each) => each.type === wanted).map(({ data }) => String(data));
  return {
    rcode,
    values: valuesOf(type),
    aliases: valuesOf("CNAME"),
    ttlSeconds: Math.min(...answers.map((answer) => answer.ttl ?? 0)),
  };
}

const isTruncated = (reply: Reply) => typeof reply === "object" && reply.flag_tc === true;

type Query = Packet & { id: number };

/** Each with another random id. */
function createQueries(name: string, types: RecordType[]): Query[] {
  const [first = 0, offset = 0] = crypto.getRandomValues(new Uint16Array(2));
  const second = (first + 1 + (offset % 0xffff)) & 0xffff;
  return types.map((type, at) => ({
    type: "query",
    id: at === 0 ? first : second,
    flags: RECURSION_DESIRED,
    questions: [{ type, name: name.replace(/\.$/, "") }],
  }));
}

/** Sends the queries from one new socket with a random port, and returns the replies in the same order. */
function askByUdp(server: NameServer, queries: Query[], timeoutMs: number): Promise<Reply[]> {
  const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
  const waiting = new Map(queries.map((query) => [query.id, query]));
  const replies = new Map<number, Reply>();
  return new Promise<Reply[]>((resolve) => {
    const settle = (missing: NoAnswer) => {
      clearTimeout(timer);
      clearTimeout(resend);
      resolve(queries.map(({ id }) => replies.get(id) ?? missing));
    };
    const fail = (error: unknown) => settle(isExhausted(error) ? "internal_error" : "timeout");
    // `socket.send` throws without a network, and nothing would catch that in a callback.
    const send = () => {
      try {
        for (const query of waiting.values()) socket.send(encode(query));
      } catch (error) {
        fail(error);
      }
    };
    const timer = setTimeout(settle, timeoutMs, "timeout");
    const resend = setTimeout(send, timeoutMs / 2);
    socket.on("error", fail);
    socket.on("message", (bytes) => {
      const query = bytes.length >= 2 && waiting.get(bytes.readUInt16BE(0));
      const reply = query ? readReply(bytes, query, decode) : null;
      // An answer to another query may be forged or late: keep waiting for ours.
      if (!query || reply === null) return;
      replies.set(query.id, reply);
      waiting.delete(query.id);
      if (waiting.size === 0) settle("timeout");
    });
    // A connected socket receives datagrams from this server only. The callback also gets failures.
    socket.connect(server.port, server.address, (error?: Error) => (error ? fail(error) : send()));
  }).finally(() => socket.close());
}

function askByTcp(server: NameServer, query: Packet, timeoutMs: number): Promise<Reply> {
  const socket = connect({ host: server.address, port: server.port });
  return new Promise<Reply>((resolve) => {
    const chunks: Buffer[] = [];
    const giveUp = () => resolve("timeout");
    socket.setTimeout(timeoutMs, giveUp);
    socket.on("error", giveUp);
    socket.on("close", giveUp);
    socket.on("connect", () => socket.write(streamEncode(query)));
    socket.on("data", (chunk) => {
      chunks.push(Buffer.from(chunk));
      const all = Buffer.concat(chunks);
      if (isWholeMessage(all)) resolve(readReply(all, query, streamDecode) ?? "timeout");
    });
  }).finally(() => socket.destroy());
}

/** RFC 1035 §4.2.2: a message begins with its length in two octets. */
const isWholeMessage = (bytes: Buffer) =>
  bytes.length >= 2 && bytes.length >= bytes.readUInt16BE(0) + 2;

/** Returns null for an answer to another query. */
function readReply(
  bytes: Uint8Array,
  query: Packet,
  read: (bytes: Uint8Array) => Packet,
): Packet | "malformed" | null {
  try {
    const reply = read(bytes);
    return reply.type === "response" && reply.id === query.id ? reply : null;
  } catch {
    return "malformed";
  }
}

/** The name servers of the domain and the aliases of the host, in lower case without the last dot. */
export type HostNames = { nameServers: string[]; aliases: string[] };

/** Queries the servers in turn, until one of them has an answer. */
export async function queryHostNames(
  servers: NameServer[],
  host: string,
  timeoutMs: number,
): Promise<HostNames | null> {
  const domain = getDomain(host);
  if (!domain) return null;
  const ask = (name: string, type: RecordType) => firstAnswer(servers, name, type, timeoutMs);
  const [served, found] = await Promise.all([ask(domain, "NS"), ask(host, "A")]);
  if (!served && !found) return null;
  return { nameServers: bare(served?.values), aliases: bare(found?.aliases) };
}

async function firstAnswer(
  servers: NameServer[],
  name: string,
  type: RecordType,
  timeoutMs: number,
) {
  for (const server of servers) {
    const answer = await queryServer(server, name, type, timeoutMs);
    if (typeof answer === "object" && answer.rcode === "NOERROR") return answer;
  }
  return null;
}

const bare = (names: string[] = []) => names.map((name) => name.toLowerCase().replace(/\.$/, ""));
