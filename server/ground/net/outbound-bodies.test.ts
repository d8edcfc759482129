import { afterEach, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { eachRow } from "../../../tests/each-row.ts";
import { labOutbound } from "../../../tests/outbound/lab.ts";
import { replies, repliesAndHolds, startRawSite, startSite } from "../../../tests/site.ts";
import { unpackInto } from "./body.ts";
import type { Exchange, RequestInput } from "./exchange.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

/** Long and varied enough for several blocks in every coding. */
const TEXT = Buffer.from(
  Array.from({ length: 12_000 }, (_, i) => `<p>Item ${i} costs ${(i * 7919) % 10_007} coins.</p>`)
    .join("\n")
    .slice(0, 400_000),
);
const MIB = 1024 * 1024;
const zeros = (length: number) => Buffer.alloc(length);

type Pack = (bytes: Uint8Array) => Uint8Array;

/** The usual quality takes half a second for a text. */
const brotli: Pack = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

const stack =
  (...packs: Pack[]): Pack =>
  (bytes) =>
    packs.reduce((inner, pack) => pack(inner), bytes);

const CODINGS: [header: string, pack: Pack][] = [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotli],
  ["zstd", zstdCompressSync],
];

const headOf = (coding: string, length: number) =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${length}\r\n\r\n`;

const message = (coding: string, body: Uint8Array, length = body.length) =>
  Buffer.concat([Buffer.from(headOf(coding, length)), body]);

type Answered = Exchange & { kind: "response" };

/** Asks a site that does this with each connection. */
async function ask(onConnection: (socket: Socket) => void, input: Partial<RequestInput> = {}) {
  const site = await startRawSite(onConnection);
  running.push(site);
  const usual = { timeoutMs: 5000, bodyCap: MIB };
  return (await labOutbound().request(site.url, { ...usual, ...input })) as Answered;
}

const read = (coding: string, body: Uint8Array, input?: Partial<RequestInput>) =>
  ask(replies(message(coding, body)), input);

describe("a packed body", () => {
  eachRow<[string, Pack]>([
    ...CODINGS,
    ["GZIP", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateRawSync],
    ["identity", (bytes) => bytes],
    ["", (bytes) => bytes],
    ["identity, gzip", gzipSync],
    ["gzip, br", stack(gzipSync, brotli)],
    ["br, gzip", stack(brotli, gzipSync)],
    ["gzip, zstd", stack(gzipSync, zstdCompressSync)],
    ["deflate,zstd,  gzip", stack(deflateRawSync, zstdCompressSync, gzipSync)],
    ["gzip", (bytes) => Buffer.concat([gzipSync(bytes), zeros(64)])],
    ["br", (bytes) => Buffer.concat([brotli(bytes), Buffer.from("<!-- -->")])],
  ])("comes out as it went in", async (coding, pack) => {
    const exchange = await read(coding, pack(TEXT));

    expect(exchange).toMatchObject({ truncated: false, bodyProblem: null });
    expect(exchange.bodyBytes).toBe(TEXT.length);
    expect(TEXT.equals(exchange.body)).toBe(true);
  });

  test("may come in several parts, one after the other", async () => {
    const exchange = await read("gzip", Buffer.concat([gzipSync("one "), gzipSync("two")]));

    expect(Buffer.from(exchange.body).toString()).toBe("one two");
  });

  test("may be large and twice packed", async () => {
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const large = Buffer.concat(Array.from({ length: 20 }, () => noise));

    const exchange = await read("gzip, zstd", stack(gzipSync, zstdCompressSync)(large), {
      bodyCap: 2 * MIB,
    });

    expect(exchange).toMatchObject({ bodyBytes: large.length, bodyProblem: null });
    expect(large.equals(exchange.body)).toBe(true);
  });

  test("waits where the next stage is not ready for more", async () => {
    const isReady = Promise.withResolvers<void>();
    const hadOne = Promise.withResolvers<void>();
    let taken = 0;
    const write = async (piece: Uint8Array) => {
      taken += piece.length;
      hadOne.resolve();
      await isReady.promise;
    };
    const stage = unpackInto({ write, end() {}, stop() {} }, "gzip", 1024);

    const written = stage.write(gzipSync(TEXT));
    await hadOne.promise;
    // Whatever the decoder may still have to say comes before this file does.
    await readFile(import.meta.path);
    const takenWhileBusy = taken;
    isReady.resolve();
    await written;
    await stage.end();

    expect(takenWhileBusy).toBeLessThan(TEXT.length / 2);
    expect(taken).toBe(TEXT.length);
  });

  eachRow(CODINGS)("may come byte by byte, and with nothing between", async (coding, pack) => {
    const pieces: Uint8Array[] = [];
    const sink = { write: (piece: Uint8Array) => void pieces.push(piece), end() {}, stop() {} };
    const stage = unpackInto(sink, coding, MIB);

    await stage.write(new Uint8Array());
    for (const byte of pack(TEXT.subarray(0, 3000))) await stage.write(Uint8Array.of(byte));
    await stage.write(new Uint8Array());
    await stage.end();

    expect(Buffer.concat(pieces).toString()).toBe(TEXT.subarray(0, 3000).toString());
  });

  eachRow(["gzip", "deflate", "br", "zstd", "gzip, br", "x-mine", "a, b, c, d"])(
    "may be empty",
    async (coding) => {
      expect(await read(coding, zeros(0))).toMatchObject({
        bodyBytes: 0,
        truncated: false,
        bodyProblem: null,
      });
    },
  );
});

describe("a body that cannot be unpacked", () => {
  const page = Buffer.from("<!doctype html><title>Not packed at all</title>");

  eachRow([
    ["gzip", page],
    ["deflate", page],
    ["br", Buffer.from("hello hello")],
    ["zstd", page],
    ["gzip, br", gzipSync(TEXT)],
    ["br, gzip", gzipSync(page)],
    ["compress", page],
    ["gzip, compress", page],
    ["gzip, gzip, gzip, gzip", stack(gzipSync, gzipSync, gzipSync, gzipSync)(page)],
  ])("is known for it, whatever it is called", async (coding, body) => {
    expect(await read(coding, body)).toMatchObject({
      status: 200,
      truncated: true,
      bodyProblem: "body_undecodable",
    });
  });

  test("keeps what came out before", async () => {
    const packed = gzipSync(TEXT);
    packed.fill(0xff, packed.length - 4000, packed.length - 3000);

    const exchange = await read("gzip", packed);

    expect(exchange.bodyProblem).toBe("body_undecodable");
    expect(exchange.bodyBytes).toBeGreaterThan(100_000);
    expect(TEXT.subarray(0, 100_000).equals(exchange.body.subarray(0, 100_000))).toBe(true);
  });

  test("may not ask for more memory than browsers give", async () => {
    // A frame header that asks for a window of 128 MiB (RFC 8878 §3.1.1.1.2), and an empty block.
    const greedy = Buffer.from("28b52ffd0088010000", "hex");

    expect((await read("zstd", greedy)).bodyProblem).toBe("body_undecodable");
  });

  test("leaves no trace on the standard error output", async () => {
    const site = await startRawSite(replies(message("gzip", page)));
    running.push(site);
    const script = `
      import { labOutbound } from "./tests/outbound/lab.ts";
      const input = { timeoutMs: 5000, bodyCap: 1024 };
      console.log((await labOutbound().request("${site.url}", input)).bodyProblem);`;

    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });

    expect(await new Response(child.stdout).text()).toBe("body_undecodable\n");
    expect(await new Response(child.stderr).text()).toBe("");
  });
});

describe("a body that was cut", () => {
  eachRow(CODINGS)("inside what is packed is incomplete", async (coding, pack) => {
    const packed = pack(TEXT);

    const exchange = await read(coding, packed.subarray(0, packed.length * 0.8));

    expect(exchange).toMatchObject({ truncated: true, bodyProblem: "body_incomplete" });
    expect(exchange.bodyBytes).toBeGreaterThan(10_000);
    expect(TEXT.subarray(0, exchange.bodyBytes).equals(exchange.body)).toBe(true);
  });

  eachRow(CODINGS)("of its last byte is incomplete, however it is packed", async (coding, pack) => {
    const exchange = await read(coding, pack(TEXT).subarray(0, -1));

    expect(exchange.bodyProblem).toBe("body_incomplete");
  });

  test("inside both of two codings is incomplete", async () => {
    const packed = stack(gzipSync, zstdCompressSync)(TEXT);

    const exchange = await read("gzip, zstd", packed.subarray(0, -20));

    expect(exchange.bodyProblem).toBe("body_incomplete");
  });

  eachRow([
    ["gzip", gzipSync],
    ["br", brotli],
  ] as const)("while short keeps what came", async (coding, pack) => {
    const packed = pack(TEXT.subarray(0, 20_000));
    const half = packed.subarray(0, packed.length / 2);

    const exchange = await ask(replies(message(coding, half, packed.length)));

    expect(exchange).toMatchObject({ truncated: true, bodyProblem: "body_incomplete" });
    expect(exchange.bodyBytes).toBeGreaterThan(1024);
    expect(TEXT.subarray(0, exchange.bodyBytes).equals(exchange.body)).toBe(true);
  });

  eachRow(CODINGS)("by the network keeps what came", async (coding, pack) => {
    // Longer than what is held back until the end.
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const packed = pack(Buffer.concat([TEXT, noise, noise, TEXT]));
    const part = message(coding, packed.subarray(0, packed.length * 0.8), packed.length);
    const came = Promise.withResolvers<void>();

    const exchange = await ask(
      (socket) => {
        socket.once("data", () => socket.write(part));
        void came.promise.then(() => socket.resetAndDestroy());
      },
      { onBody: () => came.resolve() },
    );

    expect(exchange).toMatchObject({ truncated: true, bodyProblem: "body_incomplete" });
    expect(exchange.bodyBytes).toBeGreaterThan(1024);
  });

  const HTML = `<!doctype html><title>A story</title>${"<p>word</p>".repeat(300)}`;
  const head = (fields: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${fields}\r\n\r\n`;
  const chunk = (text: string, length = text.length) => `${length.toString(16)}\r\n${text}`;
  const endsWith = (text: string | Uint8Array) => replies(text);
  const CUT: [story: string, sent: string | Uint8Array, bytes: number][] = [
    ["of a promised length", head("Content-Length: 9000") + HTML, HTML.length],
    ["of a promised length of a megabyte", head("Content-Length: 1048576") + HTML, HTML.length],
    ["of chunks", `${head("Transfer-Encoding: chunked")}${chunk(HTML)}\r\n`, HTML.length],
    [
      "inside a chunk",
      head("Transfer-Encoding: chunked") + chunk(HTML, HTML.length + 1000),
      HTML.length,
    ],
    ["of a hundred bytes", head("Content-Length: 9000") + HTML.slice(0, 100), 100],
    ["of nothing", head("Content-Length: 9000"), 0],
  ];
  eachRow(CUT)(
    "together with the end of the connection keeps all that came",
    async (_, sent, bytes) => {
      const seen = await Promise.all(Array.from({ length: 10 }, () => ask(endsWith(sent))));

      for (const exchange of seen) {
        expect(exchange).toMatchObject({
          status: 200,
          truncated: true,
          bodyProblem: "body_incomplete",
        });
        expect(exchange.bodyBytes).toBe(bytes);
        expect(HTML.startsWith(Buffer.from(exchange.body).toString())).toBe(true);
      }
    },
  );

  test("together with the end of the connection, over TLS and packed, keeps what came", async () => {
    const packed = gzipSync(TEXT);
    const site = await startRawSite(
      endsWith(message("gzip", packed.subarray(0, packed.length * 0.8), packed.length)),
      { certificate: "good" },
    );
    running.push(site);
    const url = `https://site.test:${site.port}/`;

    const exchange = (await labOutbound().request(url, {
      timeoutMs: 5000,
      bodyCap: MIB,
    })) as Answered;

    expect(exchange).toMatchObject({ truncated: true, bodyProblem: "body_incomplete" });
    expect(exchange.bodyBytes).toBeGreaterThan(10_000);
    expect(exchange.tlsExpiresAt).toBeGreaterThan(0);
  });

  eachRow<[story: string, sent: string, input: Partial<RequestInput>]>([
    ["that came whole", `${head("Content-Length: 5")}hello`, {}],
    ["that ends with the connection", head("X: 1") + HTML, {}],
    ["after an error", "HTTP/1.1 404 Not Found\r\nContent-Length: 9000\r\n\r\nhello", {}],
    ["that was posted", head("Content-Length: 9000") + HTML, { method: "POST", body: "a" }],
    [
      "of a redirect",
      "HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 9\r\n\r\nhello",
      { bodyCap: 0 },
    ],
  ])("is not asked for again, nor is one that came whole", async (_, sent, input) => {
    const site = await startRawSite(replies(sent));
    running.push(site);

    await labOutbound().request(site.url, { timeoutMs: 5000, bodyCap: MIB, ...input });

    expect(site.connections).toBe(1);
  });

  test("by time keeps what came", async () => {
    const packed = gzipSync(TEXT);
    const part = message("gzip", packed.subarray(0, packed.length * 0.8), packed.length);

    const exchange = await ask(repliesAndHolds(part), { timeoutMs: 300 });

    expect(exchange).toMatchObject({ truncated: true, bodyProblem: "read_timeout" });
    expect(exchange.bodyBytes).toBeGreaterThan(100_000);
  });
});

describe("the cap", () => {
  eachRow(CODINGS)("counts what is unpacked", async (coding, pack) => {
    expect(await read(coding, pack(TEXT), { bodyCap: 300_000 })).toMatchObject({
      bodyBytes: 300_000,
      truncated: true,
      bodyProblem: null,
    });
  });

  test("does not truncate when the body ends there", async () => {
    expect(await read("gzip", gzipSync(TEXT), { bodyCap: TEXT.length })).toMatchObject({
      bodyBytes: TEXT.length,
      truncated: false,
    });
  });
});

describe("a bomb", () => {
  eachRow<[string, Uint8Array]>([
    ["gzip", gzipSync(zeros(50 * MIB))],
    ["deflate", deflateRawSync(zeros(50 * MIB))],
    ["br", brotli(zeros(50 * MIB))],
    ["zstd", zstdCompressSync(zeros(50 * MIB))],
    ["gzip, gzip", stack(gzipSync, gzipSync)(zeros(50 * MIB))],
    ["br, gzip", stack(brotli, gzipSync)(zeros(50 * MIB))],
  ])("is put away soon after 256 KiB", async (coding, bomb) => {
    const exchange = await read(coding, bomb, { bodyCap: 10 * MIB });

    expect(exchange).toMatchObject({ status: 200, truncated: true, bodyProblem: null });
    expect(exchange.bodyBytes).toBeLessThan(MIB);
  });

  eachRow([
    ["short", zeros(256 * 1024)],
    ["long, but 150 times its packed size and no more", Buffer.concat(rowsOf150())],
  ])("is not a page that is merely repetitive", async (_, page) => {
    expect(await read("gzip", gzipSync(page))).toMatchObject({
      bodyBytes: page.length,
      truncated: false,
      bodyProblem: null,
    });
  });

  test("that unpacks to nothing for ever is put away too", async () => {
    const nothing = Buffer.concat(Array.from({ length: 2000 }, () => gzipSync("")));
    const closed = Promise.withResolvers<void>();

    const exchange = await ask((socket) => {
      socket.on("close", () => closed.resolve());
      socket.once("data", () => {
        const send = () => void (socket.write(nothing) && setImmediate(send));
        socket.on("drain", send);
        socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
        send();
      });
    });

    expect(exchange).toMatchObject({ bodyBytes: 0, truncated: true, bodyProblem: null });
    await closed.promise;
  });
});

/** Lines of noise between long runs, so that packing makes them between 100 and 200 times shorter. */
function rowsOf150(): Buffer[] {
  return Array.from({ length: 400 }, (_, i) =>
    Buffer.from(Bun.hash(String(i)).toString(36).padEnd(2000)),
  );
}

describe("a reader that takes a body piece by piece", () => {
  const collect = () => {
    const pieces: Uint8Array[] = [];
    return { pieces, onBody: (piece: Uint8Array) => void pieces.push(piece.slice()) };
  };

  eachRow<[string, Pack]>([["identity", (bytes) => bytes], ...CODINGS])(
    "gets all of it in order, in small pieces, and nothing is kept",
    async (coding, pack) => {
      const { pieces, onBody } = collect();

      const exchange = await read(coding, pack(TEXT), { onBody });

      expect(Buffer.concat(pieces).equals(TEXT)).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
      expect(exchange).toMatchObject({ bodyBytes: TEXT.length, truncated: false });
      expect(exchange.body).toHaveLength(0);
    },
  );

  eachRow<[string, Pack]>([["identity", (bytes) => bytes], ...CODINGS])(
    "lets it wait as long as it likes",
    async (coding, pack) => {
      const { pieces, onBody } = collect();
      let isBusy = false;
      const slowly = async (piece: Uint8Array) => {
        expect(isBusy).toBe(false);
        isBusy = true;
        onBody(piece);
        await new Promise(setImmediate);
        isBusy = false;
      };

      await read(coding, pack(TEXT), { onBody: slowly });

      expect(Buffer.concat(pieces).equals(TEXT)).toBe(true);
    },
  );

  test("and never comes back, does not keep the request", async () => {
    const stop = new AbortController();
    const onBody = () => {
      setImmediate(() => stop.abort());
      return new Promise<void>(() => {});
    };

    expect(await read("gzip", gzipSync(TEXT), { onBody, signal: stop.signal })).toMatchObject({
      reason: "aborted",
    } as never);
  });

  test("gets no more than the cap", async () => {
    const { pieces, onBody } = collect();

    await read("br", brotli(TEXT), { onBody, bodyCap: 100_001 });

    expect(Buffer.concat(pieces)).toHaveLength(100_001);
  });

  eachRow<[string, Pack]>([
    ["identity", (bytes) => bytes],
    ["gzip", gzipSync],
    ["gzip, br", stack(gzipSync, brotli)],
  ])("and fails at it, is not taken for the site", async (coding, pack) => {
    const onBody = () => {
      throw new TypeError("ours");
    };

    expect(await read(coding, pack(TEXT), { onBody })).toMatchObject({
      kind: "failed",
      reason: "internal_error",
    } as never);
  });
});

eachRow([
  ["plain", null],
  ["packed", gzipSync(zeros(8 * MIB))],
])("and has enough ends the connection", async (_, packed) => {
  const closed = Promise.withResolvers<void>();

  const exchange = await ask(
    (socket) => {
      socket.on("close", () => closed.resolve());
      socket.once("data", () => {
        const coding = packed ? "Content-Encoding: gzip\r\n" : "";
        socket.write(`HTTP/1.1 200 OK\r\n${coding}Content-Length: 99999999\r\n\r\n`);
        socket.write(packed ?? zeros(100_000));
      });
    },
    { bodyCap: 1000 },
  );

  expect(exchange).toMatchObject({ bodyBytes: 1000, truncated: true, bodyProblem: null });
  await closed.promise;
});

test("a body of a gigabyte is let go once it is enough", async () => {
  const sent = Promise.withResolvers<number>();
  const piece = zeros(MIB);

  await ask(
    (socket) => {
      const flood = () => {
        while (socket.bytesWritten < 1024 * MIB && socket.write(piece));
      };
      socket.on("error", () => {});
      socket.on("close", () => sent.resolve(socket.bytesWritten));
      socket.on("drain", flood);
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 * MIB}\r\n\r\n`);
        flood();
      });
    },
    { bodyCap: 2 * MIB },
  );

  // The system takes in some megabytes that no one asked it for.
  expect(await sent.promise).toBeLessThan(64 * MIB);
});

test("a site that packs on its own accord is understood without being asked", async () => {
  const packed = gzipSync("hello");
  const site = startSite({
    "/": () => new Response(packed, { headers: { "Content-Encoding": "gzip" } }),
  });
  running.push(site);

  const exchange = await labOutbound().request(site.url, { timeoutMs: 5000, bodyCap: 100 });

  expect(exchange.kind === "response" && Buffer.from(exchange.body).toString()).toBe("hello");
});
