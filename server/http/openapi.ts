import { Elysia } from "elysia";
import { ErrorReply } from "../api/reply.ts";
import { cachedReplies, type Text } from "./cached-text.ts";
import { refusalReplies } from "./openapi/errors.ts";
import { HEADERS, headersOf, PARAMETERS } from "./openapi/headers.ts";
import { DESCRIPTION, TAGS } from "./openapi/info.ts";
import { describeOperation, type RouteRecord } from "./openapi/operation.ts";
import { createSampler } from "./openapi/samples.ts";
import { createDescriber } from "./openapi/schemas.ts";
import type { Document, Method, PathItem } from "./openapi/types.ts";
import { describeEvents } from "./openapi/webhooks.ts";

/** The API's own, as in its path. The product's version is shown to those who are signed in only. */
const API_VERSION = "1";

const PREFIX = "/api/v1/";
const METHODS: Method[] = ["get", "post", "patch", "delete"];

/** Gives the document, made when it is first asked for, so that the start stays fast. */
export type ApiReference = () => Document;

/** @param routes asked only once the app is whole */
export function createReference(routes: () => RouteRecord[]): ApiReference {
  let document: Document | undefined;
  return () => {
    document ??= describeApi(routes());
    return document;
  };
}

/** `GET /openapi.json`, for anyone. */
export const openapiRoutes = (reference: ApiReference) =>
  new Elysia({ detail: { hide: true, access: "anyone" } }).get(
    "/openapi.json",
    cachedReplies(
      (): Text => ({
        type: "application/json; charset=utf-8",
        body: JSON.stringify(reference()),
      }),
    ),
  );

/** The OpenAPI 3.1 document of every route under /api/v1; the same routes always give the same text. */
export function describeApi(routes: RouteRecord[]): Document {
  const describer = createDescriber();
  const sample = createSampler(describer.named);
  const own = routes.filter(({ path }) => path.startsWith(PREFIX)).toSorted(inOrder);
  const paths: Record<string, PathItem> = {};
  for (const route of own) {
    const [path, method] = [templateOf(route.path), route.method.toLowerCase() as Method];
    const isReadable = own.some((other) => other.path === route.path && other.method === "GET");
    const operation = describeOperation({ ...route, path, isReadable }, describer, sample);
    paths[path] = { ...paths[path], [method]: operation };
  }
  const webhooks = describeEvents(describer, sample);
  describer.describe(ErrorReply, "output");
  return {
    openapi: "3.1.1",
    info: {
      title: "Stillup API",
      version: API_VERSION,
      summary: "Watches links and tells when one dies.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This installation" }],
    security: [{ bearerAuth: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearerAuth: { type: "http", scheme: "bearer", description: "An API key: `su_…`." },
      },
      schemas: sorted(describer.named),
      responses: { ...refusalReplies(headersOf), NotModified },
      parameters: PARAMETERS,
      headers: HEADERS,
    },
  };
}

const NotModified = {
  description: "Nothing has changed since the state that `If-None-Match` names.",
  headers: headersOf("ETag"),
};

/** `/links/:id` → `/links/{id}` */
const templateOf = (path: string) => path.replace(/:([^/]+)/g, "{$1}");

/** By chapter, then by path with `/links/batch` before `/links/{id}`, then by method. */
function inOrder(a: RouteRecord, b: RouteRecord): number {
  return (
    chapterOf(a) - chapterOf(b) ||
    compare(templateOf(a.path), templateOf(b.path)) ||
    METHODS.indexOf(a.method.toLowerCase() as Method) -
      METHODS.indexOf(b.method.toLowerCase() as Method)
  );
}

const chapterOf = ({ path }: RouteRecord) =>
  ["account", "usage", "keys", "links", "groups", "history", "webhooks"].indexOf(
    path.slice(PREFIX.length).split("/")[0]!,
  );

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const sorted = <T>(record: Record<string, T>) =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compare(a, b)));
