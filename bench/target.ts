/**
 * The web that is checked: ten thousands of sites with pages of their own, over http and https, and the name server
 * that knows them. `/stats` returns when the first request came since the last call, how many did, and how many bytes
 * were sent; `/pages/validators`, `/pages/plain` and `/pages/changed` choose what the pages are like from then on.
 */
import { startNameServer } from "../tests/name-server.ts";
import { createCrawled } from "./crawled.ts";
import { addressOf, createPages, type Page, siteIn } from "./pages.ts";
import type { PageKind } from "./web.ts";

const { BENCH_CERT: cert, BENCH_KEY: key } = process.env;

const { pageOf, pageAt } = createPages();
const crawled = createCrawled(Number(process.env.BENCH_PAGES ?? 0));
const HTML = { "content-type": "text/html; charset=utf-8" };
const GZIP = { ...HTML, "content-encoding": "gzip", vary: "accept-encoding" };
const MISSING = `<!doctype html><html lang="en"><head><title>Page not found</title></head>
<body><h1>Page not found</h1><p>The page you were looking for does not exist.</p><a href="/">Home</a></body></html>`;
const ROBOTS = "User-agent: *\nDisallow: /admin/\nDisallow: /search\n\nSitemap: /sitemap.xml\n";
/** Home pages have numbers after those of all links. */
const FIRST_HOME = 100_000_000;

let [firstAt, requests, bytes] = [0, 0, 0];
/** With an `ETag`, without one, or with another text at each request. */
let kind: PageKind = "plain";

function answer(request: Request): Response {
  const { pathname, hostname } = new URL(request.url);
  if (pathname === "/stats") return takeStats();
  if (pathname.startsWith("/pages/")) {
    kind = pathname.slice(7) as PageKind;
    return new Response();
  }
  firstAt ||= Date.now();
  requests++;
  const ofCrawl = crawled(request);
  if (ofCrawl) return ofCrawl;
  const site = siteIn(request.headers.get("host") ?? hostname);
  if (pathname === "/robots.txt" && site % 2 === 0) return new Response(ROBOTS);
  const acceptsGzip = request.headers.get("accept-encoding")?.includes("gzip") ?? false;
  const page =
    pathname === "/" ? pageOf(FIRST_HOME + site, acceptsGzip) : pageAt(pathname, acceptsGzip);
  if (!page) return new Response(MISSING, { status: 404, headers: HTML });
  return sent(request, page);
}

function sent(request: Request, page: Page): Response {
  const headers = page.isGzip ? GZIP : HTML;
  if (kind === "plain") return counted(page.body, headers);
  if (kind === "changed") {
    const body = pageOf(siteIn(request.headers.get("host")!), false).body;
    return counted(Buffer.concat([body, Buffer.from(`<!-- ${requests} -->`)]), HTML);
  }
  const etag = `"${Bun.hash(page.body).toString(36)}"`;
  const isKnown = request.headers.get("if-none-match") === etag;
  const validated = { ...headers, etag };
  return isKnown ? counted(null, validated, 304) : counted(page.body, validated);
}

/** The date, the length and the status line are some more. */
const OTHER_HEADERS = 100;

function counted(body: Buffer<ArrayBuffer> | null, headers: Record<string, string>, status = 200) {
  bytes += (body?.length ?? 0) + JSON.stringify(headers).length + OTHER_HEADERS;
  return new Response(body, { status, headers });
}

function takeStats(): Response {
  const stats = Response.json({ firstAt, requests, bytes });
  [firstAt, requests, bytes] = [0, 0, 0];
  return stats;
}

const listen = { port: 0, hostname: "0.0.0.0", fetch: answer };
const web = Bun.serve(listen);
const secure = Bun.serve({ ...listen, tls: { cert, key } });
const names = await startNameServer(
  new Proxy({}, { get: (_, name: string) => ({ A: [addressOf(siteIn(name))] }) }),
);
const ports = new URLSearchParams({ secure: String(secure.port), names: names.address });
console.log(`listening on http://127.0.0.1:${web.port}/?${ports}`);
