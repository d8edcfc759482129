import * as z from "zod";
import { isRefusal, refusalReference } from "./errors.ts";
import { headersOf, parameterReference } from "./headers.ts";
import { PATH_IDS, QUERY_TEXTS } from "./info.ts";
import { OPERATION_TEXTS, REPLY_TEXTS } from "./operation-texts.ts";
import type { Sampler } from "./samples.ts";
import type { Describer } from "./schemas.ts";
import type { Body, Operation, Parameter, Reference, Reply, Schema } from "./types.ts";

/** A route as Elysia lists it: its schemas are zod's, as every route of ours declares them. */
export type RouteRecord = { method: string; path: string; hooks: unknown };

type Hooks = {
  body?: z.ZodType;
  query?: z.ZodType;
  response?: Record<string, z.ZodType>;
  detail?: { operationId?: string; summary?: string; description?: string; tags?: string[] };
};

/** A route under its path template. `isReadable`: the same path answers GET, so changes may be conditional. */
type Described = RouteRecord & { isReadable: boolean };

/** What the front may refuse beside what a route declares. A body is read even where none is expected. */
const REFUSED_BY_FRONT: Record<string, number[]> = {
  POST: [409, 413, 415],
  PATCH: [409, 413, 415],
};

/** @throws when the route lacks an operation id or a summary */
export function describeOperation(
  route: Described,
  describer: Describer,
  sample: Sampler,
): Operation {
  const { body, query, response = {}, detail = {} } = route.hooks as Hooks;
  const { operationId, summary, description, tags = [] } = detail;
  if (!operationId || !summary) throw new Error(`${route.method} ${route.path} is not described.`);
  const describeReply = replyDescriber(route, operationId, describer, sample);
  return {
    operationId,
    summary,
    description: [description ?? OPERATION_TEXTS[operationId], permissionOf(route.method)]
      .filter(Boolean)
      .join("\n\n"),
    tags,
    security: [{ bearerAuth: [] }],
    parameters: parametersOf(
      { ...route, isFile: isFile(response) },
      query && describer.describe(query, "input"),
      query,
    ),
    ...(body && { requestBody: bodyOf(route, body, operationId, describer, sample) }),
    responses: Object.fromEntries(
      statusesOf(route, response).map((status) => [
        status,
        describeReply(status, response[status]),
      ]),
    ),
  };
}

const permissionOf = (method: string) =>
  `Needs the \`${method === "GET" ? "read" : "write"}\` permission.`;

function statusesOf({ method }: Described, response: Record<string, z.ZodType>): number[] {
  const declared = Object.keys(response).map(Number);
  const unchanged = method === "GET" && !isFile(response) ? [304] : [];
  const all = new Set([...declared, ...unchanged, ...(REFUSED_BY_FRONT[method] ?? [])]);
  return [...all].toSorted((a, b) => a - b);
}

/** What is sent as a file has no tag: it would have to be made whole first. */
const isFile = (response: Record<string, z.ZodType>) =>
  response[200]?.meta()?.contentMediaType !== undefined;

function parametersOf(
  { method, path, isReadable, isFile }: Described & { isFile: boolean },
  querySchema: Schema | undefined,
  query: z.ZodType | undefined,
): (Parameter | Reference)[] {
  const isChange = method === "PATCH" || method === "DELETE";
  return [
    ...path.matchAll(/([a-z-]+)\/\{(\w+)\}/g).map(([, owner, name]) => pathId(owner!, name!)),
    ...queryParameters(querySchema, query),
    ...(method === "POST" ? [parameterReference("IdempotencyKey")] : []),
    ...(method === "GET" && !isFile ? [parameterReference("IfNoneMatch")] : []),
    ...(isChange && isReadable ? [parameterReference("IfMatch")] : []),
  ];
}

const pathId = (owner: string, name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  description: PATH_IDS[owner] ?? "Id of the record.",
  schema: { type: "string", format: "uuid" },
});

function queryParameters(schema: Schema | undefined, query: z.ZodType | undefined): Parameter[] {
  // JSON Schema from zod leaves out defaults that stand behind a transformation; an empty query tells them.
  const defaults = (query?.safeParse({}).data ?? {}) as Record<string, unknown>;
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...each }]) => {
    const text = description ?? QUERY_TEXTS[name];
    return {
      name,
      in: "query",
      required: schema?.required?.includes(name) ?? false,
      ...(text && { description: text }),
      schema: defaults[name] === undefined ? each : { ...each, default: defaults[name] },
    };
  });
}

function bodyOf(
  { method }: Described,
  body: z.ZodType,
  operationId: string,
  { describe }: Describer,
  sample: Sampler,
): Body {
  const schema = describe(body, "input");
  const content = { schema, example: sample(schema, operationId) };
  const takesNothing = method === "POST" && !schema.required && body.safeParse(undefined).success;
  return {
    required: !takesNothing,
    content: {
      "application/json": content,
      ...(method === "PATCH" && { "application/merge-patch+json": content }),
    },
  };
}

function replyDescriber(
  { method }: Described,
  operationId: string,
  { describe }: Describer,
  sample: Sampler,
) {
  return (status: number, declared: z.ZodType | undefined): Reply | Reference => {
    if (status === 304) return { $ref: "#/components/responses/NotModified" };
    if (isRefusal(status)) return refusalReference(status);
    const schema = describe(declared ?? z.undefined(), "output");
    const description = REPLY_TEXTS[`${operationId}.${status}`] ?? REPLY_TEXTS[status]!;
    const headers = headersOf(...ownHeaders(method, status, schema));
    if (status === 204) return { description, headers };
    const example = sample(schema, `${operationId}.${status}`, operationId);
    const type = mediaTypeOf(schema) ?? "application/json";
    return { description, headers, content: { [type]: { schema, example } } };
  };
}

const mediaTypeOf = ({ contentMediaType: type }: Schema) =>
  typeof type === "string" ? type : undefined;

function ownHeaders(method: string, status: number, schema: Schema): string[] {
  if (mediaTypeOf(schema)) return ["Content-Disposition"];
  const data = schema.properties?.data;
  const isList = data?.properties?.pagination !== undefined;
  // What a batch makes has no one place.
  const isOneRecord = status === 201 && data?.$ref?.endsWith("BatchResult") === false;
  return [
    ...(method === "GET" ? ["ETag"] : []),
    ...(isList ? ["Link"] : []),
    ...(isOneRecord ? ["Location"] : []),
    ...(method === "POST" ? ["Idempotent-Replayed"] : []),
  ];
}
