import { onTestFinished } from "bun:test";

/** A receiver of events: keeps the body of each message by its id. Gone when the test is. */
export function startHooks() {
  const bodies = new Map<string, string>();
  const seen = { requests: 0, altered: 0, repeated: new Set<string>() };
  let wanted = Number.POSITIVE_INFINITY;
  let arrived = () => {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const [id, body] = [request.headers.get("webhook-id") ?? "", await request.text()];
      if (bodies.has(id)) seen.repeated.add(id);
      if (bodies.has(id) && bodies.get(id) !== body) seen.altered++;
      bodies.set(id, body);
      if (++seen.requests !== wanted) return new Response(null, { status: 204 });
      arrived();
      return new Promise(() => {});
    },
  });
  onTestFinished(() => server.stop(true));
  /** Resolves once so many more have come. The last of them is never answered. */
  const requests = (more: number) => {
    wanted = seen.requests + more;
    return new Promise<void>((resolve) => {
      arrived = resolve;
    });
  };
  return { url: `http://127.0.0.1:${server.port}/`, bodies, seen, requests };
}
