/**
 * The receiver of events: accepts each of them at once, and never answers at /silent. It reports at /seen how
 * many different ones it took and how old they were when they came, in milliseconds, and how many it left
 * waiting. At every other address of this machine there is a page to be checked.
 */
const taken = new Set<string>();
const ages: number[] = [];
let silent = 0;

async function receive(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/seen") return Response.json({ taken: taken.size, ages, silent });
  if (request.method === "GET") return new Response("All is well here.");
  if (pathname.endsWith("/silent")) {
    silent++;
    return new Promise(() => {});
  }
  const { timestamp } = await request.json();
  const id = request.headers.get("webhook-id") ?? "";
  if (!taken.has(id)) ages.push(Date.now() - Date.parse(timestamp));
  taken.add(id);
  return new Response(null, { status: 204 });
}

const receiver = Bun.serve({ port: 0, hostname: "0.0.0.0", idleTimeout: 0, fetch: receive });
console.log(`listening on http://127.0.0.1:${receiver.port}/`);
