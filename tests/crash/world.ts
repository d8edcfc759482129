/** The sites that links lead to, and the receiver of their events. */
export type World = {
  /** Every third leads nowhere. Each site has an address of this machine to itself, as far as they go. */
  urlOf(n: number): string;
  /** Subscribes the receiver to everything. */
  subscribe(url: string, key: string): Promise<void>;
  /** `link.created <id>`, of every message that came. */
  received(): Set<string>;
  /** Messages that came again with another body, by their id. */
  altered(): string[];
  stop(): void;
};

const EVENTS = ["link.created", "link.deleted", "link.dead", "link.alive"];
const PAGE = "<title>A page</title><p>All is well here.</p>";

export function startWorld(): World {
  const bodies = new Map<string, string>();
  const altered: string[] = [];
  const sites = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    fetch: ({ url }) =>
      url.includes("/page/")
        ? new Response(PAGE, { headers: { "content-type": "text/html" } })
        : new Response(null, { status: 404 }),
  });
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const [id, body] = [request.headers.get("webhook-id") ?? "", await request.text()];
      const before = bodies.get(id);
      if (before !== undefined && before !== body) altered.push(id);
      bodies.set(id, body);
      return new Response(null, { status: 204 });
    },
  });
  return {
    urlOf: (n) => {
      const host = `127.3.${(n >> 8) & 255}.${n & 255}`;
      return `http://${host}:${sites.port}/${n % 3 === 0 ? "gone" : "page"}/${n}`;
    },
    async subscribe(url, key) {
      const response = await fetch(`${url}/api/v1/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          url: `http://127.0.0.1:${receiver.port}/`,
          events: EVENTS,
          first_verdicts: true,
        }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    received: () => new Set([...bodies.values()].map(shortOf)),
    altered: () => altered,
    stop() {
      sites.stop(true);
      receiver.stop(true);
    },
  };
}

function shortOf(body: string): string {
  const { event, data } = JSON.parse(body) as { event: string; data: { linkId: string } };
  return `${event} ${data.linkId}`;
}
