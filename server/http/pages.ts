import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { basePathOf, type Config } from "../ground/config/config.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { assetFolder } from "../ground/lib/runtime.ts";
import { refuseUnknownHost } from "./own-host.ts";
import { PAGE_PATHS } from "./page-paths.ts";
import { cachedReplies, compressedReply, takesEncoding } from "./reply.ts";
import { pathOf } from "./routing.ts";

const NOT_BUILT =
  "The dashboard is not built. Run `npm run build:web` and start Stillup again. The API is up.\n";

/**
 * Serves the built dashboard, from the executable or from the checkout.
 * @param givenTo what the page is given for its request, so that it need not ask; null without a session
 */
export function dashboard(
  config: Host,
  folder = assetFolder("web/dist"),
  givenTo: GivenTo = async () => null,
): Dashboard {
  const index = join(folder, "index.html");
  if (!existsSync(index)) return missingDashboard(config);
  const base = basePathOf(config);
  // The build refers to its files from next to it, but pages are at many depths.
  const read = readOnce(index, (text) => text.replaceAll('"./', `"${base}/`));
  const plain = cachedReplies(HTML, read);
  const assets = readdirSync(join(folder, "assets"));
  const withSession = async (request: Request) => {
    const given = await givenTo(request).catch(unknownSession);
    const early = earlyFiles(assets, pathOf(request.url), base);
    return given && read().replace("</head>", () => `${early}${dataBlocks(given)}</head>`);
  };
  const routes = emptyDashboard(config);
  for (const path of SERVED) {
    routes.get(path, async ({ request }) => {
      const page = await withSession(request);
      return page === null
        ? plain({ request })
        : compressedReply(page, 200, new Headers(PERSONAL), request);
    });
  }
  return {
    routes: routes.use(assetRoutes(join(folder, "assets"))),
    brand: brandOf(read(), readdirSync(join(folder, "assets")), base),
    async notFound(request) {
      refuseUnknownHost(config, request);
      const page = (await withSession(request)) ?? read();
      return new Response(page, { status: 404, headers: PERSONAL });
    },
  };
}

/** The router in the browser ignores a slash at the end. */
const SERVED = PAGE_PATHS.flatMap((path) => (path === "/" ? [path] : [path, `${path}/`]));

const HTML = "text/html; charset=utf-8";
const PERSONAL = { "content-type": HTML, "cache-control": "no-store" };

function readOnce(path: string, change: (text: string) => string): () => string {
  let text: string | undefined;
  return () => {
    text ??= change(readFileSync(path, "utf8"));
    return text;
  };
}

export type Dashboard = {
  routes: Elysia;
  /** Tags of a `head` that give another page the letters, the colors, the theme and the icon; "" without a build. */
  brand: string;
  /** The page at an address that does not exist, which says so in the frame; null without a build. */
  notFound: ((request: Request) => Promise<Response>) | null;
};

const BRAND = /<(?:link rel="(?:icon|preload)"[^>]*>|script src="[^"]*theme[^"]*"><\/script>)/g;

function brandOf(index: string, assets: string[], base: string): string {
  const styles = assets
    .filter((name) => /^brand-.*\.css$/.test(name))
    .map((name) => `<link rel="stylesheet" href="${base}/assets/${name}">`);
  return [...(index.match(BRAND) ?? []), ...styles].join("\n  ");
}

/** `answers` are the bodies of successful replies to GET requests, by path and query. */
export type Given = { session: object; answers: Record<string, unknown> };

type GivenTo = (request: Request) => Promise<Given | null>;
type Host = Pick<Config, "publicUrl">;

/** Its routes are served only under host names that no one else can point at this machine. */
const emptyDashboard = (config: Host) =>
  new Elysia({ detail: { hide: true, access: "anyone" } }).onBeforeHandle(({ request }) =>
    refuseUnknownHost(config, request),
  );

/** The page then asks for the session itself, and says what is wrong. */
function unknownSession(error: unknown) {
  log.warn("page sent without its session", describeError(error));
  return null;
}

/** The files of pages that are opened most, which the browser would find only when the script runs. */
const EARLY: Record<string, RegExp> = { "/": /^(overview|plot)-/, "/links": /^links-/ };

const earlyFiles = (assets: string[], path: string, base: string) =>
  assets
    .filter((name) => EARLY[path]?.test(name))
    .map((name) => {
      const href = `href="${base}/assets/${name}"`;
      if (name.endsWith(".js")) return `<link rel="modulepreload" ${href}>`;
      return name.endsWith(".css") ? `<link rel="stylesheet" ${href}>` : "";
    })
    .join("");

/** A browser does not run them, and nothing in them can end them or begin a comment. */
const dataBlocks = (given: Given) =>
  Object.entries(given)
    .map(([id, value]) => {
      const json = JSON.stringify(value).replaceAll("<", "\\u003c");
      return `<script type="application/json" id="${id}">${json}</script>`;
    })
    .join("");

function missingDashboard(config: Host): Dashboard {
  const routes = emptyDashboard(config);
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  for (const path of SERVED)
    routes.get(path, () => new Response(NOT_BUILT, { status: 503, headers }));
  return { routes, brand: "", notFound: null };
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
    return takesEncoding(request, "br")
      ? new Response(smaller, { headers: { ...varying, "content-encoding": "br" } })
      : new Response(plain, { headers: varying });
  };
}
