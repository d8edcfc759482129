import { afterEach, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { labOutbound } from "../../tests/outbound/lab.ts";
import { makeNews, startRawReceiver, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { readConfig } from "../ground/config/config.ts";
import { webhooks } from "../ground/db/tables.ts";
import type { RequestInput } from "../ground/net/exchange.ts";

/** For a receiver that never gets as far as its status. */
const SHORT_MS = 300;
/** For one that does, also on a machine with much else to do. */
const LONG_MS = 3000;
/** Timers may come a little early. */
const EARLY_MS = 10;
const KEPT_BYTES = 16 * 1024;
const DRIP_MS = 20;
const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/** Writes piece after piece for as long as the connection is open. */
function drips(socket: Socket, piece: string) {
  const timer = setInterval(() => socket.write(piece), DRIP_MS);
  socket.on("close", () => clearInterval(timer));
}

/** Writes as fast as it is taken, without end; `onGone` is called when no one takes it any more. */
function floods(socket: Socket, onGone: () => void) {
  const piece = Buffer.alloc(65_536, "x");
  const send = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", send);
  socket.on("close", onGone);
  send();
}

const onRequest = (answer: (socket: Socket) => void) => (socket: Socket) => {
  socket.once("data", () => answer(socket));
};

/** Delivers one event there, and gives the log's entry. */
async function deliverTo(server: TestServer, url: string, timeoutMs?: number): Promise<Parsed> {
  const me = await server.account();
  const { path } = await subscribe(me, url);
  await makeNews(me);
  // On the clock of the machine, by which durations are measured.
  const { config } = server.deps;
  const deps = {
    ...server.deps,
    config: timeoutMs ? { ...config, webhookTimeoutMs: timeoutMs } : config,
    webhookOutbound: labOutbound(),
  };
  await deliverDue(deps, { random: () => 0.5 });
  const [{ id }] = (await me.get(`${path}/deliveries`)).body.data.items;
  return (await me.get(`${path}/deliveries/${id}`)).body.data;
}

onServer("a receiver that behaves badly", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("and never answers is given up after its time, and left alone for a minute", async () => {
    const { url } = startReceiver(() => new Promise<Response>(() => {}));

    const delivery = await deliverTo(server(), url, SHORT_MS);

    expect(delivery).toMatchObject({
      status: "failed",
      last_attempt: { status_code: 0, error_code: "timeout", response_body: null },
    });
    expect(delivery.last_attempt.duration_ms).toBeGreaterThanOrEqual(SHORT_MS - EARLY_MS);
    expect(Date.parse(delivery.next_attempt_at) - server().clock.now()).toBe(60_000);
  });

  test("and lets its head drip is given up after its time", async () => {
    const url = await startRawReceiver(
      onRequest((socket) => {
        socket.write(HEAD);
        drips(socket, "X-A: b\r\n");
      }),
    );

    const { last_attempt: attempt } = await deliverTo(server(), url, SHORT_MS);

    expect(attempt).toMatchObject({ status_code: 0, error_code: "timeout" });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(SHORT_MS - EARLY_MS);
  });

  test("and lets its body drip is cut after its time, and its status counts", async () => {
    const url = await startRawReceiver(
      onRequest((socket) => {
        socket.write(`${HEAD}\r\n`);
        drips(socket, "x");
      }),
    );

    const { status, last_attempt: attempt } = await deliverTo(server(), url, LONG_MS);

    expect(status).toBe("succeeded");
    expect(attempt).toMatchObject({ status_code: 200, response_truncated: true });
    expect(attempt.response_body).toMatch(/^x+$/);
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(LONG_MS - EARLY_MS);
  });

  test("and never ends its body is cut at once, its status counts, and it is let go", async () => {
    const gone = Promise.withResolvers<void>();
    const url = await startRawReceiver(
      onRequest((socket) => {
        socket.write(`${HEAD}\r\n`);
        floods(socket, gone.resolve);
      }),
    );

    const { status, last_attempt: attempt } = await deliverTo(server(), url);
    await gone.promise;

    expect(status).toBe("succeeded");
    expect(attempt).toMatchObject({ status_code: 200, response_truncated: true });
    expect(attempt.response_body).toBe("x".repeat(KEPT_BYTES));
  });

  test("and sends a little that unpacks to much is cut at 16 KiB of that", async () => {
    const packed = gzipSync(Buffer.alloc(50 << 20, "x"));
    const headers = { "content-encoding": "gzip" };

    const { status, last_attempt: attempt } = await deliverTo(
      server(),
      startReceiver(() => new Response(packed, { headers })).url,
    );

    expect(status).toBe("succeeded");
    expect(attempt.response_truncated).toBe(true);
    expect(attempt.response_body).toBe("x".repeat(KEPT_BYTES));
  });

  test("and says that it packed what it did not keeps its status", async () => {
    const headers = { "content-encoding": "gzip" };

    const { status, last_attempt: attempt } = await deliverTo(
      server(),
      startReceiver(() => new Response("no gzip", { headers })).url,
    );

    expect(status).toBe("succeeded");
    expect(attempt).toMatchObject({ status_code: 200, response_truncated: true });
  });

  test("and ends before its body does keeps its status", async () => {
    const url = await startRawReceiver(
      onRequest((socket) => socket.end(`${HEAD}Content-Length: 100\r\n\r\nonly this`)),
    );

    const { status, last_attempt: attempt } = await deliverTo(server(), url);

    expect(status).toBe("succeeded");
    expect(attempt).toMatchObject({ status_code: 200, response_truncated: true });
  });

  test("and sends a head of many kilobytes has failed", async () => {
    const headers = { "x-much": "x".repeat(70_000) };

    const delivery = await deliverTo(
      server(),
      startReceiver(() => new Response("", { headers })).url,
    );

    expect(delivery).toMatchObject({ status: "failed", last_attempt: { error_code: "connect" } });
  });
});

onServer("the time that a receiver has", (server) => {
  test("is 15 seconds for everything, and 5 of them to be connected", async () => {
    const { deps } = server();
    const asked: RequestInput[] = [];
    const webhookOutbound: typeof deps.webhookOutbound = {
      ...deps.webhookOutbound,
      request(target, input) {
        asked.push(input);
        return deps.webhookOutbound.request(target, input);
      },
    };
    const me = await server().account();
    await subscribe(me, startReceiver().url);
    await makeNews(me);

    await deliverDue({ ...deps, webhookOutbound });

    expect(readConfig({}).webhookTimeoutMs).toBe(15_000);
    expect(asked).toMatchObject([{ timeoutMs: 15_000, headersMs: 15_000, connectMs: 5000 }]);
  });
});
