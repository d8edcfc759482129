import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { PAGE_PATHS, patternOf } from "./page-paths.ts";
import { dashboard } from "./pages.ts";

const HOST = { publicUrl: null };

const ask = (app: ReturnType<typeof dashboard>, path: string, headers = {}) =>
  app.routes.handle(new Request(`http://localhost${path}`, { headers }));

function builtFolder() {
  const folder = mkdtempSync(join(tmpdir(), "stillup-web-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<title>Stillup</title>");
  writeFileSync(join(folder, "assets/index-1.js"), "run()");
  return folder;
}

test("every page of the dashboard is the same document, revalidated each time", async () => {
  const folder = builtFolder();
  const app = dashboard(HOST, folder);

  for (const path of PAGE_PATHS.flatMap((each) => [each, `${each}/`.replace("//", "/")])) {
    const reply = await ask(app, path.replace(/:\w+/g, "7"));
    expect([path, reply.status]).toEqual([path, 200]);
    expect(await reply.text()).toBe("<title>Stillup</title>");
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("no-cache");
    const again = await ask(app, "/", { "if-none-match": reply.headers.get("etag") });
    expect(again.status).toBe(304);
  }
  rmSync(folder, { recursive: true });
});

/** Addresses of the dashboard's own server that are not pages. */
const OTHER_ADDRESSES = /^\/(docs$|openapi.json$|dashboard\/api\/)/;

test("every address that the dashboard leads to is one of its pages", () => {
  const web = join(import.meta.dir, "../../web/src");
  const written = /(?:\bhref[=:] ?\{?|\broute\(|\bto=|\bhrefOf\()["`](\/[^"`?#]*)/g;
  const addresses = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(web)].flatMap((file) =>
    [...readFileSync(join(web, file), "utf8").matchAll(written)].map(([, path]) => path!),
  );
  const isServed = (path: string) =>
    PAGE_PATHS.some((page) => patternOf(page).test(path.replace(/\$\{.*?\}/g, "7")));

  expect(new Set(addresses).size).toBeGreaterThan(20);
  expect(addresses.filter((path) => !isServed(path) && !OTHER_ADDRESSES.test(path))).toEqual([]);
});

test("other pages get the dashboard's letters, colors, theme and icon, and nothing else of it", () => {
  const folder = builtFolder();
  writeFileSync(
    join(folder, "index.html"),
    `<script src="./assets/theme-1.js"></script><title>Stillup</title>
    <link rel="icon" href="./assets/icon-1.svg" /><link rel="stylesheet" href="./assets/index-1.css">
    <script type="module" src="./assets/index-1.js"></script>`,
  );
  writeFileSync(join(folder, "assets/brand-1.css"), "");
  const { brand } = dashboard({ publicUrl: "https://example.org/stillup" }, folder);

  expect(brand.split("\n").map((line) => line.trim())).toEqual([
    '<script src="/stillup/assets/theme-1.js"></script>',
    '<link rel="icon" href="/stillup/assets/icon-1.svg" />',
    '<link rel="stylesheet" href="/stillup/assets/brand-1.css">',
  ]);
  rmSync(folder, { recursive: true });
});

test("assets are kept by browsers for ever, and nothing else is given away", async () => {
  const folder = builtFolder();
  const app = dashboard(HOST, folder);

  const reply = await ask(app, "/assets/index-1.js");

  expect(await reply.text()).toBe("run()");
  expect(reply.headers.get("content-type")).toStartWith("text/javascript");
  expect(reply.headers.get("cache-control")).toBe("immutable, max-age=31536000");
  for (const path of ["/assets/none.js", "/assets/..%2Findex.html", "/assets/", "/index.html"]) {
    expect((await ask(app, path)).status).toBe(404);
  }
  rmSync(folder, { recursive: true });
});

test("an asset is sent compressed to browsers that take it so, and whole to all others", async () => {
  const folder = builtFolder();
  writeFileSync(join(folder, "assets/index-1.js.br"), brotliCompressSync("run()"));
  const app = dashboard(HOST, folder);
  const asked = (encoding: string) =>
    ask(app, "/assets/index-1.js", { "accept-encoding": encoding });

  const small = await asked("gzip, deflate, br, zstd");
  const whole = await Promise.all(["gzip", "br;q=0, gzip", "brotli"].map(asked));

  expect(small.headers.get("content-encoding")).toBe("br");
  expect(small.headers.get("vary")).toBe("accept-encoding");
  expect(small.headers.get("content-type")).toStartWith("text/javascript");
  expect(brotliDecompressSync(await small.arrayBuffer()).toString()).toBe("run()");
  for (const reply of whole) {
    expect(reply.headers.get("content-encoding")).toBeNull();
    expect(reply.headers.get("vary")).toBe("accept-encoding");
    expect(await reply.text()).toBe("run()");
  }
  expect((await ask(app, "/assets/index-1.js.br")).status).toBe(404);
  rmSync(folder, { recursive: true });
});

test("without a build the pages say how to make one", async () => {
  const reply = await ask(dashboard(HOST, "/nowhere"), "/");

  expect(reply.status).toBe(503);
  expect(await reply.text()).toContain("npm run build:web");
});

test("neither pages nor assets are served under a host name that someone else may own", async () => {
  const folder = builtFolder();
  const app = dashboard({ publicUrl: "https://links.example.org" }, folder);
  const asked = (host: string) =>
    Promise.all(["/", "/links/7", "/assets/index-1.js"].map((path) => ask(app, path, { host })));

  const own = await asked("links.example.org");
  const strange = await asked("evil.example");

  expect(own.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(strange.map(({ ok }) => ok)).toEqual([false, false, false]);
  rmSync(folder, { recursive: true });
});
