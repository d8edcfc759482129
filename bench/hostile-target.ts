/** The web of `hostile-api.ts`: ordinary pages, and pages that are made to hold up their reader. */
import { createPages } from "./pages.ts";

const MIB = 1024 * 1024;
const PIECE = new Uint8Array(64 * 1024).fill(120);
/** Until then pages that take memory do not end. */
const HOLD_MS = 15_000;

const { pageOf } = createPages();
const HTML = { "content-type": "text/html; charset=utf-8" };
const END_TAGS = "</b>".repeat(MIB / 4);

/** A MiB of text that is kept until it ends. */
function memoryPage(): Response {
  let left = MIB;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      left -= PIECE.length;
      if (left > 0) return controller.enqueue(PIECE);
      await Bun.sleep(HOLD_MS);
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/plain" } });
}

const server = Bun.serve({
  port: 0,
  hostname: "0.0.0.0",
  idleTimeout: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/end-tags") return new Response(END_TAGS, { headers: HTML });
    if (pathname === "/memory") return memoryPage();
    const n = Number(/^\/page-(\d+)$/.exec(pathname)?.[1] ?? -1);
    if (n < 0) return new Response("Not found", { status: 404 });
    return new Response(pageOf(n, false).body, { headers: HTML });
  },
});
console.log(`listening on http://127.0.0.1:${server.port}/`);
