/** What a load run saw: requests a second, and percentiles of the time per request in milliseconds. */
type LoadResult = { perSecond: number; p50: number; p99: number; failed: number };

type LoadOptions = {
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
  const rest = keepAwake();
  await Promise.all(
    Array.from({ length: connections }, () =>
      drive({ hostname, port: Number(port), message, times, state }),
    ),
  );
  rest();
  const seconds = (performance.now() - started) / 1000;
  times.sort();
  const at = (share: number) => times[Math.min(requests - 1, Math.floor(requests * share))]!;
  return { perSecond: requests / seconds, p50: at(0.5), p99: at(0.99), failed: state.failed };
}

/** Polls without sleeping: on a virtual machine, waking a sleeper costs the server more than its answer. */
function keepAwake(): () => void {
  let isAwake = true;
  const poll = () => {
    if (isAwake) setImmediate(poll);
  };
  poll();
  return () => {
    isAwake = false;
  };
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
    let bodyLength = 0;
    const receive = (socket: Bun.Socket, chunk: Buffer) => {
      if (missing > 0) missing -= chunk.length;
      else {
        bodyLength ||= bodyLengthOf(chunk);
        if (!chunk.includes(OK)) state.failed++;
        missing = chunk.indexOf(END_OF_HEAD) + 4 + bodyLength - chunk.length;
      }
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

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const OK = Buffer.from("HTTP/1.1 200");

/** Read once for each connection, since every answer to the same question is as long. */
const bodyLengthOf = (chunk: Buffer) =>
  Number(/content-length: (\d+)/i.exec(chunk.toString("latin1"))?.[1] ?? "0");
