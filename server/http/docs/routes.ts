import { Elysia } from "elysia";
import type { Document } from "../openapi/schemas.ts";
import { cachedReplies } from "../reply.ts";
import { renderPage } from "./page.ts";
import script from "./reference.client.js" with { type: "text" };
import style from "./reference.css" with { type: "text" };

/**
 * `GET /openapi.json` and `GET /docs`, for anyone. The page loads nothing from other sites.
 * @param describe called once the app is complete
 * @param base the path below which everything is served, or ""
 * @param brand what the dashboard gives its `head`
 */
export function referenceRoutes(describe: () => Document, base: string, brand: string) {
  return new Elysia({ detail: { hide: true, access: "anyone" } })
    .get(
      "/openapi.json",
      cachedReplies("application/json; charset=utf-8", () => JSON.stringify(describe())),
    )
    .get(
      "/docs",
      cachedReplies("text/html; charset=utf-8", () => renderPage(describe(), base, brand)),
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
