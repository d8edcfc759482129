import { randomFrom } from "../tests/random.ts";
import { createPages, hostOf, pathOf } from "./pages.ts";

/** A site of pages of some 20 kB with 60 links, most of them to each other, and lists of links. */

const INTERNAL = 50;
const EXTERNAL = 10;
/** On every page, such as in its head and foot. */
const COMMON = 20;
/** Sites and pages that the site links to. */
const ELSEWHERE = 5000;
const PROSE_BYTES = 15_000;
const PROSES = 50;

export const pagePath = (n: number) => `/crawl/part-${n % 40}/page-${n}`;

/** A list of so many places of so many links. */
export const listPath = (places: number, links: number) => `/lists/${places}-${links}.txt`;

/** Requested to take a share of the links out of all lists. */
export const gonePath = (share: number) => `/gone/${share}`;

/** Answers requests to the crawled site; null for other requests. */
export function createCrawled(pages: number) {
  const { pageOf } = createPages();
  const proses = Array.from({ length: PROSES }, (_, n) => proseOf(pageOf(n, false).body));

  let gone = 0;

  return (request: Request): Response | null => {
    const { pathname, port } = new URL(request.url);
    if (pathname.startsWith("/lists/")) return list(pathname, { port, gone });
    if (pathname.startsWith("/gone/")) {
      gone = Number(pathname.slice(6));
      return new Response();
    }
    const n =
      pathname === "/crawl/"
        ? 0
        : Number(/^\/crawl\/part-\d+\/page-(\d+)$/.exec(pathname)?.[1] ?? -1);
    if (n < 0) return null;
    const etag = `"${n}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    return new Response(htmlOf(n, pages, { port, prose: proses[n % PROSES]! }), {
      headers: { "Content-Type": "text/html; charset=utf-8", ETag: etag },
    });
  };
}

/** Prose of pages, without links. */
function proseOf(page: Uint8Array): string {
  const text = [
    ...Buffer.from(page)
      .toString()
      .matchAll(/<p class="text">([^<]+)/g),
  ].map(([, words]) => `<p class="text">${words}</p>\n`);
  let prose = text.join("");
  while (prose.length < PROSE_BYTES) prose += prose || "<p>text</p>";
  return prose.slice(0, PROSE_BYTES);
}

function htmlOf(
  n: number,
  pages: number,
  { port, prose }: { port: string; prose: string },
): string {
  const random = randomFrom(n);
  const link = (href: string, words: string) =>
    `<li><a class="link" href="${href}">${words}</a></li>\n`;
  const inside = Array.from({ length: INTERNAL }, (_, i) => {
    const to = i < COMMON ? i + 1 : i < 30 ? (n * 10 + i - COMMON) % pages : random(pages);
    return link(pagePath(to), `page ${to} of this`);
  });
  const outside = Array.from({ length: EXTERNAL }, () => {
    const to = random(ELSEWHERE);
    return link(`http://${hostOf(to)}:${port}${pathOf(to)}`, `the manual of ${to}`);
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${n}</title></head>
<body><nav><ul>${inside.slice(0, COMMON).join("")}</ul></nav><main><h1 id="start">Page ${n}</h1>${prose}
<ul>${[...inside.slice(COMMON), ...outside].join("")}</ul></main></body></html>`;
}

const LINES_AT_ONCE = 10_000;

function list(pathname: string, { port, gone }: { port: string; gone: number }): Response {
  const [places, links] = pathname.match(/\d+/g)!.map(Number) as [number, number];
  const kept = links * (1 - gone);
  let n = 0;
  return new Response(
    new ReadableStream({
      pull(controller) {
        let text = "";
        for (let i = 0; i < LINES_AT_ONCE && n < places; i++, n++) {
          const to = n % links;
          if (to < kept) text += `http://${hostOf(to)}:${port}/l/${to}\n`;
        }
        controller.enqueue(new TextEncoder().encode(text));
        if (n >= places) controller.close();
      },
    }),
    { headers: { "Content-Type": "text/plain" } },
  );
}
