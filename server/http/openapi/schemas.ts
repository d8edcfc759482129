import * as z from "zod";

export const SCHEMA_REFERENCE = "#/components/schemas/";
const ZOD_REFERENCE = "#/$defs/";

/** Of texts, by their format. */
const EXAMPLES: Record<string, string> = {
  uuid: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
  uri: "https://example.com/a",
  "date-time": "2026-01-01T00:00:00.000Z",
  date: "2026-01-01",
};
/** Names of fields that hold moments. */
const MOMENT_NAME = /(_at|At|_since)$|^(timestamp|lastCheck)$/;
const SAFE_INTEGERS = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

type Described = { schema: Schema; description?: string; example: unknown };

/** Turns zod schemas into JSON Schema with an example. Schemas with an id are collected in `named`. */
export type Describer = {
  named: Record<string, Schema>;
  /** @throws when two schemas of different shape have the same id */
  describe(schema: z.ZodType, io: "input" | "output"): Described;
};

export function createDescriber(): Describer {
  const named: Record<string, Schema> = {};
  return {
    named,
    describe(schema, io) {
      // The wrapper makes zod turn the outermost schema into a reference as well.
      const wrapper = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: "any" });
      const { $defs = {}, properties } = wrapper as Schema;
      for (const [id, each] of Object.entries($defs)) name(id, tidy(each));
      const { description, ...root } = properties!.root!;
      return {
        schema: tidy(root),
        ...(description && { description }),
        example: exampleOf(root, "", $defs),
      };
    },
  };

  function name(id: string, schema: Schema) {
    if (named[id] && JSON.stringify(named[id]) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas have the id ${id}. Give one of them another id.`);
    }
    named[id] = schema;
  }
}

/** Drops what zod adds without need, and marks moments. */
function tidy(schema: Schema, name = ""): Schema {
  const { $schema, example, propertyNames, pattern, minimum, maximum, prefixItems, ...rest } =
    schema;
  const kept = prefixItems ? { ...rest, ...asList(prefixItems) } : rest;
  if (kept.$ref) return { ...kept, $ref: kept.$ref.replace(ZOD_REFERENCE, SCHEMA_REFERENCE) };
  const { properties, items, anyOf, additionalProperties: others } = kept;
  const isExact = kept.format === "uuid" || kept.type === "integer";
  return mergeNull({
    ...kept,
    ...(isMoment(kept, name) && { format: "date-time" }),
    ...(pattern !== undefined && !isExact && { pattern }),
    ...(minimum !== undefined && !SAFE_INTEGERS.includes(minimum) && { minimum }),
    ...(maximum !== undefined && !SAFE_INTEGERS.includes(maximum) && { maximum }),
    ...(properties && { properties: mapValues(properties, tidy) }),
    ...(items && { items: tidy(items) }),
    ...(anyOf && { anyOf: anyOf.map((each) => tidy(each, name)) }),
    ...(typeof others === "object" && {
      additionalProperties: Object.keys(others).length === 0 || tidy(others),
    }),
  });
}

/** A tuple, without what many tools for OpenAPI do not know: a list of that length, of any of its types. */
const asList = (parts: Schema[]): Schema => ({
  items: { anyOf: parts },
  minItems: parts.length,
  maxItems: parts.length,
});

const isMoment = ({ type, anyOf }: Schema, name: string) =>
  MOMENT_NAME.test(name) && [type].flat().includes("string") && !anyOf;

/** Writes "a string or null" as one type instead of two alternatives, where there is nothing but the type. */
function mergeNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const [value, nothing, ...more] = anyOf ?? [];
  if (nothing?.type !== "null" || more.length > 0 || typeof value?.type !== "string") return schema;
  if (value.enum || value.const !== undefined || value.properties) return schema;
  return { ...rest, ...value, type: [value.type, "null"] };
}

/**
 * The example of the schema's `meta`, or else one made from its parts. An object's example may have some of the
 * required fields only.
 */
function exampleOf(schema: Schema, name: string, defs: Record<string, Schema>): unknown {
  if (schema.$ref) return exampleOf(defs[schema.$ref.slice(ZOD_REFERENCE.length)]!, name, defs);
  const { example, required = [] } = schema;
  if (example === undefined) return made(schema, name, defs);
  if (!schema.properties || required.every((field) => field in (example as object))) return example;
  return { ...(made(schema, name, defs) as object), ...(example as object) };
}

function made(schema: Schema, name: string, defs: Record<string, Schema>): unknown {
  const { anyOf, items, properties, minimum = 1 } = schema;
  const [type] = [schema.type].flat();
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (anyOf && !type) return exampleOf(anyOf[0]!, name, defs);
  if (properties) return mapValues(properties, (each, field) => exampleOf(each, field, defs));
  if (items) return (items.anyOf ?? [items]).map((each) => exampleOf(each, name, defs));
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(minimum, 1);
  if (type === "object") return {};
  if (type === "null") return null;
  if (name === "id") return EXAMPLES.uuid;
  const format = schema.format ?? anyOf?.[0]?.format ?? (isMoment(schema, name) && "date-time");
  return EXAMPLES[format || ""] ?? "text";
}

const mapValues = <A, B>(record: Record<string, A>, map: (value: A, name: string) => B) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]): [string, B] => [name, map(value, name)]),
  );

/** The parts of JSON Schema (draft 2020-12) that our schemas use. */
export type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  prefixItems?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  [keyword: string]: unknown;
};

export type Reference = { $ref: string };

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};

export type Header = { description: string; required?: boolean; schema: Schema; example?: unknown };

export type Example = { summary: string; value: unknown };

export type Content = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
};

export type Reply = {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Content>;
};

export type Body = { required: boolean; content: Record<string, Content> };

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body;
  responses: Record<string, Reply | Reference>;
};

export type Method = "get" | "post" | "patch" | "delete";

type PathItem = Partial<Record<Method, Operation>>;

/** The parts of an OpenAPI 3.1 document that we use. */
export type Document = {
  openapi: string;
  info: Record<string, unknown> & { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    securitySchemes: Record<string, object>;
    schemas: Record<string, Schema>;
    responses: Record<string, Reply>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
  };
};
