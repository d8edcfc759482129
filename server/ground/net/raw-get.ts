import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import type { Incoming } from "./body.ts";
import { type Head, Malformed, readHead, statusIn } from "./raw-head.ts";

/** A request to one address. */
export type RawRequest = {
  address: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Null over plain http. */
  tls: ConnectionOptions | null;
  /** Gets what the server sends first over TLS, before it is decrypted. */
  onTlsBytes(piece: Uint8Array): void;
};

type RawIncoming = Incoming & { hasConflict: boolean };

const HEAD_BYTES = 64 * 1024;
/** Of the line before a chunk. */
const CHUNK_LINE_BYTES = 16 * 1024;
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * Sends a GET request and reads the response as leniently as browsers and curl: slower than `fetch`, but it sees each
 * header line, and all bytes before the connection broke.
 * @throws Malformed
 */
export async function getRaw(request: RawRequest): Promise<RawIncoming> {
  const socket = open(request);
  const input = createInput(socket);
  socket.write(Buffer.from(textOf(request), "latin1"));
  const head = await headFrom(input);
  const pieces = bodyFrom(input, head.framing);
  return {
    status: head.status,
    headers: head.headers,
    hasConflict: head.hasConflict,
    body: streamOf(pieces, () => socket.destroy()),
  };
}

function textOf({ path, headers }: RawRequest): string {
  const fields = Object.entries({ ...headers, Connection: "close" });
  // Throws for names and values that would break out of their line.
  new Headers(fields);
  return `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

function open({ address, port, tls, signal, onTlsBytes }: RawRequest): Socket {
  const tcp = connect({ host: address, port });
  const socket = tls ? connectSecurely({ ...tls, socket: observed(tcp, onTlsBytes) }) : tcp;
  const stop = () => {
    socket.destroy();
    tcp.destroy();
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return socket;
}

/** The connection, with an observer of what the server sends. */
function observed(tcp: Socket, onBytes: (piece: Uint8Array) => void): Duplex {
  const duplex = new Duplex({
    read() {
      tcp.resume();
    },
    write(piece, _, done) {
      tcp.write(piece, done);
    },
    final(done) {
      tcp.end(done);
    },
    destroy(error, done) {
      tcp.destroy();
      done(error);
    },
  });
  tcp.on("data", (piece: Uint8Array) => {
    onBytes(piece);
    if (!duplex.push(piece)) tcp.pause();
  });
  tcp.on("end", () => duplex.push(null));
  tcp.on("error", (error) => duplex.destroy(error));
  return duplex;
}

type Input = {
  /** Returns what arrives next, or null at the end. @throws if the connection broke */
  next(): Promise<Buffer | null>;
  /** Gives back what was read too far. */
  unread(piece: Buffer): void;
};

/** A stream drops its queued pieces on an error, so they are queued here until they are read. */
function createInput(socket: Socket): Input {
  const waiting: Buffer[] = [];
  let bytes = 0;
  let end: "whole" | Error | null = null;
  let wake = () => {};
  const endAs = (how: "whole" | Error) => {
    end ??= how;
    wake();
  };
  socket.on("data", (piece: Buffer) => {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= MOST_WAITING_BYTES) socket.pause();
    wake();
  });
  socket.on("end", () => endAs("whole"));
  socket.on("error", endAs);
  socket.on("close", () => endAs(reset()));
  return {
    async next() {
      while (waiting.length === 0 && end === null) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const piece = waiting.shift();
      if (piece) {
        bytes -= piece.length;
        if (socket.isPaused()) socket.resume();
        return piece;
      }
      if (end instanceof Error) throw end;
      return null;
    },
    unread(piece) {
      if (piece.length === 0) return;
      waiting.unshift(piece);
      bytes += piece.length;
    },
  };
}

const reset = () => Object.assign(new Error("The connection ended."), { code: "ECONNRESET" });

/** Reads up to the end of the headers, passing over interim responses (RFC 9110 §15.2). */
async function headFrom(input: Input): Promise<Head> {
  for (;;) {
    const head = readHead(await headText(input));
    if (head.status >= 200 || head.status === 101) return head;
  }
}

async function headText(input: Input): Promise<string> {
  let text = "";
  for (;;) {
    const searched = Math.max(0, text.length - 3);
    text += ((await input.next()) ?? broken(text)).toString("latin1");
    // Browsers pass over empty lines before the response (RFC 9112 §2.2).
    if (searched === 0) text = text.replace(/^[\r\n]+/, "");
    if (/^[^\n]*\n/.test(text) && statusIn(text) === null) throw new Malformed(null);
    const end = /\n\r?\n/.exec(text.slice(searched));
    const from = end ? searched + end.index : text.length;
    if (from > HEAD_BYTES) throw new Malformed(statusIn(text), "ResponseHeadersTooLarge");
    if (end) {
      input.unread(Buffer.from(text.slice(from + end[0].length), "latin1"));
      return text.slice(0, from).replace(/\r$/, "");
    }
  }
}

function broken(text: string): never {
  throw text === "" ? reset() : new Malformed(statusIn(text));
}

async function* bodyFrom(input: Input, framing: Head["framing"]): AsyncGenerator<Buffer> {
  if (framing === "chunked") yield* chunksFrom(input);
  else if (framing !== "close") yield* piecesFrom(input, framing);
  else for (let piece = await input.next(); piece; piece = await input.next()) yield piece;
}

/** Trailers are not read. */
async function* chunksFrom(input: Input): AsyncGenerator<Buffer> {
  for (;;) {
    const size = await chunkSize(input);
    if (size === 0) return;
    yield* piecesFrom(input, size);
  }
}

/** Apache 1.3 pads the size with blanks. */
const CHUNK_LINE = /^[ \t]*([\da-f]{1,12})[ \t]*(?:;|$)/i;

async function chunkSize(input: Input): Promise<number> {
  let line = "";
  for (;;) {
    line += ((await input.next()) ?? cut()).toString("latin1");
    // The end of the chunk before.
    line = line.replace(/^\r?\n/, "");
    const end = line.indexOf("\n");
    if (end !== -1) {
      input.unread(Buffer.from(line.slice(end + 1), "latin1"));
      const [, size] = CHUNK_LINE.exec(line.slice(0, end).trimEnd()) ?? [];
      return size === undefined ? cut() : Number.parseInt(size, 16);
    }
    if (line.length > CHUNK_LINE_BYTES) return cut();
  }
}

function cut(): never {
  throw reset();
}

async function* piecesFrom(input: Input, length: number): AsyncGenerator<Buffer> {
  for (let left = length; left > 0; ) {
    const piece = (await input.next()) ?? cut();
    if (piece.length > left) input.unread(piece.subarray(left));
    const wanted = piece.subarray(0, left);
    left -= wanted.length;
    yield wanted;
  }
}

function streamOf(pieces: AsyncGenerator<Buffer>, cancel: () => void) {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
