import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { staticPlugin } from "@elysiajs/static";
import { Elysia } from "elysia";
import { assetFolder } from "../lib/assets.ts";
import { cachedReplies } from "./cached-text.ts";

/** The addresses of the dashboard's pages. One page answers all of them and finds its way in the browser. */
export const PAGES = ["/", "/setup", "/sign-in", "/password", "/links", "/links/:id", "/keys"];

/** The name of an asset holds a hash of its content: what is there never changes. */
const YEAR_S = 31_536_000;

const NOT_BUILT =
  "The dashboard is not built. Run `npm run build:web` and start Stillup again. The API is up.\n";

/** Serves the built dashboard, from inside the executable or from the checkout. */
export async function dashboard(folder = assetFolder("web/dist")): Promise<Elysia> {
  const index = join(folder, "index.html");
  return existsSync(index) ? builtDashboard(folder, index) : missingDashboard();
}

async function builtDashboard(folder: string, index: string): Promise<Elysia> {
  const app = new Elysia({ name: "dashboard", detail: { hide: true } });
  const page = cachedReplies(() => ({
    type: "text/html; charset=utf-8",
    body: readFileSync(index, "utf8"),
  }));
  for (const path of PAGES) app.get(path, page);
  // Awaited, since a plugin that is still loading has no routes yet.
  const assets = await staticPlugin({
    assets: join(folder, "assets"),
    prefix: "/assets",
    alwaysStatic: true,
    directive: "immutable",
    maxAge: YEAR_S,
    detail: { hide: true },
  });
  return app.use(assets);
}

function missingDashboard(): Elysia {
  const app = new Elysia({ name: "dashboard", detail: { hide: true } });
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  for (const path of PAGES) app.get(path, () => new Response(NOT_BUILT, { status: 503, headers }));
  return app;
}
