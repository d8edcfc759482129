import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Schema } from "../http/openapi/schemas.ts";

/** A schema that describes and refuses nothing: tools and routes validate, with the codes and fields of the API. */
const described = (json: Schema): StandardSchemaWithJSON => ({
  "~standard": {
    version: 1,
    vendor: "stillup",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/** What a tool takes. */
export const inputOf = (schema: z.ZodType): StandardSchemaWithJSON =>
  described({ ...jsonOf(schema, "input"), additionalProperties: false });

/** What a tool returns. Objects are open, so that a new field of the API does not break a client that runs. */
export const outputOf = (schema: z.ZodType): StandardSchemaWithJSON =>
  described(jsonOf(schema, "output"));

const jsonOf = (schema: z.ZodType, io: "input" | "output"): Schema =>
  tidy(z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema);

/** Drops what closes objects, and what only documents need; writes the rest in the words that most clients know. */
function tidy(schema: Schema): Schema {
  const {
    $schema,
    example,
    propertyNames,
    prefixItems,
    additionalProperties: others,
    ...given
  } = schema;
  const { type, ...rest } = prefixItems ? { ...given, items: { anyOf: prefixItems } } : given;
  const { properties, $defs, items, anyOf } = rest;
  return {
    ...rest,
    ...(Array.isArray(type) ? { anyOf: type.map((each) => ({ type: each })) } : type && { type }),
    ...(properties && { properties: tidyEach(properties) }),
    ...($defs && { $defs: tidyEach($defs) }),
    ...(items && { items: tidy(items) }),
    ...(anyOf && { anyOf: anyOf.map(tidy) }),
    ...(typeof others === "object" && { additionalProperties: tidy(others) }),
  };
}

const tidyEach = (schemas: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, tidy(each)]));
