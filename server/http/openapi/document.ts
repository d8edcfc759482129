import type { DocumentDecoration } from "elysia";
import * as z from "zod";
import { EVENT_TYPES, type EventType } from "../../ground/lib/vocabulary.ts";
import { ErrorReply } from "../reply.ts";
import type { DeclaredRoute } from "../routing.ts";
import guide from "./guide.md" with { type: "text" };
import {
  componentsWith,
  errorTable,
  headersOf,
  parameterReference,
  SIGNATURE,
  sharedReply,
  TAGS,
} from "./parts.ts";
import {
  createDescriber,
  type Describer,
  type Document,
  type Method,
  type Operation,
  type Parameter,
  SCHEMA_REFERENCE,
} from "./schemas.ts";

/** The version of the API, as in its paths. The product's version is shown to signed-in people only. */
const API_VERSION = "1";
const PREFIX = "/api/v1/";
const METHODS: Method[] = ["get", "post", "patch", "delete"];
/** The order of paths in the document. */
const CHAPTERS = ["account", "usage", "keys", "links", "groups", "history", "webhooks"];

type Hooks = {
  body?: z.ZodType;
  query?: z.ZodType;
  response?: Record<string, z.ZodType>;
  detail?: Partial<DocumentDecoration>;
};

/** `isReadable`: the path also has GET, so a change may be conditional. `isFile`: the reply is not JSON. */
type Route = { method: Method; path: string; isReadable: boolean; isFile: boolean; hooks: Hooks };

/**
 * The OpenAPI 3.1 document of all routes under /api/v1; the same routes always give the same text.
 * @param events the data of each event
 * @param base the path below which they are served, or ""
 */
export function describeApi(
  declared: DeclaredRoute[],
  events: Record<EventType, { data: z.ZodObject }>,
  base = "",
): Document {
  const describer = createDescriber();
  const paths: Document["paths"] = {};
  for (const route of routesOf(declared)) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, describer) };
  }
  const webhooks = Object.fromEntries(
    EVENT_TYPES.map((type) => [type, { post: eventOf(type, events[type], describer) }]),
  );
  describer.describe(ErrorReply, "output");
  return {
    openapi: "3.1.1",
    info: {
      title: "Stillup API",
      version: API_VERSION,
      summary: "Monitors links and reports when one is dead.",
      description: guide.replace("{errors}", errorTable()),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: base || "/", description: "This installation" }],
    security: [{ bearerAuth: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: componentsWith(
      Object.fromEntries(Object.entries(describer.named).toSorted(([a], [b]) => compare(a, b))),
    ),
  };
}

/** By chapter, then by path with `/links/batch` before `/links/{id}`, then by method. */
function routesOf(declared: DeclaredRoute[]): Route[] {
  const own = declared.filter(({ path }) => path.startsWith(PREFIX));
  const readable = new Set(own.filter(({ method }) => method === "GET").map(({ path }) => path));
  const chapterOf = ({ path }: Route) => CHAPTERS.indexOf(path.slice(PREFIX.length).split("/")[0]!);
  return own
    .map(({ method, path, hooks }) => ({
      method: method.toLowerCase() as Method,
      path: path.replace(/:([^/]+)/g, "{$1}"),
      isReadable: readable.has(path),
      isFile: (hooks as Hooks).response?.[200]?.meta()?.contentMediaType !== undefined,
      hooks: hooks as Hooks,
    }))
    .toSorted(
      (a, b) =>
        chapterOf(a) - chapterOf(b) ||
        compare(a.path, b.path) ||
        METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
    );
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** @throws when the route lacks an operation id or a summary */
function operationOf(route: Route, describer: Describer): Operation {
  const { body, response = {}, detail = {} } = route.hooks;
  const { operationId, summary, description, tags = [], access } = detail;
  if (!operationId || !summary) {
    throw new Error(`${route.method} ${route.path} must have an operationId and a summary.`);
  }
  const needs = `Needs the \`${access}\` permission.`;
  return {
    operationId,
    summary,
    description: description ? `${description}\n\n${needs}` : needs,
    tags,
    security: [{ bearerAuth: [] }],
    parameters: parametersOf(route, describer),
    ...(body && { requestBody: bodyOf(route, body, describer) }),
    ...(detail.upload && { requestBody: uploadOf(detail.upload) }),
    responses: Object.fromEntries(
      statusesOf(route, response).map((status) => [
        status,
        replyOf(route, status, response[status] ?? z.undefined(), describer),
      ]),
    ),
  };
}

/** Also what may happen before the route runs. A body is read even where the route takes none. */
function statusesOf(
  { method, isFile, hooks }: Route,
  response: Record<string, z.ZodType>,
): number[] {
  const declared = Object.keys(response).map(Number);
  const ofBody = hooks.detail?.upload ? [409, 413] : [409, 413, 415];
  const ofMethod = method === "post" || method === "patch" ? ofBody : [];
  const unchanged = method === "get" && !isFile ? [304] : [];
  return [...new Set([...declared, ...ofMethod, ...unchanged])].toSorted((a, b) => a - b);
}

function parametersOf(route: Route, describer: Describer) {
  const { method, path, isReadable, isFile } = route;
  const isChange = method === "patch" || method === "delete";
  return [
    ...path.matchAll(/([a-z]+)\/\{(\w+)\}/g).map(([, owner, name]) => pathId(owner!, name!)),
    ...queryParameters(route, describer),
    ...(method === "post" ? [parameterReference("IdempotencyKey")] : []),
    ...(method === "get" && !isFile ? [parameterReference("IfNoneMatch")] : []),
    ...(isChange && isReadable ? [parameterReference("IfMatch")] : []),
  ];
}

const pathId = (owner: string, name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  description: `Id of the ${owner.replace(/ies$/, "y").replace(/(ch)?e?s$/, "$1")}.`,
  schema: { type: "string", format: "uuid" },
});

function queryParameters({ hooks: { query } }: Route, { describe }: Describer): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = describe(query, "input").schema;
  // JSON Schema from zod lacks defaults in front of a transformation; reading an empty query shows them.
  const defaults = (query.safeParse({}).data ?? {}) as Record<string, unknown>;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description && { description }),
    schema: defaults[name] === undefined ? schema : { ...schema, default: defaults[name] },
  }));
}

function bodyOf({ method }: Route, body: z.ZodType, { describe }: Describer) {
  const { schema, example } = describe(body, "input");
  const isOptional = method === "post" && !schema.required && body.safeParse(undefined).success;
  return {
    required: !isOptional,
    content: {
      "application/json": { schema, example },
      ...(method === "patch" && { "application/merge-patch+json": { schema, example } }),
    },
  };
}

const uploadOf = (description: string) => ({
  description,
  required: true,
  content: { "text/plain": { schema: { type: "string" }, example: "https://example.com/a\n" } },
});

const MEANINGS: Record<number, string> = { 200: "Success.", 201: "Created.", 204: "Success." };

function replyOf(
  { method, isFile, hooks: { response = {} } }: Route,
  status: number,
  declared: z.ZodType,
  { describe }: Describer,
): Operation["responses"][string] {
  const shared = sharedReply(status);
  if (shared) return shared;
  const { schema, example, description = MEANINGS[status]! } = describe(declared, "output");
  const isList = schema.properties?.data?.properties?.pagination !== undefined;
  // A path that may return either creates many records, which have no common location.
  const isOneRecord = status === 201 && !response[200];
  const headers = headersOf(
    ...(isFile ? ["Content-Disposition"] : []),
    ...(method === "get" && !isFile ? ["ETag"] : []),
    ...(isList ? ["Link"] : []),
    ...(isOneRecord ? ["Location"] : []),
    ...(method === "post" ? ["Idempotent-Replayed"] : []),
  );
  if (status === 204) return { description, headers };
  const type = isFile ? String(schema.contentMediaType) : "application/json";
  return { description, headers, content: { [type]: { schema, example } } };
}

/** The message that a webhook gets for an event. Described as input: receivers must accept added fields. */
function eventOf(
  type: EventType,
  { data }: { data: z.ZodObject },
  { describe, named }: Describer,
): Operation {
  const name = `${type.replace(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase())}Event`;
  const { title = "", description = "" } = data.meta() ?? {};
  const test = z.literal(true).optional().describe("Only in test deliveries.");
  const envelope = (data: z.ZodType) =>
    z.object({ event: z.literal(type), timestamp: z.string(), webhookId: z.uuid(), data });
  const { example } = describe(envelope(data), "input");
  named[name] = describe(envelope(data.extend({ test })), "input").schema;
  return {
    operationId: `receive${name}`,
    summary: title,
    description,
    tags: ["Events"],
    security: [],
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: SCHEMA_REFERENCE + name }, example } },
    },
    responses: {
      "2XX": {
        description: "Received. Any other status is retried later; 410 disables the webhook.",
      },
    },
  };
}
