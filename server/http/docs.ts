import { Elysia } from "elysia";
import { cachedReplies } from "./cached-text.ts";
import { renderPage } from "./docs/page.ts";
import script from "./docs/reference.client.js" with { type: "text" };
import style from "./docs/reference.css" with { type: "text" };
import type { ApiReference } from "./openapi.ts";

/** `GET /docs`: the API reference as a page that asks nobody else for anything. */
export const docsRoutes = (reference: ApiReference) =>
  new Elysia({ detail: { hide: true, access: "anyone" } })
    .get(
      "/docs",
      cachedReplies(() => ({ type: "text/html; charset=utf-8", body: renderPage(reference()) })),
    )
    .get(
      "/docs/reference.css",
      cachedReplies(() => ({ type: "text/css; charset=utf-8", body: style })),
    )
    .get(
      "/docs/reference.js",
      cachedReplies(() => ({ type: "text/javascript; charset=utf-8", body: script })),
    );
