/** What a load run saw: requests a second, and percentiles of the time per request in milliseconds. */
export type LoadResult = { perSecond: number; p50: number; p99: number; failed: number };

export type LoadOptions = {
  url: string;
  headers?: Record<string, string>;
  connections: number;
  requests: number;
};

/**
 * Asks the same thing over kept connections, one request at a time on each. Works on bare sockets, so
 * that the asking takes as little as possible of the processor it shares with the server.
 */
export async function load({
  url,
  headers = {},
  connections,
  requests,
}: LoadOptions): Promise<LoadResult> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const fields = Object.entries({ host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const message = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${fields.join("")}\r\n`);
  const times = new Float64Array(requests);
  const state = { sent: 0, done: 0, failed: 0 };
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () =>
      drive({ hostname, port: Number(port), message, times, state }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  times.sort();
  const at = (share: number) => times[Math.min(requests - 1, Math.floor(requests * share))]!;
  return { perSecond: requests / seconds, p50: at(0.5), p99: at(0.99), failed: state.failed };
}

type Drive = {
  hostname: string;
  port: number;
  message: Uint8Array;
  times: Float64Array;
  state: { sent: number; done: number; failed: number };
};

function drive({ hostname, port, message, times, state }: Drive): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let missing = 0;
    const send = (socket: Bun.Socket) => {
      if (state.sent >= times.length) return void socket.end();
      state.sent++;
      sentAt = performance.now();
      socket.write(message);
    };
    const receive = (socket: Bun.Socket, chunk: Buffer) => {
      missing = missing > 0 ? missing - chunk.length : restOf(chunk, state);
      if (missing > 0) return;
      times[state.done++] = performance.now() - sentAt;
      send(socket);
    };
    void Bun.connect({
      hostname,
      port,
      socket: {
        open: send,
        data: receive,
        close: () => resolve(),
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}

/** How many bytes of the answer are still to come after its first chunk, which holds the whole head. */
function restOf(chunk: Buffer, state: { failed: number }): number {
  const head = chunk.indexOf("\r\n\r\n");
  const text = chunk.toString("latin1", 0, head);
  if (!text.startsWith("HTTP/1.1 200")) state.failed++;
  const length = /content-length: (\d+)/i.exec(text)?.[1] ?? "0";
  return head + 4 + Number(length) - chunk.length;
}
