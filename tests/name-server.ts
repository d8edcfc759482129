import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { decode, encode, streamDecode, streamEncode } from "dns-packet";

/** What a played name server says for a name: records, a code, silence, nonsense, or "ask by TCP". */
export type NameSays =
  | { A?: string[]; AAAA?: string[]; NS?: string[]; CNAME?: string; rcode?: number }
  | "silence"
  | "nonsense"
  | "too long";

export type PlayedNameServer = {
  /** `ip:port`. */
  address: string;
  /** Questions so far. */
  asked: number;
  names: Record<string, NameSays>;
  stop(): void;
};

type Query = { id: number; questions: { type: string; name: string }[] };
type Records = Exclude<NameSays, string>;

const CUT_SHORT = 1 << 9;
const MISSING: Records = { rcode: 3 };

/** A name server on 127.0.0.1, over UDP and TCP on the same port. Names it does not know are missing. */
export async function startNameServer(
  names: Record<string, NameSays>,
  ttl = 60,
): Promise<PlayedNameServer> {
  const udp = createSocket("udp4");
  udp.on("message", (bytes, from) => {
    const query = decode(bytes);
    const says = server.names[query.questions[0]!.name] ?? MISSING;
    server.asked += 1;
    if (says === "silence") return;
    const send = (reply: Uint8Array) => udp.send(reply, from.port, from.address);
    if (says === "nonsense") send(bytes.subarray(0, 7));
    else if (says === "too long") send(encode(replyTo(query, {}, ttl, CUT_SHORT)));
    else send(encode(replyTo(query, says, ttl)));
  });
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes: Buffer) =>
      socket.write(streamEncode(replyTo(streamDecode(bytes), { A: ["8.8.4.4"] }, ttl))),
    );
  });
  // TCP chooses the port, since nearly all that is taken on this machine is taken there.
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as AddressInfo;
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  const stop = () => {
    udp.close();
    tcp.close();
  };
  const server: PlayedNameServer = { address: `127.0.0.1:${port}`, asked: 0, names, stop };
  return server;
}

function replyTo({ id, questions }: Query, says: Records, ttl: number, flags = 0) {
  const { type, name } = questions[0]!;
  const alias = says.CNAME === undefined ? [] : [{ type: "CNAME", name, ttl, data: says.CNAME }];
  const found = says[type as "A" | "AAAA" | "NS"] ?? [];
  return {
    type: "response" as const,
    id,
    flags: flags | (says.rcode ?? 0),
    questions,
    answers: [...alias, ...found.map((data) => ({ type, name, ttl, data }))],
  };
}
