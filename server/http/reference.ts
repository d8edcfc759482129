import { Elysia } from "elysia";
import { cachedReplies } from "../api/reply.ts";
import { renderPage } from "./docs/page.ts";
import script from "./docs/reference.client.js" with { type: "text" };
import style from "./docs/reference.css" with { type: "text" };
import { type DeclaredRoute, describeApi } from "./openapi/document.ts";

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
