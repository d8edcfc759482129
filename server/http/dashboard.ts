import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { assetFolder } from "../lib/assets.ts";
import { cachedReplies } from "./cached-text.ts";

/** The addresses of the dashboard's pages. One page answers all of them and finds its way in the browser. */
export const PAGES = ["/", "/setup", "/sign-in", "/password", "/links", "/links/:id", "/keys"];

/** The name of an asset holds a hash of its content: what is there never changes. */
const FOR_EVER = { "cache-control": "public, max-age=31536000, immutable" };

const NOT_BUILT =
  "The dashboard is not built. Run `npm run build:web` and start Stillup again. The API is up.\n";

/** Serves the built dashboard, from inside the executable or from the checkout. */
export function dashboard(folder = assetFolder("web/dist")): Elysia {
  const index = join(folder, "index.html");
  return existsSync(index) ? builtDashboard(folder, index) : missingDashboard();
}

function builtDashboard(folder: string, index: string): Elysia {
  const app = new Elysia({ name: "dashboard", detail: { hide: true } });
  const page = cachedReplies(() => ({
    type: "text/html; charset=utf-8",
    body: readFileSync(index, "utf8"),
  }));
  for (const path of PAGES) app.get(path, page);
  const assets = join(folder, "assets");
  for (const name of readdirSync(assets))
    app.get(`/assets/${name}`, () => assetReply(assets, name));
  return app;
}

const assetReply = (folder: string, name: string) =>
  new Response(Bun.file(join(folder, name)), { headers: FOR_EVER });

function missingDashboard(): Elysia {
  const app = new Elysia({ name: "dashboard", detail: { hide: true } });
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  for (const path of PAGES) app.get(path, () => new Response(NOT_BUILT, { status: 503, headers }));
  return app;
}
