import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { eachRow } from "../../../tests/each-row.ts";
import { collect, labFetching } from "../../../tests/reading/lab.ts";
import { type Routes, replies, startRawSite, startSite } from "../../../tests/site.ts";
import { fetchContent } from "./fetching.ts";
import { readSitemap } from "./sitemap.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const noHeaders = () => ({});
const fetching = labFetching();

/** Reads a sitemap as it comes from a server, in one piece. */
async function read(body: string | Uint8Array<ArrayBuffer>, contentType = "application/xml") {
  const says = () => new Response(body, { headers: { "Content-Type": contentType } });
  const site = startSite({ "/sitemap.xml": says } satisfies Routes);
  running.push(site);
  return readFrom(`${site.url}/sitemap.xml`);
}

async function readFrom(url: string) {
  return collect(readSitemap(await fetchContent(fetching, new URL(url), noHeaders)));
}

const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc>https://site.test/a?b=1&amp;c=2</loc>
    <image:image><image:loc>https://site.test/a.png</image:loc></image:image>
  </url>
  <url><loc>
    https://site.test/b
  </loc></url><url><loc><![CDATA[https://site.test/c?d=1&e]]></loc></url>
  <!-- <url><loc>https://site.test/no</loc></url> -->
  <url><lastmod>2026-01-01</lastmod><loc>/relative</loc></url>
</urlset>
`;
const PAGES = [
  { kind: "page", href: "https://site.test/a?b=1&c=2", line: 5 },
  { kind: "page", href: "https://site.test/b", line: 8 },
  { kind: "page", href: "https://site.test/c?d=1&e", line: 10 },
  { kind: "page", href: "/relative", line: 12 },
];

/** Bytes that a generator may not guess. */
const noise = (length: number) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 7919 + (i >> 3) * 31) % 251));

describe("A sitemap", () => {
  test("is read with its lines", async () => {
    expect(await read(URLSET)).toEqual({ found: PAGES, reason: null } as never);
  });

  test("may be packed, under any type", async () => {
    const packed = gzipSync(URLSET);

    expect(await read(packed, "application/gzip")).toEqual({ found: PAGES, reason: null } as never);
    expect(await read(packed, "text/xml")).toMatchObject({ reason: null });
  });

  test("may have a prefix", async () => {
    const prefixed = `<s:urlset xmlns:s="x"><s:url><s:loc>https://a.test/</s:loc><loc>https://b.test/</loc></s:url></s:urlset>`;

    expect((await read(prefixed)).found.map(({ href }) => href)).toEqual(["https://a.test/"]);
  });

  test("may be in another encoding", async () => {
    const latin = `<?xml version="1.0" encoding="ISO-8859-1"?>\n<urlset><url><loc>https://a.test/\u00e9</loc></url></urlset>`;

    expect((await read(Buffer.from(latin, "latin1"))).found[0]).toMatchObject({
      href: "https://a.test/\u00e9",
      line: 2,
    });
    expect((await read(Buffer.from(`\ufeff${URLSET}`, "utf16le"))).found).toEqual(PAGES as never);
  });

  test("may be text", async () => {
    expect(
      await read("\ufeffhttps://a.test/\r\n\r\nhttps://a.test/b\nwords", "text/plain"),
    ).toEqual({
      found: [
        { kind: "page", href: "https://a.test/", line: 1 },
        { kind: "page", href: "https://a.test/b", line: 3 },
        { kind: "page", href: "words", line: 4 },
      ],
      reason: null,
    });
  });

  test("may be an index", async () => {
    const index =
      "<sitemapindex>\n<sitemap><loc>https://a.test/1.xml.gz</loc></sitemap>\n</sitemapindex>";

    expect(await read(index)).toEqual({
      found: [{ kind: "sitemap", href: "https://a.test/1.xml.gz", line: 2 }],
      reason: null,
    });
  });

  test("may be empty", async () => {
    expect(await read("<urlset/>")).toEqual({ found: [], reason: null });
    expect(await read("<urlset></urlset>")).toEqual({ found: [], reason: null });
  });

  test("is the same however it arrives", async () => {
    const site = await startRawSite((socket) => {
      socket.once("data", async () => {
        socket.setNoDelay(true);
        socket.write(
          "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n",
        );
        for (const char of Buffer.from(URLSET))
          socket.write(`1\r\n${String.fromCharCode(char)}\r\n`);
        socket.end("0\r\n\r\n");
      });
    });
    running.push(site);

    expect(await readFrom(`${site.url}/`)).toEqual({ found: PAGES, reason: null } as never);
  });

  eachRow<[what: string, body: string | Uint8Array<ArrayBuffer>, reason: string]>([
    ["ends in the middle of a location", URLSET.slice(0, 230), "cut_off"],
    ["ends between two entries", URLSET.slice(0, URLSET.indexOf("<url><loc>\n")), "cut_off"],
    ["lacks only its end", URLSET.replace("</urlset>", ""), "cut_off"],
    ["ends in its end", URLSET.replace("</urlset>\n", "</urlse"), "cut_off"],
    ["ends before its root", '<?xml version="1.0"?>', "cut_off"],
    ["is nothing", "", "cut_off"],
    ["is white space", " \n ", "cut_off"],
    [
      "is half of what was packed",
      gzipSync(`<urlset><!--${noise(50_000).toString("base64")}`).subarray(0, 20_000),
      "cut_off",
    ],
    ["lacks the end of its packing", gzipSync(URLSET).subarray(0, -4), "cut_off"],
    [
      "is packed and damaged",
      Buffer.concat([gzipSync(URLSET).subarray(0, 60), noise(300)]),
      "unreadable",
    ],
    [
      "is HTML",
      "<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>",
      "not_a_sitemap",
    ],
    ["is HTML with a sitemap in it", `<html>${URLSET}</html>`, "not_a_sitemap"],
    ["is a feed", '<rss version="2.0"><channel/></rss>', "not_a_sitemap"],
    ["is JSON", '{"error":"no"}', "not_a_sitemap"],
    ["is a sentence", "Please log in.", "not_a_sitemap"],
    ["nests without end", `<urlset>${"<loc>".repeat(100_000)}</urlset>`, "unreadable"],
    ["has too many entries", `<urlset>${"<loc>x</loc>".repeat(50_001)}</urlset>`, "too_large"],
    ["has too many lines", "https://a.test/\n".repeat(50_001), "too_large"],
    ["is a bomb", gzipSync(Buffer.alloc(60 * 1024 * 1024, " ")), "too_large"],
    ["has a tag without end", `<urlset><loc ${"a ".repeat(26 * 1024 * 1024)}`, "too_large"],
  ])("that is damaged fails as such", async (_, body, reason) => {
    expect((await read(body)).reason).toBe(reason);
  });

  test("with as many entries as it may have is read", async () => {
    const { found, reason } = await read(`<urlset>${"<loc>x</loc>".repeat(50_000)}</urlset>`);

    expect([found.length, reason]).toEqual([50_000, null]);
  });

  test("whose connection ends early fails, after what came", async () => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: ${URLSET.length}\r\n\r\n`;
    const padded = URLSET.replace("<url>", `<!--${" ".repeat(4000)}-->\n<url>`);
    const site = await startRawSite(
      replies(head.replace(String(URLSET.length), String(padded.length)) + padded.slice(0, -15)),
    );
    running.push(site);

    const { found, reason } = await readFrom(`${site.url}/`);

    expect([found.length, reason]).toEqual([4, "cut_off"]);
  });

  test("is not transferred any further when it is given up", async () => {
    const closed = Promise.withResolvers<void>();
    const site = await startRawSite((socket) => {
      socket.on("close", () => closed.resolve());
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<html>");
        const more = () => socket.write(" ".repeat(65_536), () => setImmediate(more));
        more();
      });
    });
    running.push(site);

    expect((await readFrom(`${site.url}/`)).reason).toBe("not_a_sitemap");
    await closed.promise;
  });
});
