import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { refuseUnknownHost } from "../accounts/doors.ts";
import { cachedReplies } from "../api/reply.ts";
import type { Config } from "../config/config.ts";
import { assetFolder } from "../lib/runtime.ts";
import { renderPage } from "./docs/page.ts";
import script from "./docs/reference.client.js" with { type: "text" };
import style from "./docs/reference.css" with { type: "text" };
import { type DeclaredRoute, describeApi } from "./openapi/document.ts";

/** The paths of the dashboard's pages. One page is served for all of them and routes in the browser. */
export const PAGES = [
  "/",
  "/setup",
  "/sign-in",
  "/password",
  "/links",
  "/links/new",
  "/links/:id",
  "/groups",
  "/history",
  "/webhooks",
  "/webhooks/:id",
  "/keys",
  "/people",
  "/account",
  "/activity",
  "/admin",
];

const NOT_BUILT =
  "The dashboard is not built. Run `npm run build:web` and start Stillup again. The API is up.\n";

/** Serves the built dashboard, from the executable or from the checkout. */
export function dashboard(config: Host, folder = assetFolder("web/dist")): Elysia {
  const index = join(folder, "index.html");
  return existsSync(index) ? builtDashboard(config, folder, index) : missingDashboard(config);
}

type Host = Pick<Config, "publicUrl">;

/** Its routes are served only under host names that no one else can point at this machine. */
const emptyDashboard = (config: Host) =>
  new Elysia({ detail: { hide: true, access: "anyone" } }).onBeforeHandle(({ request }) =>
    refuseUnknownHost(config, request),
  );

function builtDashboard(config: Host, folder: string, index: string): Elysia {
  const app = emptyDashboard(config);
  const page = cachedReplies("text/html; charset=utf-8", () => readFileSync(index, "utf8"));
  for (const path of PAGES) app.get(path, page);
  return app.use(assetRoutes(join(folder, "assets")));
}

function missingDashboard(config: Host): Elysia {
  const app = emptyDashboard(config);
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  for (const path of PAGES) app.get(path, () => new Response(NOT_BUILT, { status: 503, headers }));
  return app;
}

/** The name of an asset contains a hash of its content, so an asset never changes. */
const FOREVER = "immutable, max-age=31536000";

const COMPRESSED = ".br";

/** Serves the files of the folder, compressed if the build made that file and the browser accepts it (RFC 9110 §12.5.3). */
function assetRoutes(folder: string): Elysia {
  const app = new Elysia({ name: "assets", detail: { hide: true, access: "anyone" } });
  const names = readdirSync(folder).filter((name) => !name.endsWith(COMPRESSED));
  for (const name of names) app.get(`/assets/${name}`, replyWith(join(folder, name)));
  return app;
}

function replyWith(path: string) {
  const plain = Bun.file(path);
  const smaller = existsSync(path + COMPRESSED) ? Bun.file(path + COMPRESSED) : null;
  const headers = { "content-type": plain.type, "cache-control": FOREVER };
  return ({ request }: { request: Request }) => {
    if (!smaller) return new Response(plain, { headers });
    const varying = { ...headers, vary: "accept-encoding" };
    const takesIt = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
      request.headers.get("accept-encoding") ?? "",
    );
    return takesIt
      ? new Response(smaller, { headers: { ...varying, "content-encoding": "br" } })
      : new Response(plain, { headers: varying });
  };
}

/**
 * `GET /openapi.json` and `GET /docs`, for anyone. The page loads nothing from other sites.
 * @param routes called once the app is complete
 */
export function referenceRoutes(routes: () => DeclaredRoute[]) {
  return new Elysia({ detail: { hide: true, access: "anyone" } })
    .get(
      "/openapi.json",
      cachedReplies("application/json; charset=utf-8", () => JSON.stringify(describeApi(routes()))),
    )
    .get(
      "/docs",
      cachedReplies("text/html; charset=utf-8", () => renderPage(describeApi(routes()))),
    )
    .get(
      "/docs/reference.css",
      cachedReplies("text/css; charset=utf-8", () => style),
    )
    .get(
      "/docs/reference.js",
      cachedReplies("text/javascript; charset=utf-8", () => script),
    );
}
