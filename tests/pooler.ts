import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { closeAtEnd } from "./shared.ts";

type Message = { type: string; body: Buffer };
type Connection = { socket: Socket; messages: AsyncGenerator<Message> };

/** PostgreSQL, "Frontend/Backend Protocol": types of messages, and the status of no transaction. */
const [AUTHENTICATION, ERROR, PASSWORD, QUERY, READY] = ["R", "E", "p", "Q", "Z"] as const;
const IDLE = "I";
const PROTOCOL = 196_608;

/**
 * Plays a connection pooler before the database of the URL, as PgBouncer in transaction mode: each transaction of
 * simple queries gets the session that was free last.
 * @param refused startup parameters that end the connection; PgBouncer refuses all that it does not know
 * @returns its URL
 */
export async function startPooler(url: string, refused: string[] = []): Promise<string> {
  const free: Connection[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on("error", () => {}));
    return socket;
  };
  const server = createServer((socket) => void serve(keep(socket)));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closeAtEnd(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  async function serve(client: Socket) {
    const messages = messagesOf(client, "startup");
    const parameters = (await next(messages)).body.toString().split("\0");
    const unknown = refused.find((name) => parameters.includes(name));
    if (unknown) {
      client.end(toBytes(ERROR, `SFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`));
      return;
    }
    client.write(toBytes(AUTHENTICATION, "\0\0\0\0"));
    client.write(toBytes(READY, IDLE));
    let held: Connection | null = null;
    for await (const { type, body } of messages) {
      if (type !== QUERY) continue;
      held ??= free.pop() ?? (await connectTo(url, keep));
      held.socket.write(toBytes(type, body));
      const isIdle = await pass(held, client);
      if (!isIdle) continue;
      free.push(held);
      held = null;
    }
  }

  const { port } = server.address() as AddressInfo;
  return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
}

/** Passes on one answer. Returns whether no transaction is open after it. */
async function pass({ messages }: Connection, client: Socket): Promise<boolean> {
  for (;;) {
    const { type, body } = await next(messages);
    client.write(toBytes(type, body));
    if (type === READY) return body.toString() === IDLE;
  }
}

/** Signs in with the password of the URL, which the server of the tests takes as it is. */
async function connectTo(url: string, keep: (socket: Socket) => Socket): Promise<Connection> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const socket = keep(connect(Number(port), hostname));
  const messages = messagesOf(socket);
  const version = Buffer.alloc(4);
  version.writeInt32BE(PROTOCOL);
  const parameters = `user\0${username}\0database\0${pathname.slice(1)}\0\0`;
  socket.write(toBytes("", Buffer.concat([version, Buffer.from(parameters)])));
  socket.write(toBytes(PASSWORD, `${password}\0`));
  while ((await next(messages)).type !== READY);
  return { socket, messages };
}

/** @param first whether the first message has no type, as that of a client */
async function* messagesOf(socket: Socket, first?: "startup"): AsyncGenerator<Message> {
  let typeBytes = first ? 0 : 1;
  let waiting = Buffer.alloc(0);
  for await (const chunk of socket) {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= typeBytes + 4) {
      const end = typeBytes + waiting.readInt32BE(typeBytes);
      if (waiting.length < end) break;
      const type = waiting.toString("latin1", 0, typeBytes);
      const body = Buffer.from(waiting.subarray(typeBytes + 4, end));
      waiting = waiting.subarray(end);
      typeBytes = 1;
      yield { type, body };
    }
  }
}

async function next(messages: AsyncGenerator<Message>): Promise<Message> {
  const { value, done } = await messages.next();
  if (done) throw new Error("The connection was closed.");
  return value;
}

function toBytes(type: string, body: string | Buffer): Buffer {
  const content = Buffer.from(body as string);
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}
