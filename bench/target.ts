/**
 * The web that is checked: ten thousands of sites with pages of their own, over http and https, and the name server
 * that knows them. `/stats` returns when the first request came since the last call, and how many did.
 */
import { startNameServer } from "../tests/name-server.ts";
import { createCrawled } from "./crawled.ts";
import { addressOf, createPages, siteIn } from "./pages.ts";

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

let [firstAt, requests] = [0, 0];

function answer(request: Request): Response {
  const { pathname, hostname } = new URL(request.url);
  if (pathname === "/stats") return takeStats();
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
  return new Response(page.body, { headers: page.isGzip ? GZIP : HTML });
}

function takeStats(): Response {
  const stats = Response.json({ firstAt, requests });
  [firstAt, requests] = [0, 0];
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
