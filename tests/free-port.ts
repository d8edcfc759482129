/** Below the ports that systems assign to sockets that ask for any (32,768 on Linux, 49,152 elsewhere). */
const [FIRST, LAST] = [20_000, 32_000];

/** A port that is free and that no other test is assigned by chance: it refuses connections until it is used. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {}
  }
}
