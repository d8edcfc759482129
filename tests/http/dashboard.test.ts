import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dashboard, PAGES } from "../../server/http/dashboard.ts";

const ask = (app: Awaited<ReturnType<typeof dashboard>>, path: string, headers = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers }));

function builtFolder() {
  const folder = mkdtempSync(join(tmpdir(), "stillup-web-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<title>Stillup</title>");
  writeFileSync(join(folder, "assets/index-1.js"), "run()");
  return folder;
}

test("every page of the dashboard is the same document, asked for anew each time", async () => {
  const folder = builtFolder();
  const app = await dashboard(folder);

  for (const path of PAGES) {
    const reply = await ask(app, path.replace(":id", "7"));
    expect(await reply.text()).toBe("<title>Stillup</title>");
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("no-cache");
    const again = await ask(app, "/", { "if-none-match": reply.headers.get("etag") });
    expect(again.status).toBe(304);
  }
  rmSync(folder, { recursive: true });
});

test("assets are kept by browsers for ever, and nothing else is given away", async () => {
  const folder = builtFolder();
  const app = await dashboard(folder);

  const reply = await ask(app, "/assets/index-1.js");

  expect(await reply.text()).toBe("run()");
  expect(reply.headers.get("content-type")).toStartWith("text/javascript");
  expect(reply.headers.get("cache-control")).toBe("immutable, max-age=31536000");
  for (const path of ["/assets/none.js", "/assets/..%2Findex.html", "/assets/", "/index.html"]) {
    expect((await ask(app, path)).status).toBe(404);
  }
  rmSync(folder, { recursive: true });
});

test("without a build the pages say how to make one", async () => {
  const reply = await ask(await dashboard("/nowhere"), "/");

  expect(reply.status).toBe(503);
  expect(await reply.text()).toContain("npm run build:web");
});
